// Pages of items: loaded as they come into sight, dropped when they are far away, loaded again when they are back.
import { useLayoutEffect, useRef, useState } from "../lib.js";
import { api, returns } from "../parts/api.js";
import { kindText } from "../parts/values.js";
import { AttributeColumns } from "./items_columns.js";

const PAGE = 250;
const COMPARED = 100;
/** How many pages keep their rows; a table of a million items has 4,000. */
const MOST_PAGES = 60;
const NONE = new AttributeColumns("");

/**
 * @typedef {object} Pages
 * @property {boolean} groups whether the rows are partitions
 * @property {any[]} rows those of pages that were dropped are null
 * @property {any} totals of all pages: examined, returned, capacity
 * @property {any} error
 * @property {boolean} stale whether the rows are of an earlier request
 * @property {boolean} loading
 * @property {boolean} complete whether all items were read
 * @property {any} request the request of DynamoDB
 * @property {AttributeColumns} attributes of the loaded rows
 * @property {Map<string, number>} entities how many of the loaded rows are of each entity and role, as "User lock"
 * @property {() => void} more
 * @property {(first: number, last: number) => void} inSight
 * @property {() => void} reload
 */

/** The rows of one request, in pages. */
export class Loaded {
  /**
   * @param {string} path
   * @param {any} body
   * @param {() => void} changed
   */
  constructor(path, body, changed) {
    this.path = path;
    this.body = { ...body, limit: body.seen_in ? COMPARED : PAGE };
    this.changed = changed;
    /** @type {any[]} */
    this.rows = [];
    /** @type {{cursor: string | null, from: number, count: number, held: boolean, used: number}[]} */
    this.pages = [];
    /** @type {string | null} */
    this.cursor = null;
    this.totals = { examined: 0, returned: 0, capacity: 0 };
    this.complete = false;
    this.loading = false;
    this.ended = false;
    /** @type {any} */
    this.error = null;
    /** @type {any} */
    this.request = null;
    this.attributes = new AttributeColumns(body.table);
    /** @type {Map<string, number>} */
    this.entities = new Map();
    this.clock = 0;
    this.range = { first: 0, last: 0 };
    this.rereads = false;
  }

  async more() {
    if (this.loading || this.complete || this.error || this.ended) return;
    this.loading = true;
    this.changed();
    const cursor = this.cursor;
    try {
      const reply = await this.#read(cursor);
      const found = reply.items ?? reply.partitions;
      this.#join(found);
      this.pages.push({ cursor, from: this.rows.length, count: found.length, held: true, used: ++this.clock });
      for (const row of found) {
        this.rows.push(row);
        this.#count(row);
      }
      if (reply.items) this.attributes.add(found);
      for (const name of Object.keys(this.totals)) this.totals[/** @type {"examined"} */ (name)] += reply[name];
      this.cursor = reply.cursor;
      this.request = { operation: reply.operation, request: reply.request };
      this.complete = reply.cursor === null;
      this.#drop();
    } catch (error) {
      this.error = error;
    }
    this.loading = false;
    this.changed();
  }

  /** @param {string | null} cursor */
  #read(cursor) {
    return api.post(this.path, { ...this.body, cursor });
  }

  /**
   * A partition whose items are on two pages is one row.
   * @param {any[]} found
   */
  #join(found) {
    const last = this.rows.at(-1);
    if (this.path !== "/items/partitions" || !last || !found.length) return;
    if (JSON.stringify(last.partition) !== JSON.stringify(found[0].partition)) return;
    const first = found.shift();
    const entities = { ...last.entities };
    for (const [name, count] of Object.entries(first.entities)) entities[name] = (entities[name] ?? 0) + count;
    this.rows[this.rows.length - 1] = { ...last, items: last.items + first.items, size: last.size + first.size, entities };
  }

  /** @param {any} row */
  #count(row) {
    if (!row.role) return;
    const name = kindText(row);
    this.entities.set(name, (this.entities.get(name) ?? 0) + 1);
  }

  /** Drop the rows of the pages that were out of sight for the longest time. */
  #drop() {
    if (this.path === "/items/partitions") return;
    const held = this.pages.filter((each) => each.held);
    held.sort((left, right) => left.used - right.used);
    for (const page of held.slice(0, Math.max(0, held.length - MOST_PAGES))) {
      this.rows.fill(null, page.from, page.from + page.count);
      page.held = false;
    }
  }

  /**
   * Read the pages in sight again that were dropped, one at a time: a fast scroll passes many pages, and only those
   * that are in sight when a reply arrives are worth a request.
   * @param {number} first
   * @param {number} last
   */
  async inSight(first, last) {
    this.range = { first, last };
    for (const each of this.#pagesInRange()) each.used = ++this.clock;
    if (this.rereads) return;
    this.rereads = true;
    for (let page = this.#missing(); page && !this.ended; page = this.#missing()) {
      try {
        const reply = await this.#read(page.cursor);
        for (let at = 0; at < page.count; at += 1) this.rows[page.from + at] = reply.items[at] ?? null;
        page.held = true;
        page.used = ++this.clock;
      } catch {
        break; // the next range tries again
      }
      this.#drop();
      this.changed();
    }
    this.rereads = false;
  }

  #missing() {
    return this.#pagesInRange().find((each) => !each.held);
  }

  /** The pages with rows in sight: the first of them is found by halving. */
  #pagesInRange() {
    const { first, last } = this.range;
    let low = 0;
    let high = this.pages.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.pages[middle].from + this.pages[middle].count <= first) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (end < this.pages.length && this.pages[end].from < last) end += 1;
    return this.pages.slice(low, end);
  }
}

/**
 * @param {string} path
 * @param {any} body the request; another one starts from the first page
 * @returns {Pages}
 */
export function useItems(path, body) {
  const [, setVersion] = useState(0);
  const [turn, setTurn] = useState(0);
  const key = `${path} ${JSON.stringify(body)} ${turn} ${returns.value}`;
  const now = useRef(/** @type {Loaded | null} */ (null));
  const before = useRef(/** @type {Loaded | null} */ (null));
  useLayoutEffect(() => {
    const loaded = new Loaded(path, body, () => now.current === loaded && setVersion((each) => each + 1));
    before.current = now.current?.request ? now.current : before.current;
    now.current = loaded;
    loaded.more();
    return () => {
      loaded.ended = true;
    };
  }, [key]);
  const present = now.current;
  const isFirst = !present?.request;
  const shown = isFirst && before.current ? before.current : present;
  return {
    groups: shown?.path === "/items/partitions",
    rows: shown?.rows ?? [],
    totals: shown?.totals ?? { examined: 0, returned: 0, capacity: 0 },
    error: present?.error ?? null,
    stale: isFirst,
    loading: present?.loading ?? true,
    complete: present?.complete ?? false,
    request: shown?.request ?? null,
    attributes: shown?.attributes ?? NONE,
    entities: shown?.entities ?? new Map(),
    more: () => void present?.more(),
    inSight: (first, last) => void present?.inSight(first, last),
    reload: () => setTurn((each) => each + 1),
  };
}
