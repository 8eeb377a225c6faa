// The cost of a change: two designs or workloads side by side, and what became more or less expensive.
import { html, useLayoutEffect, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { Bar, moneyText } from "../parts/figures.js";
import { Field, Loading, Problem, Section, Select } from "../parts/layout.js";
import { href } from "../parts/router.js";
import { design } from "../parts/state.js";
import { parseRates } from "./load_cost.js";

/** @param {import("./load_cost.js").TabProps} props */
export function ChangeTab({ cost, params }) {
  const source = design.value?.source ?? "";
  const rates = parseRates(params.rates);
  const [before, setBefore] = useState({ design: source, workload: params.workload ?? "" });
  const [after, setAfter] = useState({ design: source, workload: params.workload ?? "" });
  const [found, setFound] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  function compare() {
    setError(null);
    const body = { before: side(before, {}), after: side(after, rates), region: params.region ?? null };
    api.post("/cost/compare", body).then(setFound, setError);
  }
  useLayoutEffect(compare, [params.rates, params.region]);
  const workloads = cost.data?.workloads ?? [];
  return html`
    <form class="sides" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), compare())}>
      <${Side} title="Before" side=${before} onChange=${setBefore} workloads=${workloads} />
      <${Side} title="After" side=${after} onChange=${setAfter} workloads=${workloads}
        note=${Object.keys(rates).length ? `with ${Object.entries(rates).map(([name, times]) => `${name}: ${times.toLocaleString("en")}`).join(", ")}` : ""} />
      <div class="buttons"><button type="submit" class="primary">Compare</button></div>
    </form>
    <${Problem} error=${error} />
    ${found ? html`<${Differences} found=${found} params=${params} />` : !error && html`<${Loading} />`}`;
}

/**
 * @param {{design: string, workload: string}} given
 * @param {Record<string, number>} rates
 */
function side(given, rates) {
  return { design: given.design || null, workload: given.workload || null, rates };
}

/** @param {{title: string, side: {design: string, workload: string}, onChange: (side: any) => void, workloads: string[], note?: string}} props */
function Side({ title, side: given, onChange, workloads, note = "" }) {
  return html`<fieldset class="card"><legend>${title}</legend>
    <${Field} label="Design" hint="module:name, in the package of this design">
      <input value=${given.design} spellcheck=${false} autocomplete="off" onInput=${(/** @type {any} */ event) => onChange({ ...given, design: event.currentTarget.value.trim() })} />
    <//>
    <${Select} label="Workload" value=${given.workload} options=${[{ value: "", title: "by default" }, ...workloads.map((name) => ({ value: name, title: name === "declared" ? "declared in the design" : name }))]}
      onChange=${(/** @type {string} */ name) => onChange({ ...given, workload: name })} />
    ${note && html`<p class="warn">${note}</p>`}
  </fieldset>`;
}

/** @param {{found: any, params: Record<string, string>}} props */
function Differences({ found, params }) {
  const most = Math.max(...found.differences.map((/** @type {any} */ difference) => Math.abs(difference.by)), 1e-12);
  const tone = found.by > 0 ? "bad" : found.by < 0 ? "good" : "dim";
  return html`<${Section} title="Difference">
    <p class="total"><span class="number">${moneyText(found.before)}</span> → <span class="number">${moneyText(found.after)}</span>${" "}
      <b class=${`number ${tone}`}>${found.by > 0 ? "+" : ""}${moneyText(found.by)} a month</b> <span class="dim">in ${found.region}</span></p>
    ${!found.differences.length && html`<p class="dim">Both cost the same. Choose another design or workload, or change rates in <a href=${href("heat_and_cost", ["cost"], params)}>Cost</a>.</p>`}
    ${found.differences.length > 0 && html`<div class="scrolls"><table class="figures">
      <thead><tr><th>What</th><th>Name</th><th class="right">Before</th><th class="right">After</th><th class="wide"></th><th class="right">Difference</th><th>Why</th></tr></thead>
      <tbody>${found.differences.map((/** @type {any} */ difference) => html`<tr key=${`${difference.what} ${difference.name}`}>
        <td class="dim">${difference.what}</td><td>${difference.name}</td>
        <td class="right number">${moneyText(difference.before)}</td><td class="right number">${moneyText(difference.after)}</td>
        <td class="wide"><${Bar} share=${Math.abs(difference.by) / most} tone=${difference.by > 0 ? "bad" : "good"} /></td>
        <td class=${`right number ${difference.by > 0 ? "bad" : "good"}`}>${difference.by > 0 ? "+" : ""}${moneyText(difference.by)}</td>
        <td class="why">${difference.why}</td>
      </tr>`)}</tbody>
    </table></div>`}
  <//>`;
}
