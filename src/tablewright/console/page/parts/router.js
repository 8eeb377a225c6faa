// Routes: #/boards/items/users-table?index=GSI1 is the view `items` of the design `boards`.
import { signal } from "../lib.js";

/**
 * @typedef {object} Route
 * @property {string} design
 * @property {string} view
 * @property {string[]} path
 * @property {Record<string, string>} params
 */

/**
 * @param {string} hash
 * @returns {Route}
 */
export function parse(hash) {
  const [where, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [name = "", view = "", ...path] = where.split("/").map(decode);
  return { design: name, view: view || "overview", path, params: Object.fromEntries(new URLSearchParams(query)) };
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

let read = location.hash;
export const route = signal(parse(read));

/**
 * Bring `route` to the address. The browser reports a new address late: after keys that were pressed, and replies that
 * arrived, since.
 */
export function readAddress() {
  if (location.hash === read) return;
  read = location.hash;
  route.value = parse(read);
}

addEventListener("hashchange", readAddress);

/**
 * The link to a view of the open design, or of another one.
 * @param {string} view
 * @param {string[]} [path]
 * @param {Record<string, any>} [params] those that are undefined, null or "" are left out
 * @param {string} [design]
 */
export function href(view, path = [], params = {}, design = route.value.design) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `#/${[design, view, ...path].map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
}

/**
 * Open a view; with `replace`, the browser's back button skips the present one.
 * @param {string} view
 * @param {string[]} [path]
 * @param {Record<string, any>} [params]
 * @param {{replace?: boolean, design?: string}} [options]
 */
export function go(view, path, params, { replace = false, design } = {}) {
  const to = href(view, path, params, design);
  if (replace) history.replaceState(null, "", to);
  else location.hash = to;
  readAddress();
}

/**
 * Follow a link.
 * @param {string} to from `href`
 */
export function follow(to) {
  location.hash = to;
  readAddress();
}
