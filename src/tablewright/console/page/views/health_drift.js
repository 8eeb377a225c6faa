// Drift: each setting of each table, as the design declares it and as the table has it.
import { html, useState } from "../lib.js";
import { Command } from "../parts/command.js";
import { Code, Empty, Loading, Problem } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { href } from "../parts/router.js";
import { HealthPage } from "./health.js";

/** @type {Record<string, [string, string]>} the text and the tone of each state */
const STATES = {
  same: ["same", ""],
  different: ["different", "warn"],
  "not stated": ["not in the design", ""],
  unknown: ["not reported", ""],
  missing: ["missing", "bad"],
  "not declared": ["not in the design", "warn"],
};

/** The states in which a deployment changes nothing. */
const QUIET = new Set(["same", "not stated"]);

/** @param {{tabs: any}} props */
export function Drift({ tabs }) {
  const { data, error, stale, reload } = useLoad("/health/drift");
  const [all, setAll] = useState(false);
  const toolbar = html`<label class="check"><input type="checkbox" checked=${all} onChange=${(/** @type {any} */ event) => setAll(event.currentTarget.checked)} /> Show all settings</label>
    <button onClick=${reload}>Compare again</button>`;
  return html`<${HealthPage} tabs=${tabs} stale=${stale && data !== null} toolbar=${toolbar}>
    <${Problem} error=${error} onRetry=${reload} />
    ${!data && !error && html`<${Loading} />`}
    ${data && html`<${Summary} data=${data} />
      ${data.state !== "missing" && data.tables.map((/** @type {any} */ table) => html`<${TableDrift} key=${table.table} table=${table} all=${all} />`)}`}
  <//>`;
}

/** @param {{data: any}} props */
function Summary({ data }) {
  if (data.state === "missing") {
    return html`<${Empty} title="No table of this design exists here yet">
      <p>Create the tables with:</p><${Command} text=${data.commands.deploy} label="Command that creates the tables" />
    <//>`;
  }
  if (data.state === "same") return html`<p class="good" role="status">${data.tables.length === 1 ? "The table matches" : `All ${data.tables.length} tables match`} the design.</p>`;
  return html`<div>
    <p role="status"><b class="warn">${data.different} of ${data.tables.length} tables differ from the design.</b> See the steps with <code>plan</code>, make the tables match with <code>deploy</code>:</p>
    <${Command} text=${`${data.commands.plan}\n${data.commands.deploy}`} label="Commands" />
  </div>`;
}

/** @param {{table: any, all: boolean}} props */
function TableDrift({ table, all }) {
  const rows = table.settings.filter((/** @type {any} */ setting) => all || !QUIET.has(setting.state));
  const [text, tone] = STATES[table.state];
  if (!rows.length && table.state === "same" && !table.warnings.length) {
    return html`<section class="card drift same" aria-label=${`Table ${table.table}`}><header><h2><a href=${href("items", [table.table])}>${table.table}</a></h2><span class="tag good">same</span></header></section>`;
  }
  return html`<section class="card drift" aria-label=${`Table ${table.table}`}>
    <header><h2><a href=${href("items", [table.table])}>${table.table}</a></h2><span class=${`tag ${tone || "good"}`}>${text}</span></header>
    ${rows.length > 0 && html`<table>
      <thead><tr><th scope="col">Setting</th><th scope="col">Design</th><th scope="col">Table</th><th scope="col">State</th></tr></thead>
      <tbody>${rows.map((/** @type {any} */ row) => html`<${Row} key=${row.setting} row=${row} />`)}</tbody>
    </table>`}
    ${[...table.obstacles, ...table.warnings].map((/** @type {string} */ obstacle, /** @type {number} */ place) => html`<p key=${place} class=${place < table.obstacles.length ? "bad" : "warn"}>${obstacle}</p>`)}
    ${table.steps.length > 0 && html`<${Steps} steps=${table.steps} />`}
  </section>`;
}

/** @param {{row: any}} props */
function Row({ row }) {
  const [text, tone] = STATES[row.state];
  return html`<tr class=${row.state.replace(" ", "-")}>
    <th scope="row">${row.setting.replaceAll("_", " ")}</th>
    <td class="declared"><pre>${row.declared}</pre></td>
    <td class="found"><pre>${row.found}</pre></td>
    <td><span class=${`tag ${tone}`}>${text}</span></td>
  </tr>`;
}

/** @param {{steps: any[]}} props */
const Steps = ({ steps }) => html`<details class="steps">
  <summary>${steps.length} ${steps.length === 1 ? "step" : "steps"} to deploy</summary>
  <ol>${steps.map(
    (step, place) => html`<li key=${place}>${step.does}${step.write_units > 0 && html` <small>about ${step.write_units.toLocaleString("en")} write units</small>`}
      ${step.loss && html`<div class="bad">${step.loss}</div>`}
      ${step.requests.map((/** @type {any} */ one, /** @type {number} */ at) => html`<${Code} key=${at} text=${`${one.operation}\n${JSON.stringify(one.request, null, 2)}`} label=${`Request ${one.operation}`} />`)}</li>`,
  )}</ol>
</details>`;
