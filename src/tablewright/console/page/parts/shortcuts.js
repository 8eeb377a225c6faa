// Keyboard shortcuts that work in every view.
import { html, signal, useLayoutEffect, useRef } from "../lib.js";
import { open as palette } from "./palette.js";
import { go } from "./router.js";
import { VIEWS } from "./views.js";

export const help = signal(false);
/** The key that is held for a shortcut, as keyboards name it. */
export const CTRL = /Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘" : "Ctrl";
let leader = 0;

/** @param {KeyboardEvent} event */
function isTyping(event) {
  const element = /** @type {HTMLElement} */ (event.target);
  return element.matches?.("input, textarea, select, [contenteditable]") || Boolean(document.querySelector("dialog[open]"));
}

addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    palette.value = true;
    return;
  }
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  const follows = performance.now() - leader < 1500;
  leader = 0;
  const view = follows && VIEWS.find((each) => each.key === event.key);
  if (view) {
    event.preventDefault();
    go(view.id);
  } else if (event.key === "g") {
    leader = performance.now();
  } else if (event.key === "/") {
    const filter = /** @type {HTMLElement | null} */ (document.querySelector("[data-filter]"));
    if (filter) {
      event.preventDefault();
      filter.focus();
    }
  } else if (event.key === "?") {
    help.value = true;
  }
});

const KEYS = [
  [`${CTRL} K`, "find a view, table, entity, pattern or key"],
  [`${CTRL} Enter`, "run a query"],
  ["/", "filter"],
  ["↑ ↓ Home End", "move in a list"],
  ["Enter", "open"],
  ["r", "raw DynamoDB JSON of an item"],
  ["Space", "pause or resume a stream"],
  ["Esc", "close"],
  ["?", "this list"],
];

/** The list of shortcuts, while it is open. */
export function Help() {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useLayoutEffect(() => {
    if (help.value) box.current?.showModal();
  }, [help.value]);
  if (!help.value) return null;
  return html`<dialog class="help" ref=${box} aria-label="Keyboard shortcuts" onClose=${() => (help.value = false)}>
    <h2>Keyboard shortcuts</h2>
    <dl>
      ${[...KEYS, ...VIEWS.map((view) => [`g ${view.key}`, `go to ${view.title}`])].map(
        ([keys, about]) => html`<div key=${keys}><dt><kbd>${keys}</kbd></dt><dd>${about}</dd></div>`,
      )}
    </dl>
    <button autofocus onClick=${() => box.current?.close()}>Close</button>
  </dialog>`;
}
