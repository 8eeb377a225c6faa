// Grid: rows and columns that scroll; only those in sight are in the document.
import { Component, h, html, useCallback, useLayoutEffect, useMemo, useRef, useState } from "../lib.js";
import { ROW, layoutOf, windowOf } from "./grid_layout.js";

/** More rows are requested when so few are left. */
const NEAR = 30;
const MOVES = { ArrowDown: 1, ArrowUp: -1 };

/**
 * @typedef {object} Column
 * @property {string} id
 * @property {any} title
 * @property {string} [hint] the tooltip of the title
 * @property {string} [width] as in CSS: "120px", "minmax(80px, 1fr)"
 * @property {(row: any, index: number) => any} cell the content; an empty one ("", null) has no element
 * @property {(row: any) => string} [cellClass]
 * @property {(row: any) => string | undefined} [cellTitle]
 * @property {boolean} [number] whether the cells are aligned to the right
 * @property {boolean} [pinned] whether the column stays in sight when the others scroll sideways; the first columns only
 */

/**
 * @param {object} props
 * @param {string} props.label what the rows are, for screen readers
 * @param {Column[]} props.columns the same array for each rendering, unless a column has changed
 * @param {any[]} props.rows a row that changes is replaced by another object
 * @param {(row: any, index: number) => string} [props.rowKey]
 * @param {(row: any, index: number) => void} [props.onOpen] Enter, or a click
 * @param {(row: any, key: string) => void} [props.onKey] any other key on the active row
 * @param {() => void} [props.onMore] called when the last rows come into sight
 * @param {(first: number, last: number) => void} [props.onRange] called when other rows come into sight
 * @param {string | null} [props.selected] the key of the row that is shown elsewhere
 * @param {(row: any) => string} [props.rowClass]
 * @param {any} [props.footer] below the last row; null or false if there is nothing to say
 */
export function Grid({
  label, columns, rows, rowKey = (_, index) => String(index), onOpen, onKey, onMore, onRange, selected = null,
  rowClass = () => "", footer = null,
}) {
  const { box, sight, show, layout, present } = useSight(columns, rows.length);
  const [active, setActive] = useState(0); // its row stays in the document: it is what screen readers read
  const [focused, setFocused] = useState(/** @type {number | null} */ (null)); // its row has all its cells: a link in one has the focus
  const { first, last, from, to } = present;
  const id = label.replace(/\W+/g, "-");

  useLayoutEffect(() => {
    if (onMore && last >= rows.length - NEAR) onMore();
  }, [last, rows.length]);

  useLayoutEffect(() => {
    onRange?.(first, last);
  }, [first, last, rows]);

  useLayoutEffect(() => {
    if (active >= rows.length) setActive(Math.max(0, rows.length - 1));
  }, [rows.length]);

  /** @param {number} index */
  function activate(index) {
    const at = Math.max(0, Math.min(rows.length - 1, index));
    setActive(at);
    const { top, height } = sight.current;
    if (at * ROW < top) show(at * ROW);
    else if ((at + 1) * ROW > top + height - ROW) show((at + 1) * ROW - height + ROW);
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.target !== box.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(sight.current.height / ROW) - 2);
    const to = {
      Home: 0,
      End: rows.length - 1,
      PageDown: active + page,
      PageUp: active - page,
      ...Object.fromEntries(Object.entries(MOVES).map(([key, by]) => [key, active + by])),
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      activate(to);
    } else if (event.key === "Enter" && rows[active]) {
      event.preventDefault();
      onOpen?.(rows[active], active);
    } else if (event.key.length === 1 && rows[active] && onKey) {
      onKey(rows[active], event.key);
    }
  }

  /** @param {any} event */
  function click(event) {
    const index = rowAt(event.target);
    if (index === null || event.target.closest("a, button, input")) return;
    setActive(index);
    onOpen?.(rows[index], index);
  }

  /** @param {any} event */
  function focus(event) {
    const index = rowAt(event.target);
    setFocused(index);
    if (index !== null) setActive(index);
  }

  const shown = [];
  for (const index of indexes(first, last, Math.min(active, rows.length - 1))) {
    const row = rows[index];
    const key = rowKey(row, index);
    const all = index === focused;
    shown.push(h(Row, {
      key, row, index, id: `${id}-${index}`, columns, layout, from: all ? layout.pinned : from, to: all ? columns.length : to,
      selected: key === selected, className: `grid-row ${index === active ? "active " : ""}${rowClass(row)}`,
    }));
  }
  const width = { minWidth: `${layout.left[columns.length]}px` };
  return html`<div class="grid" ref=${box} role="grid" tabindex="0" aria-label=${label} aria-rowcount=${rows.length + 1} aria-colcount=${columns.length}
      aria-activedescendant=${rows.length ? `${id}-${Math.min(active, rows.length - 1)}` : undefined}
      style=${{ "--columns": layout.template }} onKeyDown=${press} onClick=${click} onfocusin=${focus}>
    <div class="grid-row grid-head" role="row" aria-rowindex="1" style=${width}>
      ${inSight(layout.pinned, from, to).map((at) => html`<div role="columnheader" aria-colindex=${at + 1} key=${columns[at].id}
        title=${columns[at].hint}
        class=${cellClass(columns[at], at, layout)} style=${place(at, layout)}>${columns[at].title}</div>`)}
    </div>
    <div class="grid-body" role="rowgroup" style=${{ height: `${rows.length * ROW}px`, ...width }}>${shown}</div>
    ${footer && html`<div class="grid-foot" role="row"><div role="gridcell" aria-colspan=${columns.length}>${footer}</div></div>`}
  </div>`;
}

/**
 * What is in sight of a grid. Scrolling renders the grid again only when other rows or columns come into sight.
 * @param {Column[]} columns
 * @param {number} count of rows
 */
function useSight(columns, count) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  const sight = useRef({ top: 0, left: 0, width: 0, height: 0, up: false, back: false });
  const [, render] = useState(/** @type {any} */ (null));
  const { width } = sight.current;
  const layout = useMemo(() => layoutOf(columns, width), [columns, width]);
  const present = windowOf(sight.current, count, layout);
  const latest = useRef({ count, layout, present });
  latest.current = { count, layout, present };

  /** @param {Partial<import("./grid_layout.js").Sight>} next */
  const update = useCallback((next) => {
    const before = sight.current;
    const now = { ...before, ...next };
    if (now.top !== before.top) now.up = now.top < before.top;
    if (now.left !== before.left) now.back = now.left < before.left;
    sight.current = now;
    const { count: most, layout: old, present: shown } = latest.current;
    const found = windowOf(now, most, old);
    const isSame = now.width === before.width && found.first === shown.first && found.last === shown.last && found.from === shown.from && found.to === shown.to;
    if (!isSame) render(now);
  }, []);

  useLayoutEffect(() => {
    const element = /** @type {HTMLDivElement} */ (box.current);
    const measure = () => update({ top: element.scrollTop, left: element.scrollLeft, width: element.clientWidth, height: element.clientHeight });
    const scroll = () => {
      const { scrollTop: top, scrollLeft: left } = element;
      update({ top, left });
      element.classList.toggle("sideways", left > 0);
    };
    const watch = new ResizeObserver(measure);
    measure();
    watch.observe(element);
    element.addEventListener("scroll", scroll, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener("scroll", scroll);
    };
  }, []);

  /** @param {number} top */
  function show(top) {
    if (box.current) box.current.scrollTop = top;
    update({ top });
  }

  return { box, sight, show, layout, present };
}

/**
 * The indexes of the rows in the document: those in sight, and the active one.
 * @param {number} first
 * @param {number} last
 * @param {number} active -1 if there is none
 */
function indexes(first, last, active) {
  const found = [];
  if (active >= 0 && active < first) found.push(active);
  for (let index = first; index < last; index += 1) found.push(index);
  if (active >= last) found.push(active);
  return found;
}

/**
 * @param {number} pinned
 * @param {number} from
 * @param {number} to
 */
function inSight(pinned, from, to) {
  const found = [];
  for (let at = 0; at < pinned; at += 1) found.push(at);
  for (let at = from; at < to; at += 1) found.push(at);
  return found;
}

/**
 * @param {Element} element
 * @returns {number | null} the index of its row
 */
function rowAt(element) {
  const row = element.closest(".grid-body > .grid-row");
  return row && Number(row.getAttribute("aria-rowindex")) - 2;
}

/** @type {WeakMap<import("./grid_layout.js").Layout, any[]>} */
const places = new WeakMap();

/**
 * Where a cell is in its row; the same object for all rows.
 * @param {number} at
 * @param {import("./grid_layout.js").Layout} layout
 */
function place(at, layout) {
  const known = places.get(layout);
  if (known) return known[at];
  const all = layout.left.map((left, index) => ({ gridColumn: String(index + 1), left: index < layout.pinned ? `${left}px` : undefined }));
  places.set(layout, all);
  return all[at];
}

/**
 * @param {Column} column
 * @param {number} at
 * @param {import("./grid_layout.js").Layout} layout
 * @param {string} [own]
 */
function cellClass(column, at, layout, own = "") {
  const pinned = at < layout.pinned ? (at === layout.pinned - 1 ? "pinned last-pinned " : "pinned ") : "";
  return pinned + (column.number ? "right " : "") + own || undefined;
}

/** A row; it is rendered again only if something of it has changed. */
class Row extends Component {
  /** @param {any} next */
  shouldComponentUpdate(next) {
    const present = /** @type {any} */ (this.props);
    for (const name in next) if (next[name] !== present[name]) return true;
    return false;
  }

  render() {
    const { row, index, id, columns, layout, from, to, selected, className } = /** @type {any} */ (this.props);
    const cells = [];
    for (const at of inSight(layout.pinned, from, to)) {
      /** @type {Column} */
      const column = columns[at];
      const content = column.cell(row, index);
      if (at > 0 && (content === "" || content === null || content === undefined || content === false)) continue;
      cells.push(h("div", {
        role: "gridcell", "aria-colindex": at + 1, key: column.id, title: column.cellTitle?.(row),
        class: cellClass(column, at, layout, row ? column.cellClass?.(row) : ""), style: place(at, layout),
      }, content));
    }
    return h("div", {
      role: "row", id, "aria-rowindex": index + 2, "aria-selected": selected, class: className, style: { transform: `translateY(${index * ROW}px)` },
    }, cells);
  }
}
