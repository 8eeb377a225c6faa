// Differences between two items, attribute by attribute.
import { html } from "../lib.js";
import { Text, Value } from "./values.js";

/**
 * @param {Record<string, any> | null} before
 * @param {Record<string, any> | null} after
 * @returns {{name: string, change: "added" | "removed" | "changed" | "same", before: any, after: any}[]}
 */
export function changes(before, after) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.map((name) => {
    const [old, now] = [before?.[name], after?.[name]];
    const same = JSON.stringify(old) === JSON.stringify(now);
    const change = same ? "same" : old === undefined ? "added" : now === undefined ? "removed" : "changed";
    return { name, change, before: old, after: now };
  });
}

/**
 * @param {{before: Record<string, any> | null, after: Record<string, any> | null, all?: boolean, label?: string, changed?: string[] | null, titles?: string[]}} props
 * `all` also shows attributes that did not change; `changed` names those whose hidden values differ
 */
export function Diff({ before, after, all = false, label = "Changes", changed = null, titles = ["Before", "After"] }) {
  const rows = changes(before, after)
    .map((change) => (change.change === "same" && changed?.includes(change.name) ? { ...change, change: /** @type {const} */ ("changed") } : change))
    .filter((each) => all || each.change !== "same");
  if (!rows.length) return html`<p class="dim">No attribute changes.</p>`;
  const marks = { added: "+", removed: "−", changed: "±", same: "" };
  return html`<table class="diff" aria-label=${label}>
    <thead><tr><th><span class="for-readers">Change</span></th><th>Attribute</th><th>${titles[0]}</th><th>${titles[1]}</th></tr></thead>
    <tbody>
      ${rows.map(
        (row) => html`<tr key=${row.name} class=${row.change}>
          <td title=${row.change}>${marks[row.change]}</td>
          <th scope="row"><${Text} text=${row.name} /></th>
          <td>${row.before !== undefined && html`<${Value} value=${row.before} full />`}</td>
          <td>${row.after !== undefined && html`<${Value} value=${row.after} full />`}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}
