// Query: PartiQL and raw requests, their results, saved queries, exports and bulk changes.
import { html, useLayoutEffect, useMemo, useRef, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { BulkChange } from "../parts/bulk_change.js";
import { Button, Code, Empty, Loading, Page, Problem, Select, Tabs } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { QueryEditor } from "../parts/query_editor.js";
import { Export } from "../parts/query_export.js";
import { forget, history, remember } from "../parts/query_history.js";
import { Counts, ItemPanel, ResultGrid } from "../parts/results.js";
import { go, route } from "../parts/router.js";
import { CTRL } from "../parts/shortcuts.js";
import { design } from "../parts/state.js";
import { toast } from "../parts/toast.js";
import { Count, jsonText } from "../parts/values.js";

const PAGED = ["Query", "Scan", "ExecuteStatement"];
const LONGEST_LINK = 1500;

export default function View() {
  const { data, error, reload } = useLoad("/query");
  const found = design.value;
  if (!data || !found) return html`<${Page} title="Query" css="query">${error ? html`<${Problem} error=${error} onRetry=${reload} />` : html`<${Loading} />`}<//>`;
  return html`<${QueryView} key=${found.name} words=${data} writable=${found.writable} name=${found.name} />`;
}

/**
 * What the address says, or the first table.
 * @param {any} words
 */
function initial(words) {
  const { kind, operation, text } = route.peek().params;
  const table = route.peek().params.table ?? words.tables[0]?.name ?? "";
  const statement = `SELECT * FROM "${table}"`;
  if (kind === "request") return { kind, operation: operation ?? "Query", text: text ?? "{}", statement };
  return { kind: "statement", operation: "Query", text: "", statement: text ?? statement };
}

/** @param {{words: any, writable: boolean, name: string}} props */
function QueryView({ words, writable, name }) {
  const start = useMemo(() => initial(words), []);
  const [kind, setKind] = useState(start.kind);
  const [statement, setStatement] = useState(start.statement);
  const [parameters, setParameters] = useState("");
  const [operation, setOperation] = useState(start.operation);
  const [text, setText] = useState(start.text);
  const [past, setPast] = useState(() => history(name));
  const [message, setMessage] = useState("");
  const [panel, setPanel] = useState(/** @type {any} */ (null));
  const run = useQuery();

  useLayoutEffect(() => {
    if (kind === "request" && !text) choose(operation);
  }, [kind]);

  /** @param {string} next */
  function choose(next) {
    setOperation(next);
    const known = words.operations.find((/** @type {any} */ each) => each.name === next);
    setText(JSON.stringify(known?.template ?? {}, null, 2));
  }

  /** @returns {{operation: string, request: any} | null} */
  function query() {
    try {
      if (kind === "request") return { operation, request: JSON.parse(text) };
      const given = statement.includes("?") && parameters.trim() ? { Parameters: JSON.parse(parameters) } : {};
      return { operation: "ExecuteStatement", request: { Statement: statement.trim(), ...given } };
    } catch (error) {
      setMessage(`${kind === "request" ? "The request" : "The list of parameters"} is not JSON: ${/** @type {Error} */ (error).message}`);
      return null;
    }
  }

  function send() {
    setMessage("");
    setPanel(null);
    const found = query();
    if (!found) return;
    const shown = kind === "request" ? text : statement;
    remember(name, { kind: /** @type {any} */ (kind), operation: found.operation, text: shown });
    setPast(history(name));
    if (shown.length < LONGEST_LINK) go("query", [], { kind, operation: kind === "request" ? operation : undefined, text: shown }, { replace: true });
    run.start(found);
  }

  /** @param {any} query */
  function load(query) {
    setMessage("");
    setKind(query.kind);
    if (query.kind === "statement") setStatement(query.text);
    else {
      setOperation(query.operation);
      setText(query.text);
    }
  }

  const completions = useMemo(() => completionWords(words, kind), [words, kind]);
  const bulk = run.query && PAGED.includes(run.query.operation) && !run.result?.failed && run.tables.length === 1;
  const details = panel?.row
    ? html`<${ItemPanel} row=${panel.row} onClose=${() => setPanel(null)} />`
    : panel?.bulk && html`<${BulkChange} key=${panel.bulk + JSON.stringify(panel.query)} query=${panel.query} kind=${panel.bulk} table=${panel.table}
        onClose=${() => setPanel(null)} onChanged=${() => run.start(panel.query)} />`;
  return html`<${Page} title="Query" css="query" panel=${details}>
    <div class="query">
      <${Lists} name=${name} past=${past} onLoad=${load} onForget=${() => (forget(name), setPast([]))}
        current=${{ kind, operation: kind === "request" ? operation : "ExecuteStatement", text: kind === "request" ? text : statement }} />
      <div class="query-main">
        <${Tabs} label="Kind of query" selected=${kind} onSelect=${setKind} tabs=${[{ id: "statement", title: "PartiQL" }, { id: "request", title: "Request" }]} />
        ${kind === "statement"
          ? html`<${QueryEditor} label="PartiQL statement" text=${statement} onChange=${setStatement} onRun=${send} words=${completions} message=${message} rows=${4} />
              ${statement.includes("?") && html`<${QueryEditor} label="Parameters, a JSON list" text=${parameters} onChange=${setParameters} onRun=${send} words=${[]} rows=${2} />
              <p class="hint">One value for each <code>?</code>, in DynamoDB's JSON: <code>[{"S": "USER#1"}]</code></p>`}`
          : html`<${QueryEditor} label="Request as JSON" text=${text} onChange=${setText} onRun=${send} words=${completions} message=${message} rows=${9} />`}
        <div class="query-bar">
          <button class="primary" onClick=${send} disabled=${run.running} title="Ctrl+Enter">${run.running ? "Running…" : "Run"}</button>
          ${kind === "request" && html`<${Select} label="Operation" value=${operation} onChange=${choose}
            options=${words.operations.map((/** @type {any} */ each) => ({ value: each.name, title: each.writes && !writable ? `${each.name} (needs ${design.value.write_option})` : each.name }))} />`}
          <span class="hint"><kbd>${CTRL} Enter</kbd> runs, <kbd>Ctrl Space</kbd> completes</span>
          <span class="spacer"></span>
          ${bulk && run.result.rows.length > 0 && writable && html`<${Button} onClick=${() => setPanel({ bulk: "edit", query: run.query, table: run.tables[0] })}>Edit all…<//>
            <${Button} danger onClick=${() => setPanel({ bulk: "delete", query: run.query, table: run.tables[0] })}>Delete all…<//>`}
        </div>
        <${Results} run=${run} most=${words.most_exported} onOpen=${(/** @type {any} */ row) => setPanel({ row })} onTry=${(/** @type {string} */ example) => load({ kind: "statement", text: example })} />
      </div>
    </div>
  <//>`;
}

/** The last query that was sent, and its result so far. */
function useQuery() {
  const [state, setState] = useState(/** @type {any} */ ({ query: null, result: null, error: null, running: false }));
  const turn = useRef(0);
  /** @param {any} query @param {any} before */
  async function send(query, before) {
    const mine = ++turn.current;
    setState((/** @type {any} */ old) => ({ ...old, running: true }));
    try {
      const reply = await api.post("/query/run", { ...query, start: before?.next ?? null });
      if (mine !== turn.current) return;
      const result = before ? { ...reply, rows: [...before.rows, ...reply.rows], units: before.units + reply.units, seconds: before.seconds + reply.seconds, pages: before.pages + 1 } : { ...reply, pages: 1 };
      setState({ query, result, error: null, running: false });
    } catch (error) {
      if (mine === turn.current) setState((/** @type {any} */ old) => ({ ...old, query, error, running: false }));
    }
  }
  const rows = state.result?.rows ?? [];
  return {
    ...state,
    tables: [...new Set(rows.map((/** @type {any} */ row) => row.table))],
    start: (/** @type {any} */ query) => send(query, null),
    more: () => send(state.query, state.result),
  };
}

/**
 * @param {any} words
 * @param {string} kind
 * @returns {import("../parts/query_editor.js").Word[]}
 */
function completionWords(words, kind) {
  const tables = words.tables.flatMap((/** @type {any} */ table) => [
    { text: `"${table.name}"`, about: "table" },
    ...table.indexes.map((/** @type {string} */ index) => ({ text: kind === "statement" ? `"${table.name}"."${index}"` : `"${index}"`, about: `index of ${table.name}` })),
  ]);
  /** @type {Map<string, import("../parts/query_editor.js").Word>} */
  const names = new Map();
  for (const each of words.tables) {
    for (const name of each.attributes) names.set(name, { text: name, about: `attribute of ${each.name}` });
    for (const [field, stored] of Object.entries(each.fields)) {
      if (field !== stored) names.set(`field ${field} ${stored}`, { text: String(stored), match: field, about: `field ${field}` });
    }
  }
  const language =
    kind === "statement"
      ? [...words.keywords.map((/** @type {string} */ text) => ({ text, about: "keyword" })), ...words.functions.map((/** @type {string} */ text) => ({ text, about: "function" }))]
      : words.members.map((/** @type {string} */ text) => ({ text: /^[A-Z][a-z]/.test(text) ? `"${text}"` : text, about: "request" }));
  return [...language, ...tables, ...names.values()];
}

/**
 * Statements for the tables of the design: a partition, an index, a filter.
 * @returns {{about: string, text: string}[]}
 */
function examples() {
  const entity = design.value.entities.find((/** @type {any} */ each) => each.keys.length > 1) ?? design.value.entities[0];
  if (!entity) return [];
  /** @param {any} key */
  const partition = ({ parts: [first] }) => `${first.attribute} = '${first.template.replace(/\{[^}]*\}/g, "…")}'`;
  const [own, ...others] = entity.keys;
  const other = others.find((/** @type {any} */ each) => each.index);
  return [
    { about: `the partition of one ${entity.name}`, text: `SELECT * FROM "${entity.table}" WHERE ${partition(own)}` },
    ...(other ? [{ about: `the same in ${other.index}`, text: `SELECT * FROM "${entity.table}"."${other.index}" WHERE ${partition(other)}` }] : []),
    { about: "a scan with a condition", text: `SELECT * FROM "${entity.table}" WHERE begins_with(${own.parts[0].attribute}, '${own.parts[0].template.split("{")[0]}')` },
  ];
}

/** @param {{onTry: (text: string) => void}} props */
const Examples = ({ onTry }) => html`<ul class="examples">
  ${examples().map((example) => html`<li key=${example.text}><button class="link" title="Put this statement into the editor" onClick=${() => onTry(example.text)}><code>${example.text}</code></button> <small>${example.about}</small></li>`)}
</ul>`;

/** @param {{run: any, most: number, onOpen: (row: any) => void, onTry: (text: string) => void}} props */
function Results({ run, most, onOpen, onTry }) {
  const [tab, setTab] = useState("rows");
  const [selected, setSelected] = useState(/** @type {number | null} */ (null));
  useLayoutEffect(() => setSelected(null), [run.query]);
  if (run.error) return html`<${Problem} error=${run.error} onRetry=${() => run.start(run.query)} />`;
  if (!run.result) return html`<${Empty} title="Write a query and run it"><${Examples} onTry=${onTry} /><p>Results are shown as items with their entities, and as DynamoDB replied. Secret fields are hidden. Nothing but the text of your queries is kept, in this browser.</p><//>`;
  const { rows, reply, failed, units, seconds, examined, next, note, pages } = run.result;
  if (failed) {
    return html`<div class="problem query-failed" role="alert"><b>${failed.code}</b> ${failed.message}</div>
      ${Object.keys(failed.details).length > 0 && html`<${Code} label="Details of the error" text=${jsonText(failed.details)} />`}`;
  }
  const shown = rows.length ? tab : "json";
  return html`
    <div class="query-bar">
      <p class="totals" role="status">
        <${Counts} label="Show the reply" onOpen=${() => setTab("json")}>
          <span><b><${Count} value=${rows.length} /></b> ${rows.length === 1 ? "item" : "items"}${next ? ", and more" : ""}</span>
          ${examined !== null && pages === 1 && html`<span><${Count} value=${examined} /> examined</span>`}
          <span><${Count} value=${units} digits=${1} /> capacity units</span>
          <span><${Count} value=${seconds * 1000} digits=${1} /> ms</span>
        <//>
        ${note && html`<span class="warn">${note}</span>`}
        ${next && html`<${Button} onClick=${run.more} disabled=${run.running}>Load more<//>`}
      </p>
      <span class="spacer"></span>
      ${PAGED.includes(run.query.operation) && rows.length > 0 && html`<${Export} key=${JSON.stringify(run.query)} query=${run.query} rows=${rows} most=${most} />`}
    </div>
    <${Tabs} label="Form of the result" selected=${shown} onSelect=${setTab} tabs=${[...(rows.length ? [{ id: "rows", title: "Items" }] : []), { id: "json", title: pages > 1 ? "JSON of the last page" : "JSON" }]} />
    ${shown === "rows"
      ? html`<${ResultGrid} label="Results" rows=${rows} selected=${selected} index=${run.query.request.IndexName ?? null}
          onOpen=${(/** @type {number} */ index) => (setSelected(index), onOpen(rows[index]))} />`
      : html`<div class="query-json"><${Code} label="Reply of DynamoDB" text=${jsonText(reply)} /></div>`}`;
}

/** @param {{name: string, past: any[], current: any, onLoad: (query: any) => void, onForget: () => void}} props */
function Lists({ name, past, current, onLoad, onForget }) {
  const { data, error, reload } = useLoad("/query/saved");
  const [saving, setSaving] = useState(/** @type {string | null} */ (null));
  const [message, setMessage] = useState("");
  const [problem, setProblem] = useState(/** @type {any} */ (null));

  /** @param {Event} event */
  async function save(event) {
    event.preventDefault();
    const replace = message.includes("saved already");
    try {
      const reply = await api.post("/query/saved", { name: saving ?? "", ...current, replace });
      toast(`Saved as ${reply.path}`);
      setSaving(null);
      setMessage("");
      reload();
    } catch (problem) {
      setMessage(/** @type {Error} */ (problem).message);
    }
  }

  /** @param {any} query */
  async function remove(query) {
    setProblem(null);
    try {
      await api.post("/query/saved/delete", { name: query.name });
    } catch (failure) {
      setProblem(failure);
      reload();
      return;
    }
    reload();
    const { name: saved, ...rest } = query;
    toast(`Deleted ${saved}`, { undo: async () => (await api.post("/query/saved", { name: saved, ...rest }), reload()) });
  }

  const queries = data?.queries ?? [];
  return html`<nav class="query-lists" aria-label="Queries">
    <section>
      <header><h2>Saved</h2>${saving === null && html`<button class="link" onClick=${() => setSaving("")}>Save this query</button>`}</header>
      ${saving !== null && html`<form class="save-form" onSubmit=${save}>
        <label class="field"><span class="field-label">Name</span><input autofocus value=${saving} onInput=${(/** @type {any} */ event) => (setSaving(event.currentTarget.value), setMessage(""))} /></label>
        <button class="primary" type="submit">${message.includes("saved already") ? "Replace" : "Save"}</button>
        <button type="button" onClick=${() => (setSaving(null), setMessage(""))}>Cancel</button>
        ${message && html`<p class="message" role="alert">${message}</p>`}
      </form>`}
      <${Problem} error=${problem ?? error} onRetry=${() => (setProblem(null), reload())} />
      ${queries.length
        ? html`<ul>${queries.map((/** @type {any} */ query) => html`<li key=${query.name}><button title=${query.text} onClick=${() => onLoad(query)}>${query.name}</button>
            <button class="icon" aria-label=${`Delete the saved query ${query.name}`} onClick=${() => remove(query)}>×</button></li>`)}</ul>`
        : html`<p>Saved queries are files of the project, in <code>.tablewright/queries</code>.</p>`}
    </section>
    <section>
      <header><h2>History</h2>${past.length > 0 && html`<button class="link" onClick=${onForget}>Clear</button>`}</header>
      ${past.length
        ? html`<ul>${past.map((each) => html`<li key=${each.operation + each.text}><button title=${each.text} onClick=${() => onLoad(each)}>${each.kind === "statement" ? each.text : `${each.operation} ${short(each.text)}`}</button></li>`)}</ul>`
        : html`<p>Queries that you run are listed here, in this browser only.</p>`}
    </section>
  </nav>`;
}

/** @param {string} text */
function short(text) {
  const table = text.match(/"TableName"\s*:\s*"([^"]+)"/);
  return table ? table[1] : text.replace(/\s+/g, " ");
}
