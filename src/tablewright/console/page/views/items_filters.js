// The filters of the items view: key, sort key, filter text, and conditions on attributes.
import { html, useLayoutEffect, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { Button, Problem, Select } from "../parts/layout.js";
import { table as tableOf } from "../parts/state.js";
import { NO_FILTERS, change, isFiltered } from "./items_address.js";

const SORT_OPERATORS = [
  { value: "", title: "any" },
  { value: "begins_with", title: "begins with" },
  { value: "=", title: "=" },
  { value: "<", title: "<" },
  { value: "<=", title: "≤" },
  { value: ">", title: ">" },
  { value: ">=", title: "≥" },
  { value: "between", title: "between" },
];
const OPERATORS = [
  ...SORT_OPERATORS.slice(2),
  { value: "<>", title: "≠" },
  { value: "begins_with", title: "begins with" },
  { value: "contains", title: "contains" },
  { value: "exists", title: "exists" },
  { value: "not_exists", title: "does not exist" },
];
const TYPES = [
  { value: "auto", title: "any type" },
  { value: "S", title: "text" },
  { value: "N", title: "number" },
  { value: "BOOL", title: "true or false" },
];

/** @param {string} operator */
const valueCount = (operator) => ({ "": 0, exists: 0, not_exists: 0, between: 2 })[operator] ?? 1;

/**
 * An input of a filter, as wide as its content is usually.
 * @param {{label: string, value: string, onInput: (text: string) => void, placeholder?: string, list?: string, wide?: boolean, filter?: boolean}} props
 */
function Input({ label, value, onInput, placeholder = "", list, wide = false, filter = false }) {
  return html`<input type="text" class=${wide ? "wide" : ""} aria-label=${label} placeholder=${placeholder} list=${list} value=${value} spellcheck=${false}
    autocomplete="off" data-filter=${filter ? "" : undefined} onInput=${(/** @type {any} */ event) => onInput(event.currentTarget.value)} />`;
}

/**
 * @param {{address: import("./items_address.js").Address, patterns: any[], attributes: string[]}} props
 */
export function Filters({ address, patterns, attributes }) {
  const [draft, setDraft] = useState(address);
  const key = JSON.stringify({ ...address, item: null });
  useLayoutEffect(() => setDraft(address), [key]);
  const table = tableOf(address.table);
  const index = table.indexes.find((/** @type {any} */ each) => each.name === address.index);
  const sort = index ? index.sort[0] : table.key[1];
  const [operator = "", ...values] = draft.sort;
  /** @param {Partial<import("./items_address.js").Address>} changes */
  const edit = (changes) => setDraft({ ...draft, ...changes });
  /** @param {Event} event */
  function apply(event) {
    event.preventDefault();
    const { sort: given, filter, where } = draft;
    change(address, { sort: given[0] ? given : [], filter: filter.trim(), where: where.filter((each) => each.attribute) });
  }
  return html`<form class="filters" onSubmit=${apply} aria-label="Filters">
    <${KeyPatterns} address=${address} patterns=${patterns} />
    <div class="filter-row">
      ${sort &&
      html`<span class="filter-part"><${Select} label="Sort key" value=${operator} options=${SORT_OPERATORS} onChange=${(/** @type {string} */ next) => edit({ sort: next ? [next, ...fit(values, valueCount(next))] : [] })} />
        ${values.map((value, at) => html`<${Input} key=${at} label=${at ? "Sort key, upper value" : "Sort key value"} value=${value} onInput=${(/** @type {string} */ text) => edit({ sort: [operator, ...values.with(at, text)] })} />`)}</span>`}
      <${Input} label="Filter by fields" filter wide value=${draft.filter} onInput=${(/** @type {string} */ filter) => edit({ filter })} placeholder="Filter by fields: visits > 3 AND status = 'open'" />
      <button type="submit" class="primary">Apply</button>
      <button type="button" title="Add a condition on any attribute" onClick=${() => edit({ where: [...draft.where, { attribute: "", operator: "=", values: [""], type: "auto" }] })}>+ Condition</button>
      ${isFiltered(address) && html`<${Button} onClick=${() => change(address, NO_FILTERS)}>Clear filters<//>`}
    </div>
    ${draft.where.map((each, at) => html`<${Condition} key=${at} given=${each} onChange=${(/** @type {any} */ next) => edit({ where: draft.where.with(at, next) })} onRemove=${() => edit({ where: draft.where.filter((_, other) => other !== at) })} />`)}
    <datalist id="item-attributes">${attributes.slice(0, 200).map((name) => html`<option key=${name} value=${name}></option>`)}</datalist>
  </form>`;
}

/**
 * @param {string[]} values
 * @param {number} count
 */
const fit = (values, count) => Array.from({ length: count }, (_, at) => values[at] ?? "");

/** @param {{given: any, onChange: (next: any) => void, onRemove: () => void}} props */
function Condition({ given, onChange, onRemove }) {
  return html`<div class="filter-row condition" role="group" aria-label="Condition">
    <${Input} label="Attribute" list="item-attributes" placeholder="address.city" value=${given.attribute} onInput=${(/** @type {string} */ attribute) => onChange({ ...given, attribute })} />
    <${Select} hidden label="Operator" value=${given.operator} options=${OPERATORS} onChange=${(/** @type {string} */ operator) => onChange({ ...given, operator, values: fit(given.values, valueCount(operator)) })} />
    ${given.values.map((/** @type {string} */ value, /** @type {number} */ at) => html`<${Input} key=${at} label=${at ? "Upper value" : "Value"} value=${value} onInput=${(/** @type {string} */ text) => onChange({ ...given, values: given.values.with(at, text) })} />`)}
    ${given.values.length > 0 && html`<${Select} hidden label="Type of the value" value=${given.type} options=${TYPES} onChange=${(/** @type {string} */ type) => onChange({ ...given, type })} />`}
    <button type="button" class="icon" aria-label="Remove condition" onClick=${onRemove}>×</button>
  </div>`;
}

/**
 * Open a partition by its key, or by the fields of one of the design's key templates.
 * @param {{address: import("./items_address.js").Address, patterns: any[]}} props
 */
function KeyPatterns({ address, patterns }) {
  const own = patterns.filter((each) => each.table === address.table);
  const [at, setAt] = useState("");
  const [values, setValues] = useState(/** @type {Record<string, string>} */ ({}));
  const [text, setText] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  useLayoutEffect(() => {
    setAt("");
    setValues({});
    setText("");
    setError(null);
  }, [address.table, address.index, JSON.stringify(address.partition)]);
  const pattern = own[Number(at)];
  const chosen = at === "" ? null : pattern;
  async function open() {
    try {
      setError(null);
      if (!chosen && text.endsWith("*")) return change(address, { ...NO_FILTERS, partition: null, seen: null, prefix: text.slice(0, -1) });
      if (!chosen) return text && change(address, { ...NO_FILTERS, partition: [text], seen: null });
      const body = { table: chosen.table, index: chosen.index, templates: chosen.templates, values };
      const { partition } = await api.post("/items/partition-key", body);
      return change(address, { index: chosen.index, partition, seen: null, ...NO_FILTERS });
    } catch (problem) {
      return setError(problem);
    }
  }
  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    open();
  }
  const titles = own.map((each, number) => ({ value: String(number), title: `${each.templates.join(" + ")}${each.index ? `  (${each.index})` : ""}` }));
  return html`<div class="filter-row" role="group" aria-label="Open a partition" onKeyDown=${press}>
    <${Select} label="Partition" value=${at} options=${[{ value: "", title: "whole key" }, ...titles]} onChange=${setAt} />
    ${chosen
      ? chosen.fields.map((/** @type {string} */ name) => html`<label class="filter-part" key=${name}><span>${name}</span><${Input} label=${name} value=${values[name] ?? ""} onInput=${(/** @type {string} */ value) => setValues({ ...values, [name]: value })} /></label>`)
      : html`<${Input} label="Partition key" wide value=${text} onInput=${setText} placeholder=${`${own.find((each) => each.index === address.index)?.templates[0] ?? "key"}, or the beginning and *`} />`}
    <button type="button" onClick=${open}>Open</button>
    ${chosen && chosen.prefix && html`<button type="button" class="link" onClick=${() => change(address, { ...NO_FILTERS, index: chosen.index, partition: null, prefix: chosen.prefix, groups: true })}>list all</button>`}
    <${Problem} error=${error} />
  </div>`;
}
