// The pinned item: its details stay at the right while other items and other views are open, to compare or to look up.
import { html, signal } from "../lib.js";
import { linkStyles } from "./layout.js";
import { route } from "./router.js";
import { design } from "./state.js";

/** @type {{value: {design: string, table: string, item: string} | null}} */
const pinned = signal(null);
/** @type {{value: any}} the component that shows the item, once it is loaded */
const details = signal(null);

/**
 * Keep the details of an item in sight.
 * @param {string} table
 * @param {Record<string, any>} key the primary key in DynamoDB's JSON
 */
async function pin(table, key) {
  linkStyles("items");
  pinned.value = { design: route.value.design, table, item: JSON.stringify(key) };
  if (!details.value) details.value = (await import("../views/items_details.js")).Details;
}

const unpin = () => {
  pinned.value = null;
};

/**
 * The button that pins the item of a panel, and closes the panel: the item is shown beside it from now on.
 * @param {{table: string, itemKey: Record<string, any>, onPin: () => void}} props
 */
export const Pin = ({ table, itemKey, onPin }) =>
  html`<button class="link" title="Keep this item in sight while you open others" onClick=${() => (pin(table, itemKey), onPin())}>Pin</button>`;

/** The pinned item, if it is of the open design. */
export function Pinned() {
  const at = pinned.value;
  const Found = details.value;
  if (!at || !Found || at.design !== design.value?.name) return null;
  return html`<div class="pinned-item view-items"><${Found} key=${`${at.table} ${at.item}`} table=${at.table} item=${at.item} version=${0} isPinned onClose=${unpin} /></div>`;
}
