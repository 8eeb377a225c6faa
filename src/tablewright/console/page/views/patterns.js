// Patterns: each access pattern as a form; its results, its requests, its cost, its IAM policy and its code.
import { html, useLayoutEffect, useMemo, useRef, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { Form } from "../parts/form.js";
import { Grid } from "../parts/grid.js";
import { Button, Code, Empty, Loading, Page, Problem, Select, Tabs } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { Counts, ItemPanel, ResultGrid } from "../parts/results.js";
import { go, href, route } from "../parts/router.js";
import { CTRL } from "../parts/shortcuts.js";
import { design, hue, table } from "../parts/state.js";
import { Count, EntityName, Size, TemplateText, jsonText, templatePieces } from "../parts/values.js";

export default function View() {
  const found = design.value;
  const name = route.value.path[0] ?? "";
  const [open, setOpen] = useState(/** @type {any} */ (null));
  useLayoutEffect(() => setOpen(null), [name]);
  if (!found) return html`<${Page} title="Patterns" css="patterns"><${Loading} /><//>`;
  return html`<${Page} title="Patterns" css="patterns" panel=${open && html`<${ItemPanel} row=${open} onClose=${() => setOpen(null)} />`}>
    <div class="patterns">
      <${List} patterns=${found.patterns} selected=${name} />
      ${name ? html`<${PatternView} key=${`${found.name} ${name}`} name=${name} onOpen=${setOpen} />` : html`<${Choose} patterns=${found.patterns} />`}
    </div>
  <//>`;
}

/** @type {import("../parts/grid.js").Column[]} */
const ALL = [
  { id: "name", title: "Pattern", width: "minmax(200px, 1.2fr)", pinned: true, cellClass: () => "entity", cell: (row) => row.name },
  { id: "entity", title: "Returns", width: "minmax(110px, 0.8fr)", cell: (row) => row.entities.join(", ") },
  { id: "kind", title: "Kind", width: "64px", cell: (row) => row.kind },
  { id: "place", title: "Reads", width: "minmax(110px, 0.7fr)", cell: (row) => row.index ?? (design.value.tables.length > 1 ? row.table : "table") },
  { id: "key", title: "Key", width: "minmax(200px, 2fr)", cellClass: () => "key", cell: (row) => templatePieces(row.condition) },
  { id: "about", title: "About", width: "minmax(180px, 1.6fr)", cell: (row) => row.description },
];

/** @param {{patterns: any[]}} props */
const Choose = ({ patterns }) => html`<div class="pattern-main">
  ${patterns.length
    ? html`<p class="dim">Each access pattern of the design is a form. Run it to see its items, the requests that it makes, what they cost, and its code.
          Press <kbd>/</kbd> to find one, or <kbd>${CTRL} K</kbd> from any view.</p>
        <${Grid} label="All patterns" columns=${ALL} rows=${patterns} rowKey=${(/** @type {any} */ row) => row.name} rowClass=${(/** @type {any} */ row) => hue(row.entities[0] ?? null)}
          onOpen=${(/** @type {any} */ row) => go("patterns", [row.name])} />`
    : html`<${Empty} title="The design has no patterns">
        <p>Declare how the data is read, and name the patterns in the design:</p>
        <${Code} text=${'class UsersByRole(Query[User]):\n    "List users by role."\n    role: Role\n    key = "GSI1PK = ROLE#{role}"\n\ndesign = Design("app", entities=[User], patterns=[UsersByRole])'} />
      <//>`}
</div>`;

/** @param {{patterns: any[], selected: string}} props */
function List({ patterns, selected }) {
  const [filter, setFilter] = useState("");
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = patterns.filter((pattern) => {
    const text = `${pattern.name} ${pattern.kind} ${pattern.index ?? ""} ${pattern.table} ${pattern.description} ${pattern.entities.join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const each of shown) groups.set(each.entities[0], [...(groups.get(each.entities[0]) ?? []), each]);

  /** @param {KeyboardEvent} event */
  function press(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = /** @type {HTMLElement[]} */ ([...(box.current?.querySelectorAll("a") ?? [])]);
    const at = links.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (by) {
      event.preventDefault();
      links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
    } else if (event.key === "Enter" && at < 0 && shown.length) {
      const first = [...groups.values()][0][0];
      go("patterns", [first.name]);
    }
  }
  return html`<nav class="pattern-list" aria-label="Patterns" ref=${box} onKeyDown=${press}>
    <input data-filter type="search" placeholder="Find a pattern ( / )" aria-label="Find a pattern" value=${filter}
      onInput=${(/** @type {any} */ event) => setFilter(event.currentTarget.value)} />
    ${[...groups].map(([entity, members]) => html`<section key=${entity}>
      <h2><${EntityName} name=${entity} /></h2>
      <ul>${members.map((member) => html`<li key=${member.name}>
        <a href=${href("patterns", [member.name])} aria-current=${member.name === selected ? "page" : undefined} title=${member.description}>
          <span class="pattern-name">${member.name}</span><small>${member.kind}</small>
          <small class="pattern-about">${[member.index, member.description].filter(Boolean).join(" · ")}</small></a></li>`)}</ul>
    </section>`)}
    ${shown.length === 0 && html`<p class="dim">No pattern contains these words.</p>`}
  </nav>`;
}

/**
 * The values in the address, so that a run can be linked.
 * @returns {Record<string, any> | null}
 */
function linkedValues() {
  try {
    const found = JSON.parse(route.peek().params.values ?? "null");
    return found && typeof found === "object" && !Array.isArray(found) ? found : null;
  } catch {
    return null;
  }
}

/** @param {{name: string, onOpen: (row: any) => void}} props */
function PatternView({ name, onOpen }) {
  const { data: pattern, error, reload } = useLoad(`/patterns/${encodeURIComponent(name)}`);
  const linked = useMemo(linkedValues, [name]);
  const [values, setValues] = useState(/** @type {Record<string, any>} */ (linked ?? {}));
  const [limit, setLimit] = useState("50");
  const [expired, setExpired] = useState(false);
  const [note, setNote] = useState("");
  const [tab, setTab] = useState("requests");
  const run = useRun(pattern, values, Number(limit), expired);
  const explained = useExplained(pattern, values, Number(limit));
  const started = useRef(false);

  useLayoutEffect(() => {
    if (!pattern || started.current) return;
    started.current = true;
    const defaults = Object.entries(pattern.schema.properties).flatMap(([each, kind]) => ("default" in /** @type {any} */ (kind) ? [[each, /** @type {any} */ (kind).default]] : []));
    setValues((old) => ({ ...Object.fromEntries(defaults), ...old }));
    if (linked) run.start();
  }, [pattern]);

  if (!pattern) return html`<div class="pattern-main">${error ? html`<${Problem} error=${error} onRetry=${reload} />` : html`<${Loading} />`}</div>`;

  async function fill() {
    setNote("");
    try {
      const reply = await api.get(`/patterns/${encodeURIComponent(name)}/example`);
      setNote(reply.note);
      if (reply.parameters) setValues((old) => ({ ...old, ...reply.parameters }));
    } catch (problem) {
      setNote(/** @type {Error} */ (problem).message);
    }
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const open = Object.fromEntries(Object.entries(values).filter(([each, value]) => value !== undefined && !pattern.schema.properties[each]?.secret));
    go("patterns", [name], { values: JSON.stringify(open) }, { replace: true });
    onOpen(null);
    run.start();
  }

  const canExpire = Boolean(table(pattern.table)?.ttl);
  return html`<div class="pattern-main">
    <${Head} pattern=${pattern} />
    <div class="pattern-top">
      <form class="pattern-form" aria-label="Parameters" onSubmit=${submit}>
        <${Form} schema=${pattern.schema} values=${values} onChange=${setValues} messages=${run.messages}
          hint=${(/** @type {string} */ each) => (pattern.schema.properties[each].secret ? "A secret: it is sent to the server, and not kept." : null)} />
        ${Object.keys(pattern.schema.properties).length === 0 && html`<p class="dim">This pattern has no parameters.</p>`}
        <div class="pattern-buttons">
          <button class="primary" type="submit" disabled=${run.running}>${run.running ? "Running…" : "Run"}</button>
          ${Object.keys(pattern.schema.properties).length > 0 && html`<button type="button" onClick=${fill} title="Take values from the stored items">Fill in an example</button>`}
          ${pattern.pages && html`<${Select} label="Page" value=${limit} options=${["10", "50", "200", "1000"]} onChange=${setLimit} />`}
          ${canExpire && html`<label class="check"><input type="checkbox" checked=${expired} onChange=${(/** @type {any} */ event) => setExpired(event.currentTarget.checked)} /> with expired items</label>`}
        </div>
        ${note && html`<p class="dim" role="status">${note}</p>`}
      </form>
      <${Details} pattern=${pattern} explained=${explained} run=${run} tab=${tab} onTab=${setTab} />
    </div>
    <${Results} run=${run} limit=${limit} index=${pattern.index} onOpen=${onOpen} onAsk=${() => setTab("requests")} />
  </div>`;
}

/** @param {{pattern: any}} props */
const Head = ({ pattern }) => html`<header class="pattern-head">
  <h2>${pattern.name}</h2>
  <span class="tag">${pattern.kind}</span>
  ${pattern.entities.map((/** @type {string} */ entity) => html`<${EntityName} key=${entity} name=${entity} />`)}
  <span class="dim">${pattern.index ? `index ${pattern.index} of ` : ""}<a href=${href("items", [pattern.table])}>${pattern.table}</a></span>
  ${pattern.consistent && html`<span class="tag">consistent</span>`}
  ${pattern.descending && html`<span class="tag">descending</span>`}
  ${pattern.description && html`<p>${pattern.description}</p>`}
  ${pattern.condition && html`<div class="condition"><${TemplateText} template=${pattern.condition} /></div>`}
  ${pattern.filter && html`<div class="condition dim">filter <code>${pattern.filter}</code></div>`}
  ${pattern.problems.map((/** @type {string} */ problem) => html`<div class="problem" key=${problem}>${problem}</div>`)}
</header>`;

/**
 * The run of a pattern: its rows so far, and its errors.
 * @param {any} pattern
 * @param {Record<string, any>} values
 * @param {number} limit
 * @param {boolean} expired
 */
function useRun(pattern, values, limit, expired) {
  const [state, setState] = useState(/** @type {any} */ ({ result: null, error: null, messages: {}, running: false, asked: null }));
  const turn = useRef(0);
  /** @param {any} asked @param {any} before */
  async function send(asked, before) {
    const mine = ++turn.current;
    setState((/** @type {any} */ old) => ({ ...old, running: true }));
    try {
      const reply = await api.post(`/patterns/${encodeURIComponent(pattern.name)}/run`, { ...asked, cursor: before?.cursor ?? null });
      if (mine !== turn.current) return;
      const result = before ? joined(before, reply) : reply;
      setState({ result, error: null, messages: {}, running: false, asked });
    } catch (error) {
      if (mine !== turn.current) return;
      const fields = Object.fromEntries(Object.entries(/** @type {any} */ (error).fields ?? {}).map(([each, text]) => [each.replace(/^parameters\./, ""), text]));
      const known = Object.keys(fields).some((each) => each.split(".")[0] in pattern.schema.properties);
      setState((/** @type {any} */ old) => ({ ...old, error: known ? null : error, messages: fields, running: false }));
    }
  }
  return {
    ...state,
    start: () => send({ parameters: given(values), limit, include_expired: expired }, null),
    more: () => send(state.asked, state.result),
  };
}

/** @param {any} before @param {any} found */
const joined = (before, found) => ({
  rows: [...before.rows, ...found.rows],
  cursor: found.cursor,
  requests: [...before.requests, ...found.requests],
  examined: before.examined + found.examined,
  returned: before.returned + found.returned,
  units: before.units + found.units,
  searched_bytes: before.searched_bytes + found.searched_bytes,
  seconds: before.seconds + found.seconds,
});

/** @param {Record<string, any>} values */
const given = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/**
 * The request and the code for the values in the form; the last valid ones while they are incomplete.
 * @param {any} pattern
 * @param {Record<string, any>} values
 * @param {number} limit
 */
function useExplained(pattern, values, limit) {
  const [found, setFound] = useState(/** @type {any} */ (null));
  const key = pattern ? JSON.stringify([given(values), limit]) : "";
  useLayoutEffect(() => {
    if (!pattern) return undefined;
    const isComplete = (pattern.schema.required ?? []).every((/** @type {string} */ each) => given(values)[each] !== undefined);
    if (!isComplete) {
      setFound((/** @type {any} */ old) => (old ? { ...old, stale: true } : null));
      return undefined;
    }
    let ended = false;
    const timer = setTimeout(() => {
      api.post(`/patterns/${encodeURIComponent(pattern.name)}/explain`, { parameters: given(values), limit }).then(
        (result) => !ended && setFound(result),
        () => !ended && setFound((/** @type {any} */ old) => (old ? { ...old, stale: true } : null)),
      );
    }, 250);
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [key, Boolean(pattern)]);
  return found;
}

const TABS = [
  { id: "requests", title: "Requests" },
  { id: "cost", title: "Capacity and cost" },
  { id: "policy", title: "IAM policy" },
  { id: "tablewright", title: "Tablewright" },
  { id: "boto3", title: "boto3" },
  { id: "cli", title: "AWS CLI" },
];

/** @param {{pattern: any, explained: any, run: any, tab: string, onTab: (tab: string) => void}} props */
function Details({ pattern, explained, run, tab, onTab }) {
  const code = explained?.code?.[tab];
  return html`<section class="pattern-details" aria-label="What is asked">
    <${Tabs} label="What is asked" tabs=${TABS} selected=${tab} onSelect=${onTab} />
    ${tab === "requests" && html`<${Requests} explained=${explained} run=${run} />`}
    ${tab === "cost" && html`<${Cost} pattern=${pattern} explained=${explained} run=${run} />`}
    ${tab === "policy" && html`<p class="dim">The least that a program needs to run this pattern. ${pattern.policy.note}</p>
      ${pattern.policy.documents.map((/** @type {any} */ document, /** @type {number} */ at) => html`<${Code} key=${at} label="IAM policy" text=${JSON.stringify(document, null, 2)} />`)}`}
    ${["tablewright", "boto3", "cli"].includes(tab) && (code ? html`<${Code} label=${TABS.find((each) => each.id === tab)?.title} text=${code} />` : html`<p class="dim">Fill in the parameters to see the code.</p>`)}
  </section>`;
}

/** @param {{explained: any, run: any}} props */
function Requests({ explained, run }) {
  if (!run.result) {
    if (!explained) return html`<p class="dim">Fill in the parameters to see the request; run it to see what it examines and consumes.</p>`;
    return html`<p class="dim">This is sent when you run it${explained.stale ? " (with the last valid values)" : ""}: ${explained.operation} on ${explained.index ? `index ${explained.index} of ` : ""}${explained.table}.</p>
      <${Code} label="Request" text=${jsonText(explained.request)} />`;
  }
  const left = run.result.returned - run.result.rows.length;
  return html`<ol class="requests">
    ${run.result.requests.map((/** @type {any} */ request, /** @type {number} */ at) => html`<li key=${at}>
      <${Explained} request=${request} />
      ${request.why && html`<div class="dim">${request.why}</div>`}
      ${request.request && html`<details><summary>Request</summary><${Code} label="Request" text=${jsonText(request.request)} /></details>`}
    </li>`)}
  </ol>
  ${left > 0 && html`<p class="dim">${left} returned items are not shown: copies, locks, expired items, or items of the next page.</p>`}`;
}

/**
 * A request as a tree: what it reads, what its filter leaves, what it consumes.
 * @param {{request: any}} props
 */
function Explained({ request }) {
  const examined = request.examined ?? request.returned;
  const dropped = examined - request.returned;
  return html`<b>${request.operation}</b> <span class="dim"><${Used} of=${request} />, <${Count} value=${request.seconds * 1000} digits=${1} /> ms</span>
    <ul class="tree">
      <li>${request.index ? html`index <b>${request.index}</b> of ${request.tables.join(", ")}` : request.tables.join(", ")}: examined <b><${Count} value=${examined} /></b>
        <ul class="tree">
          ${dropped > 0 && html`<li>the filter leaves out <b class="warn"><${Count} value=${dropped} /></b>, which are paid for</li>`}
          <li>returned <b><${Count} value=${request.returned} /></b></li>
        </ul>
      </li>
    </ul>`;
}

/** @param {{pattern: any, explained: any, run: any}} props */
function Cost({ pattern, explained, run }) {
  const cost = pattern.cost;
  return html`<dl class="figures">
    <dt>Measured</dt><dd>${run.result ? html`<${Used} of=${run.result} /> in ${run.result.requests.length} ${run.result.requests.length === 1 ? "request" : "requests"}` : "run it to measure"}</dd>
    <dt>Estimated for this run</dt><dd>${explained ? html`<${Used} of=${explained} />: ${explained.items} × <${Size} bytes=${explained.item_size} />` : "–"}</dd>
    <dt>Expected as declared</dt><dd><${Used} of=${cost} /> for each run</dd>
    <dt>Declared rate</dt><dd>${cost.times === null ? html`<span class="warn">none</span>` : html`<${Count} value=${cost.times} /> runs a month`}</dd>
    <dt>Cost of a month</dt><dd>${cost.month === null ? html`<span class="dim">–</span>` : html`<b>${dollars(cost.month)}</b> on demand`}</dd>
    <dt>Cost of a million runs</dt><dd>${dollars(cost.million)}</dd>
  </dl>
  ${cost.advice && html`<p>${cost.advice}</p>`}
  <p class="dim">Prices of ${cost.region} as of ${cost.prices_as_of}. <a href=${href("heat_and_cost")}>All costs of the design</a></p>`;
}

/** @param {{value: number}} props */
const Units = ({ value }) => html`<${Count} value=${value} digits=${1} /> ${value === 1 ? "read unit" : "read units"}`;

/**
 * What a read consumes: read units, or the bytes of a vector search.
 * @param {{of: any}} props
 */
const Used = ({ of: used }) => (used.searched_bytes ? html`<${Size} bytes=${used.searched_bytes} /> of vector search` : html`<${Units} value=${used.units} />`);

/** @param {number} sum */
const dollars = (sum) => `$${sum.toLocaleString("en", sum >= 10 || sum === 0 ? { minimumFractionDigits: 2, maximumFractionDigits: 2 } : { maximumSignificantDigits: 3 })}`;

/** @param {{run: any, limit: string, index: string | null, onOpen: (row: any) => void, onAsk: () => void}} props */
function Results({ run, limit, index, onOpen, onAsk }) {
  const [selected, setSelected] = useState(/** @type {number | null} */ (null));
  useLayoutEffect(() => setSelected(null), [run.asked]);
  if (run.error) return html`<${Problem} error=${run.error} onRetry=${run.start} />`;
  if (!run.result) return null;
  const { rows, cursor, examined, seconds } = run.result;
  const totals = html`<p class="totals" role="status">
    <${Counts} label="Show the requests" onOpen=${onAsk}>
      <span><b><${Count} value=${rows.length} /></b> ${rows.length === 1 ? "item" : "items"}${cursor ? ", and more" : ""}</span>
      <span><${Count} value=${examined} /> examined</span>
      <span><${Used} of=${run.result} /></span>
      <span><${Count} value=${seconds * 1000} digits=${1} /> ms</span>
    <//>
    ${cursor && html`<${Button} onClick=${run.more} disabled=${run.running}>Load ${limit} more<//>`}
  </p>`;
  if (!rows.length) return html`${totals}<${Empty} title="No items"><p>The pattern found nothing with these values. “Fill in an example” takes values that are stored.</p><//>`;
  return html`${totals}<${ResultGrid} label="Results" rows=${rows} selected=${selected}
    index=${index} onOpen=${(/** @type {number} */ at) => (setSelected(at), onOpen(rows[at]))} />`;
}
