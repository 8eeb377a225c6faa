// Actions on the item in the details panel.
import { html, signal } from "../lib.js";
import { Copy } from "./code.js";
import { historyHref } from "./item_links.js";
import { href } from "./router.js";
import { plain } from "./values.js";

/** Whether details show the item as raw DynamoDB JSON; the key r switches it. */
export const raw = signal(false);

/**
 * @param {{shown: any}} props an item as the API describes it, with all its values
 */
export function ItemActions({ shown }) {
  const values = Object.fromEntries(Object.entries(shown.item).map(([name, value]) => [name, plain(value)]));
  const { key, owner, role } = shown;
  const edit = (/** @type {any} */ of, more = {}) => href("edit", [], { table: shown.table, key: JSON.stringify(of), ...more });
  return html`<div class="item-actions toolbar" role="group" aria-label="Actions">
    <${Copy} text=${JSON.stringify(shown.key)} title="Copy key" />
    <${Copy} text=${JSON.stringify(values, null, 2)} title="Copy JSON" />
    ${role === "copy" || role === "lock"
      ? owner && html`<a class="button" href=${edit(owner)} title=${`Edit the entity that this ${role} belongs to`}>Edit owner</a>`
      : html`<a class="button" href=${edit(key)}>Edit</a><a class="button danger" href=${edit(key, { delete: 1 })}>Delete</a>`}
    <button aria-pressed=${raw.value} onClick=${() => (raw.value = !raw.value)} title="DynamoDB JSON (r)">Raw</button>
    <a class="button" href=${historyHref(shown.table, shown.key)} title="Earlier versions of this item">History</a>
  </div>`;
}
