import { html } from "../lib.js";
import { Page } from "../parts/layout.js";

export default function View() {
  return html`<${Page} title="streams" />`;
}
