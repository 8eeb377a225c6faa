// Results: items of any read as rows with their entities, keys and attributes, and the details of one.
import { html, useState } from "../lib.js";
import { Code } from "./code.js";
import { Grid } from "./grid.js";
import { Panel, Section, Tabs } from "./layout.js";
import { href } from "./router.js";
import { hue, table as tableOf } from "./state.js";
import { EntityName, KeyText, Size, Text, Value, valueText } from "./values.js";

const MOST_COLUMNS = 40;

/**
 * The attributes of rows that are not part of a key, the most frequent first.
 * @param {any[]} rows
 * @returns {string[]}
 */
export function attributesOf(rows) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const row of rows) {
    for (const name of Object.keys(row.item)) {
      if (!(name in row.key_parts)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].sort((one, other) => other[1] - one[1]).map(([name]) => name);
}

/** @param {{row: any, name: string}} props */
function Cell({ row, name }) {
  const parts = row.key_parts[name];
  return parts ? html`<${KeyText} parts=${parts} />` : html`<${Value} value=${row.item[name]} />`;
}

/**
 * Rows of items; Enter or a click opens one.
 * @param {object} props
 * @param {string} props.label
 * @param {any[]} props.rows as the API shows items
 * @param {number | null} props.selected the index of the open row
 * @param {(index: number) => void} props.onOpen
 * @param {any} [props.footer]
 * @param {string | null} [props.index] the index that was read; the keys of other indexes come last
 */
export function ResultGrid({ label, rows, selected, onOpen, footer, index = null }) {
  const all = [...new Set(rows.flatMap((row) => keyOrder(row)))];
  const first = new Set(rows.flatMap((row) => [...Object.keys(row.key), ...indexKey(row.table, index)]));
  const keys = all.filter((name) => first.has(name));
  const others = all.filter((name) => !first.has(name));
  const tables = new Set(rows.map((row) => row.table));
  const hidden = new Set([...tables].map((name) => tableOf(name)?.discriminator));
  const names = attributesOf(rows).filter((name) => !hidden.has(name));
  const attributes = names.slice(0, MOST_COLUMNS);
  const columns = [
    { id: " entity", title: "Entity", width: "150px", cell: (/** @type {any} */ row) => html`<${EntityName} name=${row.entity} role=${row.role} />` },
    ...(tables.size > 1 ? [{ id: " table", title: "Table", width: "160px", cell: (/** @type {any} */ row) => row.table }] : []),
    ...keys.map((name) => ({ id: name, title: name, width: "minmax(180px, 1.4fr)", cell: (/** @type {any} */ row) => html`<${Cell} row=${row} name=${name} />` })),
    ...[...attributes, ...others].map((name) => ({ id: name, title: name, width: "minmax(120px, 1fr)", cell: (/** @type {any} */ row) => html`<${Cell} row=${row} name=${name} />` })),
  ];
  const more = names.length - attributes.length;
  return html`<${Grid} label=${label} columns=${columns} rows=${rows}
    rowKey=${(/** @type {any} */ _, /** @type {number} */ index) => String(index)}
    selected=${selected === null ? null : String(selected)}
    rowClass=${(/** @type {any} */ row) => `result ${hue(row.entity)} ${row.problem || row.expected === false ? "unexpected" : ""}`}
    onOpen=${(/** @type {any} */ _, /** @type {number} */ index) => onOpen(index)}
    footer=${html`${footer}${more > 0 && html` <span>${more} more attributes are in the details of each item.</span>`}`} />`;
}

/**
 * The key attributes of an index.
 * @param {string} name the table
 * @param {string | null} index
 * @returns {string[]}
 */
function indexKey(name, index) {
  const found = index && tableOf(name)?.indexes.find((/** @type {any} */ each) => each.name === index);
  return found ? [].concat(found.partition, found.sort ?? []) : [];
}

/**
 * The key attributes of a row: its primary key, then those of indexes.
 * @param {any} row
 */
function keyOrder(row) {
  const own = Object.keys(row.key);
  return [...own, ...Object.keys(row.key_parts).filter((name) => !own.includes(name))];
}

/**
 * The details of an item.
 * @param {{row: any, onClose: () => void}} props
 */
export function ItemPanel({ row, onClose }) {
  const [tab, setTab] = useState("attributes");
  const partition = Object.values(row.key)[0];
  const title = html`<${EntityName} name=${row.entity} role=${row.role} />`;
  const open = partition && html`<a href=${href("items", [row.table, valueText(partition)])}>Open its partition</a>`;
  return html`<${Panel} title=${title} onClose=${onClose} actions=${open}>
    <div class="result-title"><code><${Text} text=${row.title || "without its key"} /></code> <small><${Size} bytes=${row.size} /></small></div>
    ${row.expected === false && html`<p class="warn">The pattern does not return this item: db.run lists it as unknown.</p>`}
    ${row.problem && html`<p class="warn">${row.problem}</p>`}
    <${Tabs} label="Forms of the item" selected=${tab} onSelect=${setTab}
      tabs=${[{ id: "attributes", title: "Attributes" }, { id: "json", title: "DynamoDB JSON" }]} />
    ${tab === "attributes" ? html`<${Attributes} row=${row} />` : html`<${Code} label="The item in DynamoDB's JSON" text=${JSON.stringify(row.item, null, 2)} />`}
  <//>`;
}

/** @param {{row: any}} props */
function Attributes({ row }) {
  const names = [...keyOrder(row), ...Object.keys(row.item).filter((name) => !(name in row.key_parts))];
  return html`<${Section} title="Attributes">
    <dl class="attributes">
      ${names.filter((name) => name in row.item).map((name) => {
        const field = row.attributes[name];
        return html`<div key=${name}><dt>${name}${field && field !== name ? html`<small>${field}</small>` : ""}</dt>
          <dd>${row.key_parts[name] ? html`<${KeyText} parts=${row.key_parts[name]} />` : html`<${Value} value=${row.item[name]} full />`}</dd></div>`;
      })}
    </dl>
  <//>`;
}
