// Commands for the open design, which run as they are shown.
import { html } from "../lib.js";
import { Code } from "./code.js";
import { design } from "./state.js";

/**
 * A command on the open store, with what to know before it is run; the note alone where no command reaches the data.
 * @param {{text: string, label?: string}} props
 */
export function Command({ text, label = "Command" }) {
  const { note, reachable } = design.value.commands;
  return html`${reachable && html`<${Code} text=${text} label=${label} />`}${note && html`<p class="hint">${note}</p>`}`;
}
