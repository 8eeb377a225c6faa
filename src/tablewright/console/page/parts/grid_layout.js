// The geometry of a grid: widths of columns, and which rows and columns are in sight.

/** The height of a row, and of the header, in pixels. */
export const ROW = 28;
const USUAL = "minmax(110px, 1fr)";
/** What is in the document beyond the visible part, in the direction in which the user scrolls, and in the other one. */
const ROWS_AHEAD = 3;
const ROWS_BEHIND = 1;
const PIXELS_AHEAD = 60;
/** The part of the grid's width that columns which stay in sight may use. */
const MOST_PINNED = 0.66;

/**
 * @typedef {object} Layout
 * @property {number[]} left where each column begins, and where the last one ends
 * @property {number} pinned how many of the first columns stay in sight
 * @property {string} template as in CSS
 */

/**
 * @typedef {object} Sight what is visible of the content, in pixels
 * @property {number} top
 * @property {number} left
 * @property {number} width
 * @property {number} height with the header
 * @property {boolean} up whether the user scrolls to the top
 * @property {boolean} back whether the user scrolls to the left
 */

/**
 * @typedef {object} Window the rows [first, last) and the columns [from, to) that are in the document
 * @property {number} first
 * @property {number} last
 * @property {number} from
 * @property {number} to
 */

/**
 * The least width of a column, and its share of the width that is left.
 * @param {string} [width] "120px", or "minmax(80px, 1.5fr)"
 */
function track(width = USUAL) {
  const [least = 60] = (/\d+(?=px)/.exec(width) ?? []).map(Number);
  const [share = 0] = (/[\d.]+(?=fr)/.exec(width) ?? []).map(Number);
  return { least, share };
}

/**
 * Distribute a width to columns, as a grid of CSS does.
 * @param {{width?: string, pinned?: boolean}[]} columns
 * @param {number} width
 * @returns {Layout}
 */
export function layoutOf(columns, width) {
  const tracks = columns.map((column) => track(column.width));
  const flexible = new Set(tracks.filter((each) => each.share > 0));
  let unit = 0;
  for (;;) {
    const fixed = tracks.reduce((sum, each) => sum + (flexible.has(each) ? 0 : each.least), 0);
    const shares = [...flexible].reduce((sum, each) => sum + each.share, 0);
    unit = Math.max(0, width - fixed) / shares;
    const tooWide = [...flexible].filter((each) => each.least > unit * each.share);
    if (!tooWide.length) break;
    for (const each of tooWide) flexible.delete(each);
  }
  const left = [0];
  let end = 0;
  for (const each of tracks) {
    end += flexible.has(each) ? unit * each.share : each.least;
    left.push(Math.round(end));
  }
  let pinned = 0;
  if (left[columns.length] > width) {
    while (columns[pinned]?.pinned && left[pinned + 1] <= width * MOST_PINNED) pinned += 1;
  }
  return { left, pinned, template: columns.map((_, at) => `${left[at + 1] - left[at]}px`).join(" ") };
}

/**
 * The rows and columns that must be in the document.
 * @param {Sight} sight
 * @param {number} count of rows
 * @param {Layout} layout
 * @returns {Window}
 */
export function windowOf(sight, count, { left, pinned }) {
  if (!sight.height) return { first: 0, last: 0, from: pinned, to: left.length - 1 };
  const top = Math.min(sight.top, Math.max(0, count * ROW - (sight.height - ROW)));
  const first = Math.floor(top / ROW) - (sight.up ? ROWS_AHEAD : ROWS_BEHIND);
  const last = Math.ceil((top + sight.height - ROW) / ROW) + (sight.up ? ROWS_BEHIND : ROWS_AHEAD);
  const start = sight.left + left[pinned] - (sight.back ? PIXELS_AHEAD : 0);
  const end = sight.left + sight.width + (sight.back ? 0 : PIXELS_AHEAD);
  let from = pinned;
  while (from < left.length - 2 && left[from + 1] <= start) from += 1;
  let to = from + 1;
  while (to < left.length - 1 && left[to] < end) to += 1;
  return { first: Math.max(0, Math.min(first, count)), last: Math.max(0, Math.min(last, count)), from, to: Math.min(to, left.length - 1) };
}
