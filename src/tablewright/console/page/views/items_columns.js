// The attributes of the loaded items as columns. Their order and widths do not change when further pages arrive.
import { entity as entityOf, table as tableOf } from "../parts/state.js";
import { valueText } from "../parts/values.js";

const SAMPLE = 60;
/** The width of a character in pixels, and the longest attribute that is shown whole. */
const PIXELS = 7.4;
const LONGEST = 26;
/** What an attribute counts whose value is visible in the primary key already. */
const SELDOM = 0.001;

/** The attributes of the rows of one request, most used first; those of later pages follow. */
export class AttributeColumns {
  /** @param {string} table */
  constructor(table) {
    this.table = table;
    /** @type {string[]} */
    this.names = [];
    this.known = new Set();
    /** @type {Map<string, string>} by the ID of the column */
    this.widths = new Map();
    /** @type {Map<string, Set<string>>} by entity and role */
    this.inKeys = new Map();
  }

  /**
   * Add a page of rows.
   * @param {any[]} rows
   */
  add(rows) {
    /** @type {Map<string, {count: number, longest: number, seen: number}>} */
    const found = new Map();
    for (const row of rows) {
      const inKey = this.#inKey(row);
      for (const name in row.item) {
        if (this.known.has(name)) continue;
        const each = found.get(name) ?? { count: 0, longest: 0, seen: 0 };
        found.set(name, each);
        each.count += inKey.has(name) ? SELDOM : 1;
        each.seen += 1;
        if (each.seen <= SAMPLE) each.longest = Math.max(each.longest, valueText(row.item[name]).length);
      }
    }
    if (!found.size) return;
    const weight = weights(tableOf(this.table));
    const added = [...found.keys()].filter((name) => weight(name) > 0);
    const value = (/** @type {string} */ name) => weight(name) * (found.get(name)?.count ?? 0);
    added.sort((left, right) => value(right) - value(left));
    for (const name of found.keys()) this.known.add(name);
    for (const name of added) this.widths.set(name, widthOf(name, Math.min(LONGEST, found.get(name)?.longest ?? 0)));
    this.names = [...this.names, ...added];
  }

  /**
   * The width of a key column: by the texts of the first rows, when it is first shown.
   * @param {string} id
   * @param {string} name
   * @param {any[]} rows
   * @param {(row: any) => string} text
   * @param {number} most characters
   */
  keyWidth(id, name, rows, text, most) {
    const known = this.widths.get(id);
    if (known) return known;
    const width = widthOf(name, Math.min(most, Math.max(0, ...rows.slice(0, SAMPLE).map((row) => (row ? text(row).length : 0)))));
    if (rows.length) this.widths.set(id, width);
    return width;
  }

  /**
   * The attributes of a row whose values are parts of its primary key.
   * @param {any} row
   */
  #inKey(row) {
    const id = `${row.entity} ${row.role}`;
    const known = this.inKeys.get(id);
    if (known) return known;
    const names = tableOf(this.table)?.key ?? [];
    const fields = new Set(names.flatMap((/** @type {string} */ name) => (row.key_parts?.[name] ?? []).map((/** @type {any} */ part) => part.field)));
    const declared = entityOf(row.entity)?.fields ?? [];
    const found = new Set(declared.filter((/** @type {any} */ each) => fields.has(each.name)).map((/** @type {any} */ each) => each.attribute));
    this.inKeys.set(id, found);
    return found;
  }
}

/**
 * What each use of an attribute counts; 0 for those with a column of their own.
 * @param {any} table
 * @returns {(name: string) => number}
 */
function weights(table) {
  const own = new Set([...table.key, table.discriminator, "_of", "_kept"]);
  const derived = new Set(Object.keys(table.types));
  const fields = table.entities.flatMap((/** @type {string} */ name) => entityOf(name)?.fields ?? []);
  const automatic = new Set(fields.filter((/** @type {any} */ field) => field.automatic).map((/** @type {any} */ field) => field.attribute));
  return (name) => (own.has(name) ? 0 : derived.has(name) ? 1e-6 : name === table.ttl ? 0.2 : automatic.has(name) ? 0.5 : 1);
}

/**
 * @param {string} title
 * @param {number} characters of the values
 */
const widthOf = (title, characters) => `${Math.round(Math.max(Math.min(title.length, LONGEST), 7, characters) * PIXELS) + 18}px`;
