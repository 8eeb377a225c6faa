// Staged edits: changes that wait to be saved together. They are in memory only, and gone when the page is closed.
import { signal } from "../lib.js";
import { api } from "./api.js";
import { route } from "./router.js";

/**
 * @typedef {object} Staged
 * @property {number} id
 * @property {string} design the name of the design that it belongs to
 * @property {string} kind create, update, delete or replace
 * @property {string} table
 * @property {string | null} entity
 * @property {any} key
 * @property {string | null} fingerprint
 * @property {any} form the form of its entity; null for an item of no entity
 * @property {Record<string, any>} original the values as they were read
 * @property {Record<string, any>} values the values in the form
 * @property {any} item the whole item, for an item of no entity
 * @property {any} shown how the item is shown; null for a new entity
 */

/** @type {import("../vendor/signals.js").Signal<Staged[]>} the edits of all designs */
const all = signal(/** @type {Staged[]} */ ([]));
let last = 0;

/** The edits of the open design. */
export const staged = () => all.value.filter((each) => each.design === route.value.design);

/**
 * Forget edits that were saved, but not what was changed since they were sent.
 * @param {Staged[]} edits
 */
export function discardSaved(edits) {
  all.value = all.value.filter((each) => !edits.includes(each));
}

/** Forget the edits of the open design. */
export function discardAll() {
  all.value = all.value.filter((each) => each.design !== route.value.design);
}

/**
 * @typedef {object} Saved
 * @property {string} undo the name that undoes it
 * @property {string} design
 * @property {number} at epoch seconds
 * @property {any[]} items what was touched
 * @property {"saved" | "undone"} state
 */

/** @type {import("../vendor/signals.js").Signal<Saved[]>} what was saved since the page was opened, the latest first */
export const saved = signal(/** @type {Saved[]} */ ([]));

/**
 * Restore what was before, by a new write.
 * @param {Saved} given
 * @returns {Promise<number>} how many items were written
 */
export async function undo(given) {
  const done = await api.post("/edit/undo", { undo: given.undo });
  saved.value = saved.value.map((each) => (each === given ? { ...each, state: "undone" } : each));
  return done.items.length;
}

/**
 * Stage a change of an item as it is now; one that is staged already stays as it is.
 * @param {string} table
 * @param {any} key in DynamoDB's JSON
 * @param {"update" | "delete"} [kind]
 * @returns {Promise<number>} the identifier of the staged edit
 */
export async function stageItem(table, key, kind = "update") {
  const text = JSON.stringify(key);
  const known = staged().find((each) => each.table === table && JSON.stringify(each.key) === text);
  if (known) {
    if (kind !== known.kind && known.kind !== "create") change(known.id, { kind: kind === "update" && !known.form ? "replace" : kind });
    return known.id;
  }
  const reply = await api.get("/edit/item", { table, key: text });
  return add({
    kind: kind === "update" && !reply.form ? "replace" : kind,
    table, key, entity: reply.shown.entity, fingerprint: reply.fingerprint, form: reply.form,
    original: reply.values ?? {}, values: reply.values ?? {}, item: reply.shown.item, shown: reply.shown,
  });
}

/**
 * Stage a new entity.
 * @param {any} entity its description in the design
 * @param {Record<string, any>} [values] those to start with
 */
export async function stageNew(entity, values = {}) {
  const form = await api.get("/edit/form", { entity: entity.name });
  return add({
    kind: "create", table: entity.table, key: null, entity: entity.name, fingerprint: null, form,
    original: {}, values, item: null, shown: null,
  });
}

/** @param {Omit<Staged, "id" | "design">} edit */
function add(edit) {
  const id = ++last;
  all.value = [...all.value, { id, design: route.value.design, ...edit }];
  return id;
}

/**
 * @param {number} id
 * @param {Partial<Staged>} members
 */
export function change(id, members) {
  all.value = all.value.map((each) => (each.id === id ? { ...each, ...members } : each));
}

/** @param {number} id */
export function discard(id) {
  all.value = all.value.filter((each) => each.id !== id);
}

/**
 * The values that were changed; a value that was removed is null.
 * @param {Staged} edit
 */
export function changedValues(edit) {
  const names = new Set([...Object.keys(edit.values), ...Object.keys(edit.original)]);
  /** @type {Record<string, any>} */
  const found = {};
  for (const name of names) {
    const [old, now] = [edit.original[name] ?? null, edit.values[name] ?? null];
    if (JSON.stringify(old) !== JSON.stringify(now)) found[name] = now;
  }
  return found;
}

/**
 * An edit as the API takes it.
 * @param {Staged} edit
 */
export function request(edit) {
  const { kind, table, entity } = edit;
  if (kind === "create") return { kind, table, entity, values: defined(edit.values) };
  const base = { kind, table, key: edit.key, fingerprint: edit.fingerprint };
  if (kind === "delete") return base;
  return kind === "replace" ? { ...base, item: edit.item } : { ...base, values: changedValues(edit) };
}

/** @param {Record<string, any>} values */
const defined = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));

/**
 * Whether an edit changes anything.
 * @param {Staged} edit
 */
export function isChanged(edit) {
  if (edit.kind === "update") return Object.keys(changedValues(edit)).length > 0;
  return edit.kind !== "replace" || JSON.stringify(edit.item) !== JSON.stringify(edit.shown.item);
}
