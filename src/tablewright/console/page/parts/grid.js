// Grid: rows and columns that scroll; only the rows in sight are in the document.
import { Component, html, useCallback, useLayoutEffect, useRef, useState } from "../lib.js";

const ROW = 28;
const EXTRA = 8;
const MOVES = { ArrowDown: 1, ArrowUp: -1 };

/**
 * @typedef {object} Column
 * @property {string} id
 * @property {any} title
 * @property {string} [width] as in CSS: "120px", "minmax(80px, 1fr)"
 * @property {(row: any, index: number) => any} cell
 * @property {boolean} [number] whether the cells are aligned to the right
 */

/**
 * @param {object} props
 * @param {string} props.label what the rows are, for screen readers
 * @param {Column[]} props.columns
 * @param {any[]} props.rows a row that changes is replaced by another object
 * @param {(row: any, index: number) => string} [props.rowKey]
 * @param {(row: any, index: number) => void} [props.onOpen] Enter, or a click
 * @param {(row: any, key: string) => void} [props.onKey] any other key on the active row
 * @param {() => void} [props.onMore] called when the last rows come into sight
 * @param {(first: number, last: number) => void} [props.onRange] called when other rows come into sight
 * @param {string | null} [props.selected] the key of the row that is shown elsewhere
 * @param {(row: any) => string} [props.rowClass]
 * @param {any} [props.footer]
 */
export function Grid({
  label, columns, rows, rowKey = (_, index) => String(index), onOpen, onKey, onMore, onRange, selected = null,
  rowClass = () => "", footer = null,
}) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [view, setView] = useState({ top: 0, height: 600 });
  const [active, setActive] = useState(0);
  const first = Math.max(0, Math.floor(view.top / ROW) - EXTRA);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW) + EXTRA);
  const template = columns.map((each) => each.width ?? "minmax(110px, 1fr)").join(" ");
  // All rows are as wide as the sum of the least widths, or as the grid: so columns are aligned.
  const least = columns.reduce((sum, each) => sum + (Number.parseInt(/\d+(?=px)/.exec(each.width ?? "110px")?.[0] ?? "60", 10)), 0);
  const id = label.replace(/\W+/g, "-");

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const watch = new ResizeObserver(() => setView({ top: element.scrollTop, height: element.clientHeight }));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (onMore && last >= rows.length - EXTRA) onMore();
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
    const element = box.current;
    if (!element) return;
    const header = ROW;
    if (at * ROW < element.scrollTop) element.scrollTop = at * ROW;
    else if ((at + 1) * ROW > element.scrollTop + element.clientHeight - header) {
      element.scrollTop = (at + 1) * ROW - element.clientHeight + header;
    }
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.target !== box.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(view.height / ROW) - 2);
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

  // The same function for every rendering, so that rows which did not change are not rendered again.
  const latest = useRef({ rows, onOpen });
  latest.current = { rows, onOpen };
  const click = useCallback((/** @type {any} */ event, /** @type {number} */ index) => {
    if (event.target.closest("a, button, input")) return;
    setActive(index);
    latest.current.onOpen?.(latest.current.rows[index], index);
  }, []);

  const shown = rows.slice(first, last);
  return html`<div class="grid" ref=${box} role="grid" tabindex="0" aria-label=${label} aria-rowcount=${rows.length}
      aria-activedescendant=${rows.length && active >= first && active < last ? `${id}-${active}` : undefined}
      onKeyDown=${press}
      onScroll=${(/** @type {any} */ event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}>
    <div class="grid-row grid-head" role="row" style=${{ gridTemplateColumns: template, minWidth: `${least}px` }}>
      ${columns.map((each) => html`<div role="columnheader" class=${each.number ? "right" : ""} key=${each.id}>${each.title}</div>`)}
    </div>
    <div class="grid-body" role="rowgroup" style=${{ height: `${rows.length * ROW}px`, minWidth: `${least}px` }}>
      ${shown.map((row, offset) => {
        const index = first + offset;
        const key = rowKey(row, index);
        return html`<${Row} key=${key} row=${row} index=${index} id=${`${id}-${index}`} columns=${columns} template=${template}
          selected=${key === selected} className=${`grid-row ${index === active ? "active" : ""} ${rowClass(row)}`} onClick=${click} />`;
      })}
    </div>
    ${footer && html`<div class="grid-foot">${footer}</div>`}
  </div>`;
}

/** A row; it is rendered again only if something of it has changed. */
class Row extends Component {
  /** @param {any} next */
  shouldComponentUpdate(next) {
    const present = /** @type {any} */ (this.props);
    return Object.keys(next).some((name) => name !== "children" && next[name] !== present[name]);
  }

  render() {
    const { row, index, id, columns, template, selected, className, onClick } = /** @type {any} */ (this.props);
    return html`<div role="row" id=${id} aria-rowindex=${index + 1} aria-selected=${selected} class=${className}
        style=${{ gridTemplateColumns: template, transform: `translateY(${index * ROW}px)` }}
        onClick=${(/** @type {any} */ event) => onClick(event, index)}>
      ${columns.map((/** @type {Column} */ each) => html`<div role="gridcell" class=${each.number ? "right" : ""} key=${each.id}>${each.cell(row, index)}</div>`)}
    </div>`;
  }
}
