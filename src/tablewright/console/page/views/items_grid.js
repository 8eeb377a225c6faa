// The rows of the items view: entities in their colours, keys in parts, attributes as columns.
import { html, useMemo, useState } from "../lib.js";
import { Grid } from "../parts/grid.js";
import { keyId, keyText, partitionHref } from "../parts/item_links.js";
import { Button } from "../parts/layout.js";
import { entity as entityOf, hue, table as tableOf } from "../parts/state.js";
import { EntityName, KeyText, Size, Text, Value, sizeText, valueText } from "../parts/values.js";
import { change } from "./items_address.js";

const LEAST_COLUMNS = 7;
const MOST_COLUMNS = 20;
/** About how many cells the document may have: a short list shows more columns. */
const CELLS = 420;
const MOST_ROWS = 44;
const SAMPLE = 60;
/** @type {Map<string, Set<string>>} the columns that were chosen for each table */
const chosen = new Map();

/**
 * The attributes of the loaded rows, most used first; keys and the type have columns of their own.
 * @param {import("./items_loading.js").Pages} pages
 * @param {any} table
 */
export function attributesOf(pages, table) {
  const own = new Set([...table.key, table.discriminator, "_of", "_kept"]);
  const derived = new Set(Object.keys(table.types));
  const fields = table.entities.flatMap((/** @type {string} */ name) => entityOf(name)?.fields ?? []);
  const automatic = new Set(fields.filter((/** @type {any} */ each) => each.automatic).map((/** @type {any} */ each) => each.attribute));
  /** @param {[string, number]} entry */
  const weight = ([name, count]) => count * (derived.has(name) ? 1e-6 : name === table.ttl ? 0.2 : automatic.has(name) ? 0.5 : 1);
  return [...pages.names.entries()]
    .filter(([name]) => !own.has(name))
    .sort((left, right) => weight(right) - weight(left))
    .map(([name]) => name);
}

/**
 * @param {{address: import("./items_address.js").Address, pages: import("./items_loading.js").Pages,
 *   onOpen: (row: any) => void, onKey: (row: any, key: string) => void}} props
 */
export function ItemsGrid({ address, pages, onOpen, onKey }) {
  const table = tableOf(address.table);
  const [, redraw] = useState(0);
  const attributes = attributesOf(pages, table);
  const fitting = Math.floor(CELLS / Math.max(1, Math.min(pages.rows.length, MOST_ROWS)));
  const many = Math.max(LEAST_COLUMNS, Math.min(MOST_COLUMNS, fitting));
  const shown = chosen.get(address.table) ?? new Set(attributes.slice(0, many));
  const columns = useMemo(
    () => [...keyColumns(address, table, pages), ...attributes.filter((name) => shown.has(name)).map((name) => attributeColumn(name, pages.rows))],
    [pages.rows.length > 0, JSON.stringify({ ...address, item: null }), table, pages.rows, attributes.join("\n"), [...shown].join("\n")],
  );
  return html`<div class="items-tools">
      <${Totals} pages=${pages} />
      <${Legend} address=${address} pages=${pages} />
      <${Columns} all=${attributes} shown=${shown} onChange=${(/** @type {Set<string> | null} */ names) => {
        if (names) chosen.set(address.table, names);
        else chosen.delete(address.table);
        redraw((each) => each + 1);
      }} />
    </div>
    <${Grid} label="Items" columns=${columns} rows=${pages.rows} selected=${address.item}
      rowKey=${(/** @type {any} */ row, /** @type {number} */ index) => (row ? keyId(row.key) : `dropped ${index}`)}
      rowClass=${rowClass}
      onOpen=${(/** @type {any} */ row) => row && onOpen(row)} onKey=${(/** @type {any} */ row, /** @type {string} */ key) => row && onKey(row, key)}
      onMore=${pages.more} onRange=${pages.inSight} footer=${html`<${Progress} pages=${pages} />`} />`;
}

/** @param {any} row */
function rowClass(row) {
  if (!row) return "dropped";
  const state = row.seen && row.seen.state !== "present" ? row.seen.state : "";
  return `item ${hue(row.entity)} ${row.expired ? "expired" : ""} ${row.problem ? "invalid" : ""} ${state}`;
}

/**
 * @param {import("./items_address.js").Address} address
 * @param {any} table
 * @param {import("./items_loading.js").Pages} pages
 * @returns {import("../parts/grid.js").Column[]}
 */
function keyColumns(address, table, pages) {
  const [partition, sort] = table.key;
  const index = table.indexes.find((/** @type {any} */ each) => each.name === address.index);
  const seen = table.indexes.find((/** @type {any} */ each) => each.name === address.seen);
  const found = [entityColumn()];
  if (address.seen) found.push(stateColumn());
  for (const name of index ? [...(address.partition ? [] : index.partition), ...index.sort] : []) {
    const isPartition = index.partition.includes(name) && index.partition.length === 1;
    found.push(keyColumn(name, (row) => row.key_parts[name], isPartition ? (row) => partitionHref(address.table, [keyText(row.item[name])], index.name) : null, pages.rows));
  }
  const lensed = seen && seen !== index ? [...seen.partition, ...seen.sort] : [];
  for (const name of lensed) {
    const isPartition = seen.partition.includes(name) && seen.partition.length === 1;
    found.push(keyColumn(name, (row) => row.seen?.key_parts?.[name], isPartition ? (row) => partitionHref(address.table, [keyText(row.seen.key[name])], seen.name) : null, pages.rows));
  }
  const isOwn = address.partition !== null && !index;
  if (!isOwn) found.push(keyColumn(partition, (row) => row.key_parts[partition], (row) => partitionHref(address.table, [keyText(row.key[partition])]), pages.rows, true));
  if (sort) found.push(keyColumn(sort, (row) => row.key_parts[sort], null, pages.rows));
  found.push({ id: "size", title: "Size", width: "68px", number: true, cell: (row) => row && html`<${Size} bytes=${row.size} />` });
  return found;
}

/** @returns {import("../parts/grid.js").Column} */
function entityColumn() {
  return {
    id: "entity",
    title: "Entity",
    width: "minmax(160px, 0.7fr)",
    cell: (row) => {
      if (!row) return "…";
      return html`<${EntityName} name=${row.entity} role=${row.role} />${row.expired && html` <span class="tag warn">expired</span>`}${row.problem && html` <span class="tag bad" title=${row.problem}>problem</span>`}`;
    },
  };
}

/** @returns {import("../parts/grid.js").Column} */
function stateColumn() {
  return {
    id: "state",
    title: "State",
    width: "96px",
    cell: (row) => row?.seen && html`<span class=${`tag ${STATES[row.seen.state]}`} title=${row.seen.why}>${row.seen.state}</span>`,
  };
}

/** @type {Record<string, string>} */
export const STATES = { present: "good", absent: "", lagging: "warn", unchecked: "" };

/**
 * @param {string} name
 * @param {(row: any) => any} parts
 * @param {((row: any) => string) | null} link to the partition
 * @param {any[]} rows
 * @param {boolean} [dims] whether a partition key that is the same as above is dim
 * @returns {import("../parts/grid.js").Column}
 */
function keyColumn(name, parts, link, rows, dims = false) {
  return {
    id: `key ${name}`,
    title: html`<code>${name}</code>`,
    width: widthOf(name, rows, (row) => parts(row)?.map((/** @type {any} */ each) => each.text).join(""), 7.4, 34),
    cell: (row, at) => {
      const found = row && parts(row);
      if (!found) return "";
      if (!link) return html`<${KeyText} parts=${found} link=${(/** @type {string} */ field) => linkOf(row, field)} />`;
      const above = dims && rows[at - 1];
      const same = above && keyText(above.key[name]) === keyText(row.key[name]);
      return html`<a class=${same ? "partition same" : "partition"} href=${link(row)} title="Open this partition"><${KeyText} parts=${found} /></a>`;
    },
  };
}

/**
 * @param {any} row
 * @param {string} field
 */
function linkOf(row, field) {
  const link = row.links[field];
  return link ? partitionHref(link.table, link.partition) : null;
}

/**
 * The width of a column, by the texts of the first rows.
 * @param {string} name
 * @param {any[]} rows
 * @param {(row: any) => string | undefined} text
 * @param {number} pixels of a character
 * @param {number} most characters
 */
function widthOf(name, rows, text, pixels, most) {
  const lengths = rows.slice(0, SAMPLE).map((row) => (row ? (text(row) ?? "").length : 0));
  const width = Math.round(Math.min(most, Math.max(name.length, 7, ...lengths)) * pixels) + 18;
  return `minmax(${width}px, ${width}fr)`;
}

/**
 * @param {any} row
 * @param {string} attribute
 */
function attributeLink(row, attribute) {
  const field = entityOf(row.entity)?.fields.find((/** @type {any} */ each) => each.attribute === attribute)?.name;
  return field && ("S" in row.item[attribute] || "N" in row.item[attribute]) ? (row.links[field] ?? null) : null;
}

/**
 * @param {string} name
 * @param {any[]} rows
 * @returns {import("../parts/grid.js").Column}
 */
function attributeColumn(name, rows) {
  return {
    id: `attribute ${name}`,
    title: html`<span title=${name}><${Text} text=${name.slice(0, 60)} /></span>`,
    width: widthOf(name, rows, (row) => row.item[name] && valueText(row.item[name]), 7.4, 26),
    cell: (row) => {
      if (!row || row.item[name] === undefined) return "";
      const link = attributeLink(row, name);
      const value = html`<${Value} value=${row.item[name]} />${row.cut.includes(name) ? "…" : ""}`;
      return link ? html`<a class="reference" href=${partitionHref(link.table, link.partition)} title=${`Open this ${link.entity}`}>${value}</a>` : value;
    },
  };
}

/**
 * The entities of the loaded rows; a click shows only one.
 * @param {{address: import("./items_address.js").Address, pages: import("./items_loading.js").Pages}} props
 */
function Legend({ address, pages }) {
  /** @param {string} name */
  function choose(name) {
    if (name) change(address, { entity: address.entity === name ? "" : name, role: "" });
    else change(address, { entity: "", role: address.role ? "" : "unknown" });
  }
  const counts = [...pages.entities.entries()].sort(([, left], [, right]) => right - left);
  return html`<div class="legend" role="group" aria-label="Entities">
    ${counts.map(([name, count]) => html`<button class="link" key=${name} title="Show only these items" aria-pressed=${name !== "" && address.entity === name} onClick=${() => choose(name)}>
      <${EntityName} name=${name || null} />${" "}<span class="dim number">${count.toLocaleString("en")}</span></button>`)}
  </div>`;
}

/** @param {{pages: import("./items_loading.js").Pages}} props */
function Totals({ pages }) {
  const { examined, returned, capacity } = pages.totals;
  const units = capacity.toLocaleString("en", { maximumFractionDigits: 1 });
  return html`<p class="totals" role="status">
    <b class="number">${returned.toLocaleString("en")}</b>${` ${returned === 1 ? "item" : "items"}${pages.complete ? "" : " so far"}, ${examined.toLocaleString("en")} examined, ${units} read units`}
  </p>`;
}

/** @param {{pages: import("./items_loading.js").Pages}} props */
export function Progress({ pages }) {
  if (pages.loading) return "Loading…";
  if (pages.complete || pages.error) return null;
  return html`${pages.totals.examined.toLocaleString("en")} items examined so far. <${Button} onClick=${pages.more}>Read on<//>`;
}

/** @param {{all: string[], shown: Set<string>, onChange: (names: Set<string> | null) => void}} props */
function Columns({ all, shown, onChange }) {
  const [open, setOpen] = useState(false);
  const hidden = all.filter((name) => !shown.has(name)).length;
  /** @param {string} name */
  function toggle(name) {
    const next = new Set(shown);
    if (!next.delete(name)) next.add(name);
    onChange(next);
  }
  return html`<details class="columns" open=${open} onToggle=${(/** @type {any} */ event) => setOpen(event.currentTarget.open)}>
    <summary>Columns${hidden ? html` <small>${hidden} hidden</small>` : ""}</summary>
    ${open && html`<div class="columns-list" role="group" aria-label="Columns">
      <div class="toolbar"><button class="link" onClick=${() => onChange(new Set(all))}>All</button><button class="link" onClick=${() => onChange(new Set())}>None</button><button class="link" onClick=${() => onChange(null)}>Most used</button></div>
      ${all.slice(0, 200).map((name) => html`<label key=${name}><input type="checkbox" checked=${shown.has(name)} onChange=${() => toggle(name)} /> <${Text} text=${name.slice(0, 60)} /></label>`)}
    </div>`}
  </details>`;
}

/**
 * @param {{address: import("./items_address.js").Address, pages: import("./items_loading.js").Pages, onOpen: (row: any) => void}} props
 */
export function PartitionsGrid({ address, pages, onOpen }) {
  const table = tableOf(address.table);
  const index = table.indexes.find((/** @type {any} */ each) => each.name === address.index);
  const names = index ? index.partition : [table.key[0]];
  const columns = [
    ...names.map((/** @type {string} */ name) => ({
      id: name,
      title: html`<code>${name}</code>`,
      width: "minmax(220px, 1.5fr)",
      cell: (/** @type {any} */ row) => html`<a class="partition" href=${partitionHref(address.table, row.partition, address.index)} title="Open this partition"><${KeyText} parts=${row.key_parts[name]} /></a>`,
    })),
    { id: "items", title: "Items", width: "80px", number: true, cell: (/** @type {any} */ row) => row.items.toLocaleString("en") },
    { id: "size", title: "Size", width: "80px", number: true, cell: (/** @type {any} */ row) => sizeText(row.size) },
    {
      id: "entities",
      title: "Entities",
      width: "minmax(280px, 2fr)",
      cell: (/** @type {any} */ row) => Object.entries(row.entities).map(([name, count]) => html`<span class="entity-count" key=${name}><${EntityName} name=${name || null} /> ${count}</span>`),
    },
  ];
  return html`<div class="items-tools"><p class="totals" role="status"><b class="number">${pages.rows.length.toLocaleString("en")}</b> partitions${pages.complete ? "" : " so far"}, <span class="number">${pages.totals.examined.toLocaleString("en")}</span> items examined</p></div>
    <${Grid} label="Partitions" columns=${columns} rows=${pages.rows} rowKey=${(/** @type {any} */ row) => JSON.stringify(row.partition)}
      onOpen=${onOpen} onMore=${pages.more} footer=${html`<${Progress} pages=${pages} />`} />`;
}
