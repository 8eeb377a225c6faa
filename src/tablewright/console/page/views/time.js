// Time: items as they were, what changed between two points in time, and restores.
import { html, useLayoutEffect, useState } from "../lib.js";
import { ChangeKey, ChangeText, EventTag } from "../parts/changes.js";
import { Command } from "../parts/command.js";
import { Grid } from "../parts/grid.js";
import { historyHref } from "../parts/item_links.js";
import { Button, Code, Empty, Loading, Page, Problem, Select, Tabs } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { follow, go, href, route } from "../parts/router.js";
import { design, hue, table as tableOf } from "../parts/state.js";
import { EntityName, Time } from "../parts/values.js";
import { useChanges } from "./time_changes.js";
import { VersionPanel } from "./time_restore.js";
import { KeyForm, Slider } from "./time_slider.js";
import { RestoreTable } from "./time_table.js";

export default function View() {
  const { data, error, stale, reload } = useLoad("/time");
  if (!data) return html`<${Page} title="Time" css="time">${error ? html`<${Problem} error=${error} onRetry=${reload} />` : html`<${Loading} />`}<//>`;
  const { path } = route.value;
  const first = data.tables.find((/** @type {any} */ each) => each.versions.source) ?? data.tables[0];
  const table = data.tables.find((/** @type {any} */ each) => each.name === path[0]) ?? (path[0] ? null : first);
  if (!table) {
    return html`<${Page} title="Time" css="time"><${Empty} title=${`There is no table ${path[0]}`}>
      <p>Choose one of ${design.value.title}: ${data.tables.map((/** @type {any} */ each) => html`<a key=${each.name} href=${href("time", [each.name])}>${each.name}</a> `)}</p><//><//>`;
  }
  return html`<${History} key=${table.name} table=${table} tables=${data.tables} stale=${stale} problem=${error} />`;
}

/** @param {{table: any, tables: any[], stale: boolean, problem: any}} props */
function History({ table, tables, stale, problem }) {
  const { path, params } = route.value;
  const [, partition, sort] = path;
  const [restoring, setRestoring] = useState(false);
  const [selected, setSelected] = useState(/** @type {any} */ (null));
  const [turn, setTurn] = useState(0);
  const place = JSON.stringify(path);
  useLayoutEffect(() => setSelected(null), [place, params.tab]);
  const tools = html`
    <${Select} label="Table" value=${table.name} options=${tables.map((each) => ({ value: each.name, title: each.versions.source ? each.name : `${each.name} (no versions)` }))}
      onChange=${(/** @type {string} */ name) => go("time", [name], {})} />
    ${table.versions.source && html`<${KeyForm} key=${place} table=${table.name} partition=${partition} sort=${sort} />`}
    ${table.recovery.enabled && html`<${Button} onClick=${() => setRestoring(true)}>Restore table…<//>`}`;
  const panel = selected && html`<${VersionPanel} key=${`${selected.id} ${selected.from} ${selected.to}`} table=${table.name} selected=${selected} onClose=${() => setSelected(null)}
    onRestored=${() => setTurn((each) => each + 1)} />`;
  return html`<${Page} title="Time" css="time" toolbar=${tools} panel=${panel} stale=${stale}>
    <${Problem} error=${problem} />
    ${!table.versions.source
      ? html`<${NoVersions} table=${table} />`
      : html`${table.versions.source === "stream" && html`<p class="note">${table.versions.why}</p>`}
        ${partition === undefined
          ? html`<${Recent} table=${table} />`
          : html`<${Versions} key=${`${place} ${turn}`} table=${table} partition=${partition} sort=${sort} selected=${selected} onSelect=${setSelected} />`}`}
    ${restoring && html`<${RestoreTable} table=${table} at=${params.at ? Number(params.at) : null} onClose=${() => setRestoring(false)} />`}
  <//>`;
}

const TIME = { id: "at", title: "Time (UTC)", width: "162px", cell: (/** @type {any} */ row) => html`<${Time} at=${row.at} />` };
const EVENT = { id: "kind", title: "Change", width: "96px", cell: (/** @type {any} */ row) => html`<${EventTag} event=${row.kind} />` };
const ENTITY = { id: "entity", title: "Entity", width: "minmax(110px, 0.6fr)", cell: (/** @type {any} */ row) => html`<${EntityName} name=${row.entity} role=${row.role} />` };
const KEY = { id: "key", title: "Key", width: "minmax(170px, 1.8fr)", cell: (/** @type {any} */ row) => html`<${ChangeKey} change=${row} />` };
const SORT_KEY = { ...KEY, width: "minmax(130px, 0.8fr)", cell: (/** @type {any} */ row) => html`<${ChangeKey} change=${row} sort />` };
const CHANGED = { id: "changed", title: "Changed", width: "minmax(180px, 1.4fr)", cell: (/** @type {any} */ row) => html`<${ChangeText} change=${row} />` };
const rowClass = (/** @type {any} */ row) => `change ${hue(row.entity)}`;

/** The latest changes of a table, to choose an item. @param {{table: any}} props */
function Recent({ table }) {
  const found = useChanges(table.name, {});
  if (!found.data) return found.error ? html`<${Problem} error=${found.error} onRetry=${found.reload} />` : html`<${Loading} />`;
  if (!found.changes.length) {
    return html`<${Empty} title="No changes yet"><p>Every change since <${Time} at=${table.versions.first} /> would be here. Earlier items have one version: the present one.</p><//>`;
  }
  return html`<p class="dim">The latest changes of the table. Open one to see the versions of its item; or enter a partition key above.</p>
    <${Problem} error=${found.error} onRetry=${found.reload} />
    <${Grid} label="Latest changes" columns=${[TIME, EVENT, ENTITY, KEY, CHANGED]} rows=${found.changes} rowKey=${(/** @type {any} */ row) => row.sequence}
      onOpen=${(/** @type {any} */ row) => follow(historyHref(table.name, row.key))} onMore=${found.more} rowClass=${rowClass} footer=${found.footer} />`;
}

/** @param {{table: any, partition: string, sort: string | undefined, selected: any, onSelect: (each: any) => void}} props */
function Versions({ table, partition, sort, selected, onSelect }) {
  const { params, path } = route.value;
  const isItem = sort !== undefined || tableOf(table.name).key.length === 1;
  const found = useChanges(table.name, { partition, sort });
  const tab = params.tab ?? "changes";
  /** @param {Record<string, any>} more */
  const change = (more) => go("time", path, { ...params, ...more }, { replace: true });
  if (!found.data) return found.error ? html`<${Problem} error=${found.error} onRetry=${found.reload} />` : html`<${Loading} />`;
  const { first, now } = found.data;
  const from = params.at ? Number(params.at) : now;
  const to = params.to ? Number(params.to) : now;
  return html`
    <${Slider} first=${first} now=${now} from=${from} to=${params.to ? to : null} changes=${found.changes}
      onChange=${(/** @type {any} */ more) => change({ ...more, tab: "then" })} />
    <${Tabs} label="History" selected=${tab} onSelect=${(/** @type {string} */ id) => change({ tab: id === "changes" ? "" : id })}
      tabs=${[{ id: "changes", title: `Versions (${found.changes.length}${found.data.complete ? "" : "+"})` }, { id: "then", title: params.at ? html`As of <${Time} at=${from} />` : "As of now" }]} />
    ${tab === "then"
      ? html`<${Then} table=${table.name} partition=${partition} sort=${sort} from=${from} to=${params.to ? to : null} now=${now} selected=${selected} onSelect=${onSelect} />`
      : html`<${Changes} found=${found} isItem=${isItem} first=${first} selected=${selected} onSelect=${onSelect} />`}`;
}

/** @param {{found: any, isItem: boolean, first: number, selected: any, onSelect: (each: any) => void}} props */
function Changes({ found, isItem, first, selected, onSelect }) {
  if (!found.changes.length) {
    return html`<${Empty} title="No changes in this period"><p>${isItem ? "The item is" : "The items of this partition are"} as at the beginning of the period, <${Time} at=${first} />. A key must be exact, with upper and lower case.</p><//>`;
  }
  return html`<${Grid} label="Versions" columns=${isItem ? [TIME, EVENT, ENTITY, CHANGED] : [TIME, EVENT, ENTITY, SORT_KEY, CHANGED]} rows=${found.changes}
    rowKey=${(/** @type {any} */ row) => row.sequence} selected=${selected?.id ?? null} rowClass=${rowClass} onMore=${found.more} footer=${found.footer}
    onOpen=${(/** @type {any} */ row) => onSelect({ id: row.sequence, change: row, at: row.at, sequence: row.sequence })} />`;
}

const STATES = { same: "unchanged", modified: "changed since", removed: "deleted since", inserted: "did not exist" };

/** @param {{table: string, partition: string, sort: string | undefined, from: number, to: number | null, now: number, selected: any, onSelect: (each: any) => void}} props */
function Then({ table, partition, sort, from, to, now, selected, onSelect }) {
  const { data, error, stale, reload } = useLoad(`/time/${encodeURIComponent(table)}/items`, { partition, sort, from, to: to ?? now });
  const [all, setAll] = useState(true);
  useLayoutEffect(() => {
    const isItem = sort !== undefined || tableOf(table).key.length === 1;
    const row = data?.rows.find((/** @type {any} */ each) => (selected ? each.title === selected.id : isItem));
    if (row) open(row); // the panel follows the slider
  }, [data]);
  /** @param {any} row */
  const open = (row) => onSelect({ id: row.title, change: row, from, to, at: from });
  if (!data) return error ? html`<${Problem} error=${error} onRetry=${reload} />` : html`<${Loading} />`;
  const rows = data.rows.filter((/** @type {any} */ row) => all || row.kind !== "same");
  const state = {
    id: "state", title: to === null ? "Since then" : "At the other time", width: "124px",
    cell: (/** @type {any} */ row) => html`<${EventTag} event=${row.kind} title=${STATES[/** @type {keyof typeof STATES} */ (row.kind)]} />`,
  };
  return html`<${Problem} error=${error} onRetry=${reload} />
    <div class="then-tools"><span class="dim"><b>${data.rows.filter((/** @type {any} */ row) => row.before).length}</b> items then, <b>${data.changed}</b> ${to === null ? "changed since" : "different at the other time"}${data.next !== null ? "; the first 1,000 items are compared" : ""}</span>
      <label><input type="checkbox" checked=${!all} onChange=${() => setAll(!all)} />only differences</label></div>
    ${rows.length
      ? html`<div class=${`then-rows ${stale ? "stale" : ""}`}><${Grid} label="Items then" columns=${[state, ENTITY, SORT_KEY, CHANGED]} rows=${rows} rowKey=${(/** @type {any} */ row) => row.title}
          selected=${selected?.id ?? null} rowClass=${rowClass}
          onOpen=${open} /></div>`
      : html`<${Empty} title=${all ? "There was no item at either time" : "There is no difference"}><p>Move the slider, or choose a version.</p><//>`}`;
}

/** @param {{table: any}} props */
function NoVersions({ table }) {
  if (!table.exists) {
    return html`<${Empty} title=${`Table ${table.name} does not exist`}><p>Create it with:</p><${Command} text=${table.remedy.command} /><//>`;
  }
  return html`<${Empty} title=${`No earlier versions of ${table.name}`}>
    <p>${table.versions.why}</p>
    ${!table.recovery.enabled && !table.recovery.problem && html`
      <p>${table.designed ? "The design declares point-in-time recovery; the table does not have it yet." : "With point-in-time recovery every change is kept, for up to 35 days. Declare it in the design:"}</p>
      ${!table.designed && html`<${Code} label="Design" text=${table.remedy.design} />`}`}
    ${table.recovery.enabled && html`<p>Declare a stream in the design:</p><${Code} label="Design" text=${table.remedy.stream} />`}
    <p>Then update the table:</p><${Command} text=${table.remedy.command} />
    ${design.value.writable && !table.recovery.enabled && !table.recovery.problem && html`<p>Or turn it on for this table in <a href=${href("operations")}>Operations</a>.</p>`}
    <p>Changes are kept from then on.</p>
  <//>`;
}
