// Bulk changes: count what a query finds, then delete or edit it step by step; it can be stopped at any time.
import { html, useLayoutEffect, useRef, useState } from "../lib.js";
import { api } from "./api.js";
import { Button, Confirm, Field, Panel, Problem, Section } from "./layout.js";
import { entity } from "./state.js";
import { Count, EntityName } from "./values.js";

const DEPENDENT = /^(copies|locks) of /;

/**
 * @param {object} props
 * @param {{operation: string, request: any}} props.query
 * @param {"delete" | "edit"} props.kind
 * @param {string} props.table
 * @param {() => void} props.onClose
 * @param {() => void} props.onChanged
 */
export function BulkChange({ query, kind, table, onClose, onChanged }) {
  const counted = useCount(query);
  const [change, setChange] = useState(/** @type {any} */ (null));
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (null));
  const run = useChange(query, kind, table, onChanged);
  const eligible = eligibleItems(counted.counts, kind, change?.entity);
  const entities = Object.keys(counted.counts).filter((each) => entity(each));

  async function ask() {
    setError(null);
    try {
      if (kind === "edit") await api.post("/query/bulk/check", { ...query, ...change });
      setAsking(true);
    } catch (problem) {
      setError(problem);
    }
  }

  const verb = kind === "delete" ? "Delete" : "Edit";
  const ready = counted.done && eligible > 0 && !run.state && (kind === "delete" || change);
  return html`<${Panel} title=${`${verb} all items of the query`} onClose=${() => (run.stop(), counted.stop(), onClose())}>
    <div class="bulk-query"><code>${query.request.Statement ?? `${query.operation} ${JSON.stringify(query.request)}`}</code>
      <span class="hint">All pages of the query, also beyond its Limit, on ${table}.</span></div>
    <${Counted} counted=${counted} kind=${kind} />
    ${kind === "edit" && counted.done && !run.state && html`<${EditFields} entities=${entities} onChange=${setChange} />`}
    <${Problem} error=${error ?? counted.error} />
    ${counted.done && eligible === 0 && (kind === "delete" || change) && html`<p>There is nothing to ${kind}.</p>`}
    ${ready && html`<div class="buttons"><${Button} danger onClick=${ask}>${verb} ${eligible.toLocaleString("en")} items…<//></div>`}
    ${run.state && html`<${Progress} run=${run} eligible=${eligible} kind=${kind} />`}
    ${asking && html`<${Confirm} title=${`${verb} ${eligible.toLocaleString("en")} items?`} name=${table} verb=${`${verb} ${eligible.toLocaleString("en")} items`}
        onCancel=${() => setAsking(false)} onConfirm=${() => (setAsking(false), run.start(eligible, change))}>
      <p>${kind === "delete" ? "The items are deleted with their copies and locks. This cannot be undone here." : "Each item is changed through its entity; copies and locks follow."}</p>
    <//>`}
  <//>`;
}

/**
 * The items that a change would change.
 * @param {Record<string, number>} counts
 * @param {"delete" | "edit"} kind
 * @param {string} [name] the entity of an edit
 */
function eligibleItems(counts, kind, name) {
  if (kind === "edit") return counts[name ?? ""] ?? 0;
  return Object.entries(counts).reduce((sum, [each, count]) => sum + (DEPENDENT.test(each) ? 0 : count), 0);
}

/** @param {{operation: string, request: any}} query */
function useCount(query) {
  const [state, setState] = useState({ items: 0, counts: /** @type {Record<string, number>} */ ({}), reads: 0, writes: 0, done: false, stopped: false, error: /** @type {any} */ (null) });
  const stopped = useRef(false);
  useLayoutEffect(() => {
    stopped.current = false;
    (async () => {
      let total = { items: 0, counts: /** @type {Record<string, number>} */ ({}), reads: 0, writes: 0, done: false, stopped: false, error: /** @type {any} */ (null) };
      let start = null;
      try {
        do {
          const reply = await api.post("/query/bulk/count", { ...query, start });
          const counts = { ...total.counts };
          for (const [name, count] of Object.entries(reply.counts)) counts[name] = (counts[name] ?? 0) + count;
          start = reply.next;
          total = { ...total, items: total.items + reply.items, counts, reads: total.reads + reply.read_units, writes: total.writes + reply.write_units, done: start === null };
          setState(total);
        } while (start !== null && !stopped.current);
        if (start !== null) setState({ ...total, stopped: true });
      } catch (error) {
        setState({ ...total, error });
      }
    })();
    return () => {
      stopped.current = true;
    };
  }, []);
  return { ...state, stop: () => (stopped.current = true) };
}

/** @param {{counted: any, kind: string}} props */
const Counted = ({ counted, kind }) => html`<${Section} title="Dry run: nothing is changed yet">
  <dl class="figures">
    ${Object.entries(counted.counts).map(([name, count]) => html`<dt key=${name}>${entity(name) ? html`<${EntityName} name=${name} />` : name}</dt>
      <dd><${Count} value=${count} />${DEPENDENT.test(name) ? html` <span class="dim">follow their entities</span>` : ""}</dd>`)}
    <dt>Read</dt><dd><${Count} value=${counted.reads} digits=${1} /> read units</dd>
    ${kind === "delete" && html`<dt>To delete</dt><dd>at least <${Count} value=${counted.writes} /> write units</dd>`}
  </dl>
  <p class="dim" role="status">${counted.error ? "" : counted.done ? `${counted.items.toLocaleString("en")} items counted.` : counted.stopped ? "The count was stopped." : `Counting… ${counted.items.toLocaleString("en")} items`}
    ${!counted.done && !counted.error && !counted.stopped && html` <button onClick=${counted.stop}>Stop</button>`}</p>
<//>`;

/** @param {{entities: string[], onChange: (change: any) => void}} props */
function EditFields({ entities, onChange }) {
  const [name, setName] = useState(entities[0] ?? "");
  const [field, setField] = useState("");
  const [value, setValue] = useState("");
  const [remove, setRemove] = useState(false);
  const fields = (entity(name)?.fields ?? []).filter((/** @type {any} */ each) => !each.secret && !each.automatic);
  useLayoutEffect(() => {
    if (!name || !field) return onChange(null);
    return onChange({ entity: name, set: remove ? {} : { [field]: parsed(value) }, remove: remove ? [field] : [] });
  }, [name, field, value, remove]);
  if (!entities.length) return html`<p>The query finds no entity that could be edited.</p>`;
  return html`<${Section} title="The change">
    <div class="form">
      <${Field} label="Entity"><select value=${name} onChange=${(/** @type {any} */ event) => (setName(event.currentTarget.value), setField(""))}>
        ${entities.map((each) => html`<option key=${each} value=${each} selected=${each === name}>${each}</option>`)}</select><//>
      <${Field} label="Field"><select value=${field} onChange=${(/** @type {any} */ event) => setField(event.currentTarget.value)}>
        <option value="" selected=${field === ""}></option>
        ${fields.map((/** @type {any} */ each) => html`<option key=${each.name} value=${each.name} selected=${each.name === field}>${each.name}: ${each.type}</option>`)}</select><//>
      <label class="check"><input type="checkbox" checked=${remove} onChange=${(/** @type {any} */ event) => setRemove(event.currentTarget.checked)} /> remove the field</label>
      ${!remove && html`<${Field} label="New value" hint="Text, a number, or JSON"><input value=${value} onInput=${(/** @type {any} */ event) => setValue(event.currentTarget.value)} /><//>`}
    </div>
  <//>`;
}

/**
 * A value as it was typed: JSON, or text.
 * @param {string} text
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * @param {{operation: string, request: any}} query
 * @param {"delete" | "edit"} kind
 * @param {string} table
 * @param {() => void} onChanged
 */
function useChange(query, kind, table, onChanged) {
  const [state, setState] = useState(/** @type {any} */ (null));
  const stopped = useRef(false);
  useLayoutEffect(() => () => {
    stopped.current = true;
  }, []);
  /** @param {number} most @param {any} change */
  async function start(most, change) {
    stopped.current = false;
    let total = { changed: 0, failed: 0, skipped: /** @type {Record<string, number>} */ ({}), problems: /** @type {any[]} */ ([]), done: false, text: "" };
    let next = null;
    setState(total);
    try {
      do {
        const left = most - total.changed - total.failed;
        const body = { ...query, start: next, confirm: table, most: left, ...(kind === "edit" ? change : {}) };
        const reply = await api.post(`/query/bulk/${kind}`, body);
        const skipped = { ...total.skipped };
        for (const [reason, count] of Object.entries(reply.skipped)) skipped[reason] = (skipped[reason] ?? 0) + Number(count);
        total = { ...total, changed: total.changed + reply.changed, failed: total.failed + reply.failed, skipped, problems: [...total.problems, ...reply.problems].slice(0, 50), text: reply.stopped ?? "" };
        next = reply.next;
        setState(total);
      } while (next !== null && !stopped.current);
      setState({ ...total, done: true, text: total.text || (next === null ? "" : "Stopped. The items that were changed stay changed.") });
    } catch (error) {
      setState({ ...total, done: true, text: /** @type {Error} */ (error).message });
    }
    onChanged();
  }
  return { state, start, stop: () => (stopped.current = true) };
}

/** @param {{run: any, eligible: number, kind: string}} props */
function Progress({ run, eligible, kind }) {
  const { changed, failed, skipped, problems, done, text } = run.state;
  return html`<${Section} title=${done ? "Result" : kind === "delete" ? "Deleting" : "Editing"}>
    <progress aria-label="Progress" max=${eligible} value=${done && !text ? eligible : changed + failed}></progress>
    <p role="status"><b><${Count} value=${changed} /></b> ${kind === "delete" ? "deleted" : "edited"}${failed ? html`, <span class="bad">${failed} failed</span>` : ""}
      ${Object.entries(skipped).map(([reason, count]) => html`<br /><span class="dim">${count} left as they are: ${reason}</span>`)}</p>
    ${text && html`<p class="warn" role="alert">${text}</p>`}
    ${!done && html`<${Button} onClick=${run.stop}>Stop<//>`}
    ${problems.length > 0 && html`<ul class="bulk-problems">${problems.map((/** @type {any} */ problem, /** @type {number} */ at) => html`<li key=${at}><code>${problem.key}</code> ${problem.message}</li>`)}</ul>`}
  <//>`;
}
