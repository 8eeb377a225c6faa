// Commands for the open design, which run as they are shown.
import { html } from "../lib.js";
import { Code } from "./code.js";
import { design } from "./state.js";

const WITHOUT_KEYS = /^tablewright (backup|plan) /;

/**
 * A command on the open store, with what to know before it is run; the note alone where no command reaches the data.
 * @param {{text: string, label?: string}} props
 */
export function Command({ text, label = "Command" }) {
  const { note, keys_note, reachable } = design.value.commands;
  const takesKeys = text.split("\n").some((line) => !WITHOUT_KEYS.test(line));
  const notes = [note, takesKeys && keys_note].filter(Boolean).join(" ");
  return html`${reachable && html`<${Code} text=${text} label=${label} />`}${notes && html`<p class="hint">${notes}</p>`}`;
}
