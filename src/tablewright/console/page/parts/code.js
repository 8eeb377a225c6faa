// Code blocks that can be copied.
import { html, useState } from "../lib.js";

/** @param {{text: string, label?: string}} props */
export function Code({ text, label = "Code" }) {
  return html`<div class="code">
    <${Copy} text=${text} />
    <pre tabindex="0" aria-label=${label}>${text}</pre>
  </div>`;
}

/** @param {{text: string, title?: string}} props */
export function Copy({ text, title = "Copy" }) {
  const [done, setDone] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copyBySelection(text);
    }
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  }
  return html`<button class="copy" onClick=${copy}>${done ? "Copied" : title}</button>`;
}

/**
 * Copy where the clipboard is not allowed.
 * @param {string} text
 */
function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
