// The address of the items view: what is read, and how it is filtered, as parameters that can be linked.
import { design, table as tableOf } from "../parts/state.js";
import { go } from "../parts/router.js";

/**
 * @typedef {object} Address
 * @property {string} table
 * @property {string | null} index
 * @property {string[] | null} partition
 * @property {string | null} seen
 * @property {string} entity
 * @property {string} role
 * @property {string} prefix
 * @property {string[]} sort the operator and its values
 * @property {boolean} descending
 * @property {string} filter
 * @property {any[]} where
 * @property {boolean} groups whether partitions are listed in place of items
 * @property {string | null} item the primary key of the item in the details panel, as JSON
 */

/**
 * @param {import("../parts/router.js").Route} route
 * @returns {Address}
 */
export function addressOf(route) {
  const { path, params } = route;
  const first = design.value.tables.find((/** @type {any} */ each) => each.entities.length) ?? design.value.tables[0];
  const byEntity = design.value.entities.find((/** @type {any} */ entity) => entity.name === params.entity)?.table;
  const table = path[0] ?? byEntity ?? first?.name ?? "";
  const partition = path.length > 1 ? path.slice(1) : params.partition ? [params.partition] : null;
  return {
    table,
    index: tableOf(table)?.indexes.some((/** @type {any} */ index) => index.name === params.index) ? params.index : null,
    partition,
    seen: partition ? (params.seen ?? null) : null,
    entity: params.entity ?? "",
    role: params.role ?? "",
    prefix: partition ? "" : (params.prefix ?? ""),
    sort: parsed(params.sort),
    descending: params.descending === "true",
    filter: params.filter ?? "",
    where: parsed(params.where),
    groups: !partition && params.groups === "true",
    item: params.item ?? null,
  };
}

/**
 * @param {string | undefined} text
 * @returns {any[]}
 */
function parsed(text) {
  try {
    const found = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/**
 * Change the address: every change but that of the selected item begins at the first page.
 * @param {Address} address
 * @param {Partial<Address>} changes
 */
export function change(address, changes) {
  const next = { ...address, ...("item" in changes ? {} : { item: null }), ...changes };
  if (next.table !== address.table) Object.assign(next, { index: null, seen: null, partition: null, entity: "", sort: [], where: [], filter: "" }, changes);
  go(
    "items",
    [next.table, ...(next.partition ?? [])],
    {
      index: next.index,
      seen: next.seen,
      entity: next.entity,
      role: next.role,
      prefix: next.prefix,
      sort: next.sort.length ? JSON.stringify(next.sort) : "",
      descending: next.descending && next.partition ? "true" : "",
      filter: next.filter,
      where: next.where.length ? JSON.stringify(next.where) : "",
      groups: next.groups ? "true" : "",
      item: next.item,
    },
    { replace: "item" in changes },
  );
}

/**
 * The body of the request for an address.
 * @param {Address} address
 */
export function bodyOf(address) {
  const [operator, ...values] = address.sort;
  return {
    table: address.table,
    index: address.index,
    partition: address.partition,
    seen_in: address.seen,
    entity: address.entity || null,
    role: address.role || null,
    prefix: address.prefix || null,
    sort: operator ? { operator, values } : null,
    descending: address.descending && address.partition !== null,
    filter: address.filter || null,
    conditions: address.where,
  };
}

/**
 * Whether an address leaves some items out.
 * @param {Address} address
 */
export const isFiltered = (address) =>
  Boolean(address.entity || address.role || address.prefix || address.sort.length || address.filter || address.where.length);

export const NO_FILTERS = { entity: "", role: "", prefix: "", sort: [], filter: "", where: [] };
