// Streams: the changes of a table as they happen, its shards, and its consumers.
import { html, useLayoutEffect, useRef, useState } from "../lib.js";
import { ChangeDetails, ChangeKey, ChangeText, EventTag } from "../parts/changes.js";
import { Command } from "../parts/command.js";
import { Grid } from "../parts/grid.js";
import { historyHref, itemHref } from "../parts/item_links.js";
import { Button, Code, Empty, Loading, Page, Panel, Problem, Select, Tabs } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { Pin } from "../parts/pinned.js";
import { go, route } from "../parts/router.js";
import { design, hue } from "../parts/state.js";
import { EntityName, Time } from "../parts/values.js";
import { Consumers, Shards } from "./streams_consumers.js";
import { Filters, filterOf } from "./streams_filters.js";
import { MOST_SHOWN, MOST_WAITING, useTail } from "./streams_tail.js";

const COLUMNS = [
  { id: "at", title: "Time (UTC)", width: "162px", cell: (/** @type {any} */ row) => html`<${Time} at=${row.at} />` },
  { id: "event", title: "Event", width: "96px", cell: (/** @type {any} */ row) => html`<${EventTag} event=${row.event} />` },
  { id: "entity", title: "Entity", width: "minmax(120px, 0.6fr)", cell: (/** @type {any} */ row) => html`<${EntityName} name=${row.entity} role=${row.role} />` },
  { id: "key", title: "Key", width: "minmax(180px, 1.8fr)", cell: (/** @type {any} */ row) => html`<${ChangeKey} change=${row} />` },
  { id: "changed", title: "Changed", width: "minmax(200px, 1.4fr)", cell: (/** @type {any} */ row) => html`<${ChangeText} change=${row} />` },
];

export default function View() {
  const { data, error, stale, reload } = useLoad("/streams");
  const { path, params } = route.value;
  if (!data) return html`<${Page} title="Streams" css="streams">${error ? html`<${Problem} error=${error} onRetry=${reload} />` : html`<${Loading} />`}<//>`;
  const first = data.tables.find((/** @type {any} */ each) => each.enabled) ?? data.tables[0];
  const table = data.tables.find((/** @type {any} */ each) => each.name === path[0]) ?? (path[0] ? null : first);
  /** @param {Record<string, any>} more */
  const change = (more) => go("streams", table ? [table.name] : [], { ...params, ...more }, { replace: true });
  if (!table) {
    return html`<${Page} title="Streams" css="streams"><${Empty} title=${`There is no table ${path[0]}`}>
      <p>Choose one of ${design.value.title}: ${data.tables.map((/** @type {any} */ each) => html`<a key=${each.name} href=${`#/${design.value.name}/streams/${encodeURIComponent(each.name)}`}>${each.name}</a> `)}</p><//><//>`;
  }
  return html`<${Stream} key=${table.name} table=${table} tables=${data.tables} params=${params} change=${change} stale=${stale} />`;
}

/** @param {{table: any, tables: any[], params: Record<string, string>, change: (more: Record<string, any>) => void, stale: boolean}} props */
function Stream({ table, tables, params, change, stale }) {
  const [paused, setPaused] = useState(false);
  const [selected, setSelected] = useState(/** @type {any} */ (null));
  const tab = params.tab ?? "live";
  const start = params.start === "oldest" ? "oldest" : "now";
  const tail = useTail(table.enabled && tab === "live" ? table.name : null, start, filterOf(params), paused);
  usePauseKey(() => setPaused((old) => !old));
  const choice = html`<${Select} label="Table" value=${table.name} options=${tables.map((each) => ({ value: each.name, title: each.enabled ? each.name : `${each.name} (no stream)` }))}
    onChange=${(/** @type {string} */ name) => go("streams", [name], {})} />`;
  const tools = html`${choice}
    ${table.enabled && tab === "live" && html`
      <${Select} label="Start" value=${start} options=${[{ value: "now", title: "now" }, { value: "oldest", title: "the oldest record (24 hours)" }]}
        onChange=${(/** @type {string} */ value) => change({ start: value === "now" ? "" : value })} />
      <button class=${paused ? "primary" : ""} aria-pressed=${paused} onClick=${() => setPaused(!paused)} title="Pause or resume (Space in the list)">${paused ? `Resume${tail.waiting.length ? ` (${tail.waiting.length} waiting)` : ""}` : "Pause"}</button>
      <${Button} onClick=${() => (tail.clear(), setSelected(null))} disabled=${!tail.records.length}>Clear<//>`}`;
  const panel = selected && tab === "live" && html`<${RecordPanel} table=${table.name} record=${selected} onClose=${() => setSelected(null)} />`;
  return html`<${Page} title="Streams" css="streams" toolbar=${tools} panel=${panel} stale=${stale}>
    ${!table.enabled
      ? html`<${NoStream} table=${table} />`
      : html`<${Tabs} label="Stream" selected=${tab} onSelect=${(/** @type {string} */ id) => change({ tab: id === "live" ? "" : id })}
            tabs=${[{ id: "live", title: "Live" }, { id: "consumers", title: "Consumers" }, { id: "shards", title: "Shards" }]} />
          ${tab === "consumers" ? html`<${Consumers} table=${table} />` : tab === "shards" ? html`<${Shards} table=${table} />`
            : html`<${Filters} table=${table} params=${params} change=${change} />
              <${Status} table=${table} tail=${tail} paused=${paused} start=${start} />
              <${Records} tail=${tail} paused=${paused} start=${start} selected=${selected} onOpen=${setSelected} onPause=${() => setPaused(!paused)} onOldest=${() => change({ start: "oldest" })} />`}`}
  <//>`;
}

/** @param {() => void} toggle */
function usePauseKey(toggle) {
  useLayoutEffect(() => {
    /** @param {KeyboardEvent} event */
    const press = (event) => {
      const element = /** @type {HTMLElement} */ (event.target);
      if (event.key !== " " || element.matches?.("input, textarea, select, button, summary")) return;
      event.preventDefault();
      toggle();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

/** @param {{table: any, tail: any, paused: boolean, start: string}} props */
function Status({ table, tail, paused, start }) {
  const state = tail.state === "failed" ? "stopped" : paused ? "paused" : tail.state === "live" ? "live" : "connecting";
  return html`<div class="stream-status">
    <span class=${`dot ${state}`}></span>
    <span role="status">${{ live: "Live", paused: "Paused", connecting: "Connecting…", stopped: "Stopped" }[state]}</span>
    <span class="dim">${table.view}${start === "oldest" ? ", from the oldest record" : ""}</span>
    <span class="dim"><b>${tail.records.length.toLocaleString("en")}</b> shown of ${tail.read.toLocaleString("en")} read</span>
    ${tail.dropped > 0 && html`<span class="dim">the list keeps the last ${MOST_SHOWN.toLocaleString("en")}</span>`}
    ${paused && tail.isFull && html`<span class="warn">${MOST_WAITING.toLocaleString("en")} records wait here, further ones in the stream. It keeps them for 24 hours.</span>`}
    ${tail.hasGap && html`<span class="bad">Records were trimmed before they could be read: the stream keeps 24 hours.</span>`}
  </div>
  <${Problem} error=${tail.error} />`;
}

/** @param {{tail: any, paused: boolean, start: string, selected: any, onOpen: (row: any) => void, onPause: () => void, onOldest: () => void}} props */
function Records({ tail, paused, start, selected, onOpen, onPause, onOldest }) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  const follows = useRef(true);
  useLayoutEffect(() => {
    const grid = box.current?.querySelector(".grid");
    if (grid && follows.current && !paused && !selected) grid.scrollTop = grid.scrollHeight;
  }, [tail.records.length, tail.dropped]);
  if (!tail.records.length) {
    return html`<${Empty} title=${paused ? "Paused" : "No records yet"}>
      <p>${tail.read ? `${tail.read.toLocaleString("en")} records were read, and the filter selects none of them.` : "Changes of the table appear here as they happen. The stream has those of the last 24 hours."}</p>
      ${!tail.read && !paused && start === "now" && html`<button onClick=${onOldest}>Start with the oldest record</button>`}
      ${tail.waiting.length > 0 && html`<button onClick=${onPause}>Show ${tail.waiting.length} waiting records</button>`}<//>`;
  }
  /** @param {any} event */
  const scroll = (event) => {
    const grid = event.target;
    follows.current = grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 40;
  };
  return html`<div class="stream-records" ref=${box} onScrollCapture=${scroll}>
    <${Grid} label="Records" columns=${COLUMNS} rows=${tail.records} rowKey=${(/** @type {any} */ row) => row.id} selected=${selected?.id ?? null}
      onOpen=${onOpen} rowClass=${(/** @type {any} */ row) => `change ${hue(row.entity)}`} />
  </div>`;
}

/** @param {{table: string, record: any, onClose: () => void}} props */
function RecordPanel({ table, record, onClose }) {
  return html`<${Panel} title=${html`<${EventTag} event=${record.event} /> <${Time} at=${record.at} />`} onClose=${onClose}
      actions=${html`<${Pin} table=${table} itemKey=${record.key} onPin=${onClose} />`}>
    <div class="toolbar">
      <a href=${itemHref(table, record.key)}>Open the item</a>
      <a href=${historyHref(table, record.key)}>History</a>
    </div>
    <${ChangeDetails} change=${record} />
    <dl class="facts">
      <div><dt>Images</dt><dd>${record.images}</dd></div>
      <div><dt>Size</dt><dd>${record.size.toLocaleString("en")} bytes</dd></div>
      <div><dt>Sequence</dt><dd><code>${record.sequence}</code></dd></div>
      <div><dt>Shard</dt><dd><code>${record.shard}</code></dd></div>
      <div><dt>Record</dt><dd><code>${record.id}</code></dd></div>
    </dl>
  <//>`;
}

/** @param {{table: any}} props */
function NoStream({ table }) {
  if (!table.exists) {
    return html`<${Empty} title=${`Table ${table.name} does not exist`}><p>Create it with:</p><${Command} text=${table.remedy.command} /><//>`;
  }
  return html`<${Empty} title=${`Table ${table.name} has no stream`}>
    <p>A stream has every change of the table for 24 hours, with the item before and after.
      ${table.designed ? " The design declares one; the table does not have it yet." : " Declare it in the design:"}</p>
    ${!table.designed && html`<${Code} label="Design" text=${table.remedy.design} />`}
    <p>Then update the table:</p>
    <${Command} text=${table.remedy.command} />
  <//>`;
}
