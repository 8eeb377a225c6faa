// The history of queries in this browser. It keeps the texts of queries, never their results.
const MOST = 50;

/**
 * @typedef {object} PastQuery
 * @property {"statement" | "request"} kind
 * @property {string} operation
 * @property {string} text
 */

/** @param {string} design */
const key = (design) => `tablewright.queries.${design}`;

/**
 * @param {string} design
 * @returns {PastQuery[]} the latest first
 */
export function history(design) {
  try {
    const found = JSON.parse(localStorage.getItem(key(design)) ?? "[]");
    return Array.isArray(found) ? found.filter((each) => each && typeof each.text === "string") : [];
  } catch {
    return [];
  }
}

/**
 * @param {string} design
 * @param {PastQuery} query
 */
export function remember(design, query) {
  const others = history(design).filter((each) => each.text !== query.text || each.operation !== query.operation);
  try {
    localStorage.setItem(key(design), JSON.stringify([query, ...others].slice(0, MOST)));
  } catch {
    // The browser allows no storage; there is no history then.
  }
}

/** @param {string} design */
export function forget(design) {
  try {
    localStorage.removeItem(key(design));
  } catch {
    // There is none.
  }
}
