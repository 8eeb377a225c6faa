// Results: items of any read as rows with their entities, keys and attributes, and the details of one.
import { html, useMemo, useRef, useState } from "../lib.js";
import { Code } from "./code.js";
import { Grid } from "./grid.js";
import { Panel, Section, Tabs } from "./layout.js";
import { Pin } from "./pinned.js";
import { href } from "./router.js";
import { hue, table as tableOf } from "./state.js";
import { EntityName, KeyText, Size, TYPES, Text, Value, entityClass, entityText, escaped, jsonText, keyPieces, valueKind, valuePiece, valueText } from "./values.js";

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

/**
 * @param {string} name
 * @param {boolean} isKey
 * @returns {import("./grid.js").Column}
 */
function columnOf(name, isKey) {
  return {
    id: name,
    title: escaped(name),
    width: isKey ? "minmax(180px, 1.4fr)" : "minmax(120px, 1fr)",
    pinned: isKey,
    cellClass: (row) => (row.key_parts[name] ? "key" : `type-${valueKind(row.item[name])}`),
    cellTitle: (row) => (row.key_parts[name] ? undefined : TYPES[valueKind(row.item[name])]),
    cell: (row) => (row.key_parts[name] ? keyPieces(row.key_parts[name]) : valuePiece(row.item[name])),
  };
}

/** @type {import("./grid.js").Column} */
const ENTITY = { id: " entity", title: "Entity", width: "150px", pinned: true, cellClass: entityClass, cell: entityText };

/** @type {import("./grid.js").Column} */
const SCORE = { id: " score", title: "Score", width: "100px", pinned: true, cell: (row) => (row.score ?? "").toString().slice(0, 10) };

/** @type {import("./grid.js").Column} */
const TABLE = { id: " table", title: "Table", width: "160px", pinned: true, cell: (row) => row.table };

/**
 * The columns of rows: keys, then attributes, then the keys of other indexes.
 * @param {any[]} rows
 * @param {string | null} index
 */
function columnsOf(rows, index) {
  const all = [...new Set(rows.flatMap((row) => keyOrder(row)))];
  const first = new Set(rows.flatMap((row) => [...Object.keys(row.key), ...indexKey(row.table, index)]));
  const keys = all.filter((name) => first.has(name));
  const others = all.filter((name) => !first.has(name));
  const tables = new Set(rows.map((row) => row.table));
  const hidden = new Set([...tables].map((name) => tableOf(name)?.discriminator));
  const names = attributesOf(rows).filter((name) => !hidden.has(name));
  const attributes = names.slice(0, MOST_COLUMNS);
  const columns = [
    ENTITY,
    ...(rows.some((row) => row.score !== undefined) ? [SCORE] : []),
    ...(tables.size > 1 ? [TABLE] : []),
    ...keys.map((name) => columnOf(name, true)),
    ...[...attributes, ...others].map((name) => columnOf(name, false)),
  ];
  return { columns, more: names.length - attributes.length };
}

/**
 * The same columns in the order that they had before; new ones follow.
 * @param {import("./grid.js").Column[]} before
 * @param {import("./grid.js").Column[]} now
 */
function inOrder(before, now) {
  const known = new Map(before.map((each, at) => [each.id, at]));
  const place = (/** @type {import("./grid.js").Column} */ each) => known.get(each.id) ?? before.length;
  return [...now].sort((one, other) => place(one) - place(other));
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
  const before = useRef({ first: /** @type {any} */ (null), columns: /** @type {import("./grid.js").Column[]} */ ([]) });
  const { columns, more } = useMemo(() => {
    const found = columnsOf(rows, index);
    // Further pages of the same rows keep the columns where they are.
    if (rows[0] === before.current.first) found.columns = inOrder(before.current.columns, found.columns);
    before.current = { first: rows[0], columns: found.columns };
    return found;
  }, [rows, index]);
  return html`<${Grid} label=${label} columns=${columns} rows=${rows}
    selected=${selected === null ? null : String(selected)}
    rowClass=${(/** @type {any} */ row) => `result ${hue(row.entity)} ${row.problem || row.expected === false ? "unexpected" : ""}`}
    onOpen=${(/** @type {any} */ _, /** @type {number} */ at) => onOpen(at)}
    footer=${more > 0 ? html`${footer} <span>${more} more attributes are in the details of each item.</span>` : footer} />`;
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
 * The figures of a read; a click shows where they come from.
 * @param {{label: string, onOpen: () => void, children?: any}} props
 */
export const Counts = ({ label, onOpen, children }) => html`<button class="counts-source" title=${label} onClick=${onOpen}>${children}</button>`;

/**
 * The details of an item.
 * @param {{row: any, onClose: () => void}} props
 */
export function ItemPanel({ row, onClose }) {
  const [tab, setTab] = useState("attributes");
  const partition = Object.values(row.key)[0];
  const title = html`<${EntityName} name=${row.entity} role=${row.role} />`;
  const open = partition && html`<a href=${href("items", [row.table, valueText(partition)])}>Open its partition</a>
    <${Pin} table=${row.table} itemKey=${row.key} onPin=${onClose} />`;
  return html`<${Panel} title=${title} onClose=${onClose} actions=${open}>
    <div class="result-title">${Object.keys(row.key).length ? html`<${ItemKey} row=${row} />` : html`<span class="dim">without its key</span>`} <small><${Size} bytes=${row.size} /></small></div>
    ${row.expected === false && html`<p class="warn">The pattern does not return this item: db.run lists it as unknown.</p>`}
    ${row.problem && html`<p class="warn">${row.problem}</p>`}
    <${Tabs} label="Forms of the item" selected=${tab} onSelect=${setTab}
      tabs=${[{ id: "attributes", title: "Attributes" }, { id: "json", title: "DynamoDB JSON" }]} />
    ${tab === "attributes" ? html`<${Attributes} row=${row} />` : html`<${Code} label="The item in DynamoDB's JSON" text=${jsonText(row.item)} />`}
  <//>`;
}

/** @param {{row: any}} props */
const ItemKey = ({ row }) =>
  html`<span class="item-key-line">${Object.keys(row.key).map((name) => html`<${KeyText} key=${name} parts=${row.key_parts[name] ?? [{ text: valueText(row.key[name]), field: null }]} /> `)}</span>`;

/** @param {{row: any}} props */
function Attributes({ row }) {
  const names = [...keyOrder(row), ...Object.keys(row.item).filter((name) => !(name in row.key_parts))];
  return html`<${Section} title="Attributes">
    <table class="attributes"><tbody>
      ${names.filter((name) => name in row.item).map((name) => {
        const field = row.attributes[name];
        const kind = valueKind(row.item[name]);
        return html`<tr key=${name}><th scope="row" title=${field && field !== name ? `field ${field}` : undefined}><${Text} text=${name} /> <small title=${TYPES[kind]}>${kind === "HIDDEN" ? "" : kind}</small></th>
          <td>${row.key_parts[name] ? html`<${KeyText} parts=${row.key_parts[name]} />` : html`<${Value} value=${row.item[name]} full />`}</td></tr>`;
      })}
    </tbody></table>
  <//>`;
}
