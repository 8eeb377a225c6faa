// The rows of the items view: entities in their colours, keys in parts, attributes as columns.
import { h, html, useMemo, useState } from "../lib.js";
import { Grid } from "../parts/grid.js";
import { keyId, keyText, linkHref, partitionHref } from "../parts/item_links.js";
import { Button, Code } from "../parts/layout.js";
import { entity as entityOf, hue, table as tableOf } from "../parts/state.js";
import { EntityName, KeyText, TYPES, Text, bytesText, entityClass, entityText, escaped, jsonText, keyPieces, sizeText, valueKind, valuePiece } from "../parts/values.js";
import { change } from "./items_address.js";

/** How many attributes are shown unless others were chosen, and how many characters of a key. */
const MOST_COLUMNS = 20;
const LONGEST_KEY = 34;
/** @type {Map<string, Set<string>>} the columns that were chosen for each table */
const chosen = new Map();

/**
 * @param {{address: import("./items_address.js").Address, pages: import("./items_loading.js").Pages,
 *   onOpen: (row: any) => void, onKey: (row: any, key: string) => void}} props
 */
export function ItemsGrid({ address, pages, onOpen, onKey }) {
  const table = tableOf(address.table);
  const [, redraw] = useState(0);
  const attributes = pages.attributes.names;
  const shown = chosen.get(address.table) ?? new Set(attributes.slice(0, MOST_COLUMNS));
  const columns = useMemo(
    () => [...keyColumns(address, table, pages), ...attributes.filter((name) => shown.has(name)).map((name) => attributeColumn(name, pages.attributes))],
    [pages.rows.length > 0, JSON.stringify({ ...address, item: null }), table, pages.rows, attributes, [...shown].join("\n")],
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
      rowKey=${rowKey} rowClass=${rowClass}
      onOpen=${(/** @type {any} */ row) => row && onOpen(row)} onKey=${(/** @type {any} */ row, /** @type {string} */ key) => row && onKey(row, key)}
      onMore=${pages.more} onRange=${pages.inSight} footer=${progress(pages)} />`;
}

/**
 * @param {any} row
 * @param {number} index
 */
const rowKey = (row, index) => (row ? keyId(row.key) : `dropped ${index}`);

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
    found.push(keyColumn(name, (row) => row.key_parts[name], isPartition ? (row) => partitionHref(address.table, [keyText(row.item[name])], index.name) : null, pages));
  }
  const lensed = seen && seen !== index ? [...seen.partition, ...seen.sort] : [];
  for (const name of lensed) {
    const isPartition = seen.partition.includes(name) && seen.partition.length === 1;
    found.push(keyColumn(name, (row) => row.seen?.key_parts?.[name], isPartition ? (row) => partitionHref(address.table, [keyText(row.seen.key[name])], seen.name) : null, pages));
  }
  const isOwn = address.partition !== null && !index;
  if (!isOwn) found.push(keyColumn(partition, (row) => row.key_parts[partition], (row) => partitionHref(address.table, [keyText(row.key[partition])]), pages, true));
  if (sort) found.push(keyColumn(sort, (row) => row.key_parts[sort], null, pages));
  found.push({ id: "size", title: "Size", width: "68px", number: true, cell: (row) => row && sizeText(row.size), cellTitle: (row) => row && bytesText(row.size) });
  return found;
}

/** @returns {import("../parts/grid.js").Column} */
function entityColumn() {
  return {
    id: "entity",
    title: "Entity",
    width: "160px",
    pinned: true,
    cellClass: entityClass,
    cell: (row) => {
      if (!row) return "…";
      if (!row.expired && !row.problem) return entityText(row);
      return [entityText(row), row.expired && html`<span class="tag warn">expired</span>`, row.problem && html`<span class="tag bad" title=${row.problem}>problem</span>`];
    },
  };
}

/** @returns {import("../parts/grid.js").Column} */
function stateColumn() {
  return {
    id: "state",
    title: "State",
    width: "96px",
    pinned: true,
    cell: (row) => row?.seen && html`<span class=${`tag ${STATES[row.seen.state]}`} title=${row.seen.why}>${row.seen.state}</span>`,
  };
}

/** @type {Record<string, string>} */
export const STATES = { present: "good", absent: "", lagging: "warn", unchecked: "" };

/**
 * @param {string} name
 * @param {(row: any) => any} parts
 * @param {((row: any) => string) | null} link to the partition
 * @param {import("./items_loading.js").Pages} pages
 * @param {boolean} [dims] whether a partition key that is the same as above is dim
 * @returns {import("../parts/grid.js").Column}
 */
function keyColumn(name, parts, link, { rows, attributes }, dims = false) {
  const text = (/** @type {any} */ row) => (parts(row) ?? []).map((/** @type {any} */ part) => part.text).join("");
  return {
    id: `key ${name}`,
    title: name,
    width: attributes.keyWidth(`key ${name}`, name, rows, text, LONGEST_KEY),
    pinned: true,
    cellClass: () => "key",
    cell: (row, at) => {
      const found = row && parts(row);
      if (!found) return "";
      if (!link) return keyPieces(found, (field) => linkOf(row, field));
      const above = dims && rows[at - 1];
      const same = above && keyText(above.key[name]) === keyText(row.key[name]);
      return h("a", { class: "partition", href: link(row), title: "Open this partition" }, same ? escaped(text(row)) : keyPieces(found));
    },
  };
}

/**
 * @param {any} row
 * @param {string} field
 */
function linkOf(row, field) {
  const link = row.links[field];
  return link ? linkHref(link) : null;
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
 * @param {import("./items_columns.js").AttributeColumns} attributes
 * @returns {import("../parts/grid.js").Column}
 */
function attributeColumn(name, attributes) {
  return {
    id: `attribute ${name}`,
    title: escaped(name.slice(0, 60)),
    hint: name,
    width: attributes.widths.get(name),
    cellClass: (row) => `type-${valueKind(row.item[name])}`,
    cellTitle: (row) => row && TYPES[valueKind(row.item[name])],
    cell: (row) => {
      const value = row?.item[name];
      if (value === undefined) return "";
      const link = attributeLink(row, name);
      const piece = row.cut.includes(name) ? [valuePiece(value), "…"] : valuePiece(value);
      return link ? h("a", { class: "reference", href: linkHref(link), title: `Open this ${link.entity}` }, piece) : piece;
    },
  };
}

/**
 * The entities of the loaded rows; a click shows only one.
 * @param {{address: import("./items_address.js").Address, pages: import("./items_loading.js").Pages}} props
 */
function Legend({ address, pages }) {
  /** @param {string} name @param {string} role */
  function choose(name, role) {
    const isChosen = address.entity === name && address.role === role;
    change(address, isChosen ? { entity: "", role: "" } : { entity: name, role });
  }
  const counts = [...pages.entities.entries()].sort(([, left], [, right]) => right - left);
  return html`<div class="legend" role="group" aria-label="Entities">
    ${counts.map(([kind, count]) => {
      const [name, role = name ? "entity" : "unknown"] = kind.split(" ");
      return html`<button class="link" key=${kind} title="Show only these items" aria-pressed=${address.entity === name && address.role === role} onClick=${() => choose(name, role)}>
      <${EntityName} name=${name || null} role=${role} />${" "}<span class="dim number">${count.toLocaleString("en")}</span></button>`;
    })}
  </div>`;
}

/** @param {{pages: import("./items_loading.js").Pages}} props */
function Totals({ pages }) {
  const { examined, returned, capacity } = pages.totals;
  const units = capacity.toLocaleString("en", { maximumFractionDigits: 1 });
  return html`<${Asked} pages=${pages}><span class="totals" role="status">
    <b class="number">${returned.toLocaleString("en")}</b>${` ${returned === 1 ? "item" : "items"}${pages.complete ? "" : " so far"}, ${examined.toLocaleString("en")} examined, ${units} read units`}
  </span><//>`;
}

/**
 * Figures of a read; a click shows the request that they come from.
 * @param {{pages: import("./items_loading.js").Pages, children?: any}} props
 */
export function Asked({ pages, children }) {
  if (!pages.request) return html`<span>${children}</span>`;
  const { operation, request } = pages.request;
  const text = jsonText(request);
  return html`<details class="request" key=${text}><summary title="Show the request">${children} <span class="tag">${operation}</span></summary>
    <${Code} label="Request" text=${text} /></details>`;
}

/** @param {import("./items_loading.js").Pages} pages */
function progress(pages) {
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
  const own = index ? index.partition : [table.key[0]];
  const names = pages.rows.length ? Object.keys(pages.rows[0].key_parts) : own; // rows of the last address stay until new ones arrive
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
      cell: (/** @type {any} */ row) => Object.entries(row.entities).map(([kind, count]) => html`<span class="entity-count" key=${kind}><${EntityName} name=${kind.split(" ")[0] || null} role=${kind.split(" ")[1]} /> ${count}</span>`),
    },
  ];
  return html`<div class="items-tools"><${Asked} pages=${pages}><span class="totals" role="status"><b class="number">${pages.rows.length.toLocaleString("en")}</b> partitions${pages.complete ? "" : " so far"}, <span class="number">${pages.totals.examined.toLocaleString("en")}</span> items examined</span><//></div>
    <${Grid} label="Partitions" columns=${columns} rows=${pages.rows} rowKey=${(/** @type {any} */ row) => JSON.stringify(row.partition)}
      onOpen=${onOpen} onMore=${pages.more} footer=${progress(pages)} />`;
}
