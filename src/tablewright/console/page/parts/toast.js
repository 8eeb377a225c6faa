// Toasts: what was done, for a few seconds, with a button that undoes it.
import { html, signal } from "../lib.js";

/** @type {{value: {id: number, text: string, undo?: () => void}[]}} */
const shown = signal([]);
let last = 0;

/**
 * @param {string} text
 * @param {{undo?: () => void}} [options]
 */
export function toast(text, { undo } = {}) {
  const id = ++last;
  shown.value = [...shown.value, { id, text, undo }];
  setTimeout(() => dismiss(id), undo ? 12000 : 5000);
}

/** @param {number} id */
function dismiss(id) {
  shown.value = shown.value.filter((each) => each.id !== id);
}

/** The toasts, at the lower edge of the window. */
export function Toasts() {
  return html`<div class="toasts" role="status" aria-live="polite">
    ${shown.value.map(
      (each) => html`<div class="toast" key=${each.id}>
        <span>${each.text}</span>
        ${each.undo &&
        html`<button class="link" onClick=${() => (dismiss(each.id), each.undo?.())}>Undo</button>`}
        <button class="icon" aria-label="Dismiss" onClick=${() => dismiss(each.id)}>×</button>
      </div>`,
    )}
  </div>`;
}
