// Items: a partition as an item collection, and the same items in every index.
import { html, useLayoutEffect, useMemo, useState } from "../lib.js";
import { Command } from "../parts/command.js";
import { keyId, partitionHref } from "../parts/item_links.js";
import { raw } from "../parts/item_actions.js";
import { Empty, Page, Problem, Select, Tabs } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { follow, href, route } from "../parts/router.js";
import { design, entity as entityOf, table as tableOf } from "../parts/state.js";
import { Text } from "../parts/values.js";
import { addressOf, bodyOf, change, isFiltered, NO_FILTERS } from "./items_address.js";
import { Details } from "./items_details.js";
import { Filters } from "./items_filters.js";
import { Asked, ItemsGrid, PartitionsGrid } from "./items_grid.js";
import { useItems } from "./items_loading.js";

export default function View() {
  const address = addressOf(route.value);
  const table = tableOf(address.table);
  if (!table) {
    return html`<${Page} title="Items" css="items"><${Empty} title=${`The design has no table ${address.table}`}>
      <p>Choose one: ${design.value.tables.map((/** @type {any} */ each) => html`<a key=${each.name} href=${href("items", [each.name])}>${each.name}</a> `)}</p><//><//>`;
  }
  return html`<${Items} address=${address} table=${table} />`;
}

/** @param {{address: import("./items_address.js").Address, table: any}} props */
function Items({ address, table }) {
  const patterns = useLoad("/items/key-patterns");
  const body = bodyOf(address);
  const key = JSON.stringify(body);
  const pages = useItems(address.groups ? "/items/partitions" : "/items/read", useMemo(() => body, [key]));
  const [version, setVersion] = useState(0);
  /** @param {any} row */
  const open = (row) => change(address, { item: keyId(row.key) });
  /** @param {any} row @param {string} pressed */
  function press(row, pressed) {
    if (pressed !== "r" || address.item === keyId(row.key)) return;
    raw.value = false; // the panel, which receives the same key, switches it on
    if (address.item === null) raw.value = true;
    open(row);
  }
  useLayoutEffect(() => {
    raw.value = false;
  }, [address.table]);
  const panel = address.item && html`<${Details} table=${address.table} item=${address.item} version=${version} onClose=${() => change(address, { item: null })} />`;
  return html`<${Page} title="Items" css="items" stale=${pages.stale && pages.rows.length > 0} panel=${panel}
      toolbar=${html`<${Toolbar} address=${address} table=${table} onReload=${() => (pages.reload(), setVersion(version + 1))} />`}>
    <${Location} address=${address} table=${table} />
    <${Filters} address=${address} patterns=${patterns.data?.patterns ?? []} attributes=${pages.attributes.names} />
    <${Places} address=${address} table=${table} />
    <${Problem} error=${pages.error} onRetry=${pages.reload} />
    ${isEmpty(pages) ? html`<${Nothing} address=${address} pages=${pages} />` : pages.groups
      ? html`<${PartitionsGrid} address=${address} pages=${pages} onOpen=${(/** @type {any} */ row) => follow(partitionHref(address.table, row.partition, address.index))} />`
      : html`<${ItemsGrid} address=${address} pages=${pages} onOpen=${open} onKey=${press} />`}
  <//>`;
}

/**
 * Whether items of other kinds are derived from an entity.
 * @param {string} name
 */
const hasDependents = (name) => Boolean(entityOf(name)?.copies.length || entityOf(name)?.fields.some((/** @type {any} */ field) => field.unique));

/** @param {import("./items_loading.js").Pages} pages */
const isEmpty = (pages) => !pages.rows.length && pages.complete && !pages.stale;

/** @param {{address: import("./items_address.js").Address, table: any, onReload: () => void}} props */
function Toolbar({ address, table, onReload }) {
  const entities = table.entities.flatMap((/** @type {string} */ name) => [
    { value: `${name} entity`, title: name },
    ...(hasDependents(name) ? [{ value: `${name} `, title: `${name} with copies and locks` }] : []),
    ...(address.entity === name && ["copy", "lock"].includes(address.role) ? [{ value: `${name} ${address.role}`, title: `${name}, ${address.role === "copy" ? "copies" : "locks"} only` }] : []),
  ]);
  const isOne = address.entity && !address.role && !hasDependents(address.entity);
  const choice = address.role === "unknown" ? "?" : address.entity ? `${address.entity} ${isOne ? "entity" : address.role}` : "";
  return html`
    <${Select} label="Table" value=${address.table} options=${design.value.tables.map((/** @type {any} */ each) => each.name)} onChange=${(/** @type {string} */ name) => change(address, { table: name })} />
    <${Select} label="Entity" value=${choice} options=${[{ value: "", title: "all" }, ...entities, { value: "?", title: "unknown items" }]}
      onChange=${(/** @type {string} */ chosen) => change(address, chosen === "?" ? { entity: "", role: "unknown" } : { entity: chosen.split(" ")[0], role: chosen.split(" ")[1] ?? "" })} />
    ${address.partition === null
      ? html`<${Select} label="List" value=${address.groups ? "partitions" : "items"} options=${["items", "partitions"]} onChange=${(/** @type {string} */ list) => change(address, { groups: list === "partitions" })} />`
      : html`<${Select} label="Order" value=${address.descending ? "last" : "first"} options=${[{ value: "first", title: "first to last" }, { value: "last", title: "last to first" }]} onChange=${(/** @type {string} */ order) => change(address, { descending: order === "last" })} />`}
    <button onClick=${onReload}>Reload</button>`;
}

/** @param {{address: import("./items_address.js").Address, table: any}} props */
function Location({ address, table }) {
  const whole = href("items", [address.table], { index: address.index });
  if (!address.partition && !address.prefix) return null; // the toolbar and the tabs say which table and index
  const names = address.index ? table.indexes.find((/** @type {any} */ index) => index.name === address.index).partition : [table.key[0]];
  return html`<nav class="location" aria-label="Location">
    ${address.partition ? html`<a href=${whole}>${address.table}${address.index ? ` · ${address.index}` : ""}</a>` : html`<b>${address.table}${address.index ? ` · ${address.index}` : ""}</b>`}
    ${address.partition?.map((text, at) => html`<span key=${at}><span class="dim"> › ${names[at]} = </span><code class="key"><b><${Text} text=${text} /></b></code></span>`)}
    ${address.prefix && html`<span class="dim">key begins with <code class="key"><b><${Text} text=${address.prefix} /></b></code></span>`}
  </nav>`;
}

/**
 * The table and its indexes: where the same items are read from, or compared with.
 * @param {{address: import("./items_address.js").Address, table: any}} props
 */
function Places({ address, table }) {
  if (!table.indexes.length) return null;
  const source = address.index ?? "table";
  const tabs = ["table", ...table.indexes.map((/** @type {any} */ index) => index.name)].map((id) => ({ id, title: id === "table" ? "Table" : id }));
  /** @param {string} id */
  function select(id) {
    if (address.partition !== null) change(address, { seen: id === source ? null : id, item: address.item });
    else change(address, { index: id === "table" ? null : id, sort: [], prefix: "" });
  }
  return html`<${Tabs} label="Table and indexes" tabs=${tabs} selected=${address.seen ?? source} onSelect=${select} />`;
}

/** @param {{address: import("./items_address.js").Address, pages: import("./items_loading.js").Pages}} props */
function Nothing({ address, pages }) {
  if (isFiltered(address)) {
    return html`<${Empty} title="No item matches"><${Asked} pages=${pages}>${pages.totals.examined.toLocaleString("en")} items were examined<//>
      <p><button onClick=${() => change(address, NO_FILTERS)}>Clear filters</button></p><//>`;
  }
  if (address.partition) {
    return html`<${Empty} title="This partition has no items"><p>A key must be exact, with upper and lower case. <a href=${href("items", [address.table])}>All items of ${address.table}</a></p><//>`;
  }
  if (address.index) return html`<${Empty} title=${`No item is in ${address.index}`}><p>An item is in an index if it has all its key attributes.</p><//>`;
  return html`<${Empty} title="This table has no items"><p>Write sample data that the access patterns of the design find:</p>
    <${Command} text=${design.value.commands.samples} /><//>`;
}
