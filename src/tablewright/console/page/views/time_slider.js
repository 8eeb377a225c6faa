// The slider over the period that can be looked back to, and the key of the item.
import { html, useLayoutEffect, useState } from "../lib.js";
import { go } from "../parts/router.js";
import { table as tableOf } from "../parts/state.js";

const DELAY = 120;
const MOST_TICKS = 300;

/** @param {{table: string, partition: string | undefined, sort: string | undefined}} props */
export function KeyForm({ table, partition, sort }) {
  const [typed, setTyped] = useState({ partition: partition ?? "", sort: sort ?? "" });
  const [partitionName, sortName] = tableOf(table).key;
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const path = [table, typed.partition, sortName && typed.sort].filter((each) => each);
    go("time", typed.partition ? /** @type {string[]} */ (path) : [table], {});
  }
  return html`<form class="key-form" onSubmit=${submit} role="search">
    <label>${partitionName} <input data-filter="" value=${typed.partition} onInput=${(/** @type {any} */ event) => setTyped({ ...typed, partition: event.currentTarget.value })} spellcheck=${false} autocomplete="off" /></label>
    ${sortName && html`<label>${sortName} <input value=${typed.sort} placeholder="all" onInput=${(/** @type {any} */ event) => setTyped({ ...typed, sort: event.currentTarget.value })} spellcheck=${false} autocomplete="off" /></label>`}
    <button type="submit">Show</button>
    ${partition !== undefined && html`<button type="button" onClick=${() => go("time", [table], {})}>All changes</button>`}
  </form>`;
}

/**
 * A time as it is typed and shown: UTC, to the second, with milliseconds where there are any.
 * @param {number} seconds
 */
export function timeText(seconds) {
  const text = new Date(Math.round(seconds * 1000)).toISOString().replace("T", " ").replace("Z", "");
  return text.replace(/\.000$/, "");
}

/**
 * @param {string} text
 * @returns {number | null}
 */
export function parseTime(text) {
  if (!/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text.trim())) return null;
  const time = Date.parse(`${text.trim().replace(" ", "T")}Z`);
  return Number.isNaN(time) ? null : time / 1000;
}

/**
 * Two points in time: the one that is shown, and the one that it is compared with (null is now).
 * @param {{first: number, now: number, from: number, to: number | null, changes: any[], onChange: (params: {at?: number | "", to?: number | ""}) => void}} props
 */
export function Slider({ first, now, from, to, changes, onChange }) {
  const times = [...new Set(changes.map((change) => change.at))];
  const earlier = times.find((time) => time < from) ?? (from > first ? first : null);
  const later = times.filter((time) => time > from).pop() ?? (from < now ? now : null);
  return html`<section class="slider card" aria-label="Point in time">
    <${Point} label="Show items as of" first=${first} now=${now} at=${from} onChange=${(/** @type {number} */ at) => onChange({ at: at === now ? "" : at })}>
      <div class="steps" role="group" aria-label="Versions">
        <button disabled=${earlier === null} onClick=${() => onChange({ at: earlier ?? first })} title="The version before">← earlier</button>
        <button disabled=${later === null} onClick=${() => onChange({ at: later === now || later === null ? "" : later })} title="The version after">later →</button>
      </div>
      <label class="compare"><input type="checkbox" checked=${to !== null} onChange=${() => onChange({ to: to === null ? now : "" })} />compare with another time than now</label>
    <//>
    <${Ticks} times=${times} first=${first} now=${now} from=${from} />
    ${to !== null && html`<${Point} label="Compare with" first=${first} now=${now} at=${to} onChange=${(/** @type {number} */ at) => onChange({ to: at })} />`}
  </section>`;
}

/** @param {{label: string, first: number, now: number, at: number, onChange: (at: number) => void, children?: any}} props */
function Point({ label, first, now, at, onChange, children }) {
  const [moved, setMoved] = useState(/** @type {number | null} */ (null));
  const [typed, setTyped] = useState(/** @type {string | null} */ (null));
  const [message, setMessage] = useState("");
  useLayoutEffect(() => {
    if (moved === null) return undefined;
    const timer = setTimeout(() => {
      onChange(moved);
      setMoved(null);
    }, DELAY);
    return () => clearTimeout(timer);
  }, [moved]);
  /** @param {any} event */
  function enter(event) {
    const text = event.currentTarget.value;
    const time = text.trim() === "now" ? now : parseTime(text);
    if (time === null || time < first || time > now) {
      setTyped(text);
      setMessage(time === null ? "Write the time as 2026-02-18 14:25:00, in UTC, or now." : `The time must be from ${timeText(first)} to ${timeText(now)}.`);
      return;
    }
    setTyped(null);
    setMessage("");
    onChange(time);
  }
  const shown = moved ?? at;
  const last = Math.max(Math.ceil(now), Math.floor(first) + 1);
  return html`<div class="slider-row">
      <label class="point-time">${label} <input type="text" class=${message ? "wrong" : ""} value=${typed ?? (shown === now ? "now" : timeText(shown))} onChange=${enter} spellcheck=${false} autocomplete="off" aria-invalid=${Boolean(message)} /> <small>UTC</small></label>
      ${message && html`<span class="message" role="alert">${message}</span>`}
      ${children}
    </div>
    <input class="point-range" type="range" aria-label=${`${label}, slider`} aria-valuetext=${timeText(shown)} min=${Math.floor(first)} max=${last} step="1" value=${shown === now ? last : shown}
      onInput=${(/** @type {any} */ event) => (setTyped(null), setMessage(""), setMoved(Math.min(now, Math.max(first, Number(event.currentTarget.value)))))} />`;
}

/** Where the changes are. @param {{times: number[], first: number, now: number, from: number}} props */
function Ticks({ times, first, now, from }) {
  const span = Math.max(1, now - first);
  /** @param {number} time */
  const left = (time) => `${Math.max(0, Math.min(100, ((time - first) / span) * 100))}%`;
  return html`<div class="ticks" aria-hidden="true">
    <div class="ticks-line">
      ${times.slice(0, MOST_TICKS).map((time) => html`<i key=${time} class=${time <= from ? "past" : ""} style=${{ left: left(time) }}></i>`)}
    </div>
    <div class="ticks-ends"><span>${timeText(first).slice(0, 19)}</span><span>${times.length > 1 ? `changed at ${times.length} times` : ""}</span><span>now</span></div>
  </div>`;
}

