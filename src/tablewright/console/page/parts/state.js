// What all views share: the open designs, and the description of the one in the address.
import { effect, signal } from "../lib.js";
import { api, returns } from "./api.js";
import { route } from "./router.js";

/** @type {import("../vendor/signals.js").Signal<any[]>} the open designs, from GET /api/v1/designs */
export const designs = signal([]);

/** @type {import("../vendor/signals.js").Signal<any>} the description of the present design, from GET /api/v1/designs/{name}; null until loaded */
export const design = signal(null);

/** @type {{value: Error | null}} */
export const designError = signal(null);

let loaded = "";

effect(() => {
  const name = route.value.design;
  const again = returns.value;
  if (!name || `${name} ${again}` === loaded) return;
  loaded = `${name} ${again}`;
  if (design.peek()?.name !== name) design.value = null;
  api.get("").then(
    (found) => {
      if (found.name !== route.peek().design) return;
      design.value = found;
      designError.value = null;
    },
    (error) => {
      designError.value = error;
      loaded = "";
    },
  );
});

/** What to tell a user of a read-only console. */
export const readOnly = () => `This console is read-only. Start it with ${design.value?.write_option} to change data.`;

/**
 * The description of an entity of the present design.
 * @param {string | null} name
 * @returns {any}
 */
export const entity = (name) => design.value?.entities.find((/** @type {any} */ each) => each.name === name) ?? null;

/**
 * The description of a table of the present design.
 * @param {string} name
 * @returns {any}
 */
export const table = (name) => design.value?.tables.find((/** @type {any} */ each) => each.name === name) ?? null;

/**
 * The CSS class of an entity's colour; the same everywhere.
 * @param {string | null} name
 */
export function hue(name) {
  const found = entity(name);
  return found ? `hue hue-${found.number % 18}` : "hue-none";
}
