// Changes of items, as the API describes them: in one line, and in the details panel.
import { html } from "../lib.js";
import { Diff, changes } from "./diff.js";
import { keyText } from "./item_links.js";
import { table as tableOf } from "./state.js";
import { EntityName, KeyText, Text, valueText } from "./values.js";

/** @type {Record<string, string>} */
const TONES = { inserted: "good", modified: "", removed: "bad", expired: "warn", same: "" };
const LONGEST = 60;

/**
 * What happened: inserted, modified, removed or expired.
 * @param {{event: string, title?: string}} props
 */
export const EventTag = ({ event, title }) => html`<span class=${`tag ${TONES[event] ?? ""}`}>${title ?? event}</span>`;

/**
 * The keys of a change, part by part, in one line.
 * @param {{change: any, sort?: boolean}} props `sort` leaves out the partition key
 */
export function ChangeKey({ change, sort = false }) {
  const names = (tableOf(change.table)?.key ?? Object.keys(change.key)).slice(sort && Object.keys(change.key).length > 1 ? 1 : 0);
  return html`<span class="change-key">${names.map(
    (/** @type {string} */ name) => html`<${KeyText} key=${name} parts=${change.key_parts[name] ?? [{ text: keyText(change.key[name]), field: null }]} /> `,
  )}</span>`;
}

/**
 * The changed attributes in one line: `title: Sail → Fly`.
 * @param {{change: any}} props
 */
export function ChangeText({ change }) {
  if (change.changed === null) return html`<span class="dim">the stream has not both images</span>`;
  if (change.kind === "inserted" || change.kind === "removed") {
    const size = Object.keys(change.after ?? change.before ?? {}).length;
    return html`<span class="dim">${size} attributes</span>`;
  }
  const keys = tableOf(change.table)?.key ?? [];
  const rows = changes(change.before, change.after).filter((each) => change.changed.includes(each.name) && !keys.includes(each.name));
  return html`<span class="change-text">${rows.map(
    (row) => html`<span key=${row.name}><b><${Text} text=${change.attributes[row.name] ?? row.name} /></b>${" "}
      <del>${short(row.before)}</del> → <ins>${short(row.after)}</ins></span>`,
  )}</span>`;
}

/** @param {any} value */
function short(value) {
  if (value === undefined) return html`<i>none</i>`;
  const text = valueText(value);
  return html`<${Text} text=${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text} />`;
}

/**
 * The entity, the key and the difference of a change.
 * @param {{change: any, before?: string, after?: string}} props `before` and `after` are the titles of the two sides
 */
export function ChangeDetails({ change, before = "Before", after = "After" }) {
  const keys = tableOf(change.table)?.key ?? Object.keys(change.key);
  /** @param {Record<string, any> | null} item */
  const own = (item) => item && Object.fromEntries(Object.entries(item).filter(([name]) => !keys.includes(name)));
  return html`<div class="change-details">
    <dl class="facts">
      <div><dt>Entity</dt><dd><${EntityName} name=${change.entity} role=${change.role} /></dd></div>
      ${keys.map((/** @type {string} */ name) => html`<div key=${name}><dt><code>${name}</code></dt><dd><${KeyText} parts=${change.key_parts[name] ?? [{ text: keyText(change.key[name]), field: null }]} /></dd></div>`)}
    </dl>
    <${Diff} before=${own(change.before)} after=${own(change.after)} all=${change.changed === null} changed=${change.changed} label=${`${before} and ${after}`} titles=${[before, after]} />
  </div>`;
}
