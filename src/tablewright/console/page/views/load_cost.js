// The cost of a month, by pattern, write and table. Rates can be changed to see what that would cost.
import { html, useState } from "../lib.js";
import { Bar, Calculation, Figure, amountText, moneyText, shareText } from "../parts/figures.js";
import { Button, Code, Empty, Loading, Problem, Section } from "../parts/layout.js";
import { href } from "../parts/router.js";
import { design, hue } from "../parts/state.js";
import { EntityName, sizeText } from "../parts/values.js";

/**
 * @typedef {object} TabProps
 * @property {{data: any, error: any, stale: boolean, reload: () => void}} cost
 * @property {Record<string, string>} params
 * @property {(changed: Record<string, any>) => void} choose
 * @property {(detail: {title: any, content: any} | null) => void} show
 */

/** @param {TabProps} props */
export function CostTab({ cost, params, choose, show }) {
  const found = cost.data;
  if (cost.error && !found) return html`<${Problem} error=${cost.error} onRetry=${cost.reload} />`;
  if (!found) return html`<${Loading} />`;
  if (!found.is_declared && !found.assumption) return html`<${NoRates} found=${found} choose=${choose} />`;
  const rates = parseRates(params.rates);
  const most = Math.max(...found.lines.map((/** @type {any} */ line) => line.cost), 1e-12);
  return html`
    <${Problem} error=${cost.error} />
    ${found.assumption && html`<p class="notice" role="note">${found.assumption}</p>`}
    <${Total} found=${found} show=${show} />
    <${Section} title="By pattern and write" actions=${html`<${RateActions} rates=${rates} params=${params} choose=${choose} />`}>
      <div class="scrolls"><table class="figures">
        <thead><tr><th>Pattern or write</th><th class="right">Times a month</th><th class="right" title="R: read units, W: write units">Units each</th><th class="right">Units</th><th class="wide"></th><th class="right">On demand</th></tr></thead>
        <tbody>${[...found.lines].sort((one, two) => two.cost - one.cost).map(
          (/** @type {any} */ line) => html`<${Line} key=${line.name} line=${line} most=${most} rates=${rates} choose=${choose} show=${show} />`,
        )}</tbody>
      </table></div>
    <//>
    <${Tables} tables=${found.tables} show=${show} />
    <${Undeclared} missing=${found.undeclared} />
    ${found.notes.length > 0 && html`<details><summary>Assumptions (${found.notes.length})</summary>
      <ul class="notes">${found.notes.map((/** @type {string} */ note) => html`<li>${note}</li>`)}</ul></details>`}`;
}

/** @param {string | undefined} text */
export function parseRates(text) {
  try {
    return /** @type {Record<string, number>} */ (JSON.parse(text || "{}"));
  } catch {
    return {};
  }
}

/** @param {{found: any, choose: (changed: Record<string, any>) => void}} props */
export function NoRates({ found, choose }) {
  const first = found.undeclared.find((/** @type {any} */ each) => each.kind === "pattern") ?? found.undeclared[0];
  const entity = found.undeclared.find((/** @type {any} */ each) => each.kind === "entity");
  return html`<${Empty} title="No rates are declared">
    <p>Say how often patterns run and entities are written. Then this view shows what the design costs, and which keys throttle.</p>
    ${first && html`<p>${first.file ? `In ${first.file}, line ${first.line}:` : "In the class of a pattern:"}</p>
      <${Code} label="A pattern with a rate" text=${`${first.source || `class ${first.name}(...):`}\n    ${first.add}`} />`}
    ${entity && html`<p>${entity.file ? `And in ${entity.file}, line ${entity.line}:` : "And in the class of an entity:"}</p>
      <${Code} label="An entity with expectations" text=${withArgument(entity)} />`}
    <p>Or put rates in a file <code>workload.json</code> beside the design:</p>
    <${Code} label="A workload file" text=${`{"patterns": {"${first?.name ?? "ByName"}": 10000}}`} />
    <p><${Button} primary onClick=${() => choose({ assume: "true" })}>Estimate with assumed rates<//></p>
  <//>`;
}

/** @param {any} entity */
function withArgument(entity) {
  const source = /\):\s*$/.test(entity.source) ? entity.source : `class ${entity.name}(Entity, table=...):`;
  return source.replace(/\):\s*$/, `,\n    ${entity.add}):`);
}

/** @param {{found: any, show: TabProps["show"]}} props */
function Total({ found, show }) {
  const steps = found.tables.map((/** @type {any} */ table) => ({ text: `${table.name}: requests, storage and extras`, cost: table.cost }));
  const open = () => show({ title: "Cost of a month", content: html`<${Calculation} steps=${steps} total=${found.cost} />` });
  return html`<p class="total">
    <${Figure} text=${moneyText(found.cost)} label="Cost of a month" onOpen=${open} />${" a month "}
    <span class="dim">in ${found.region}, with prices of ${found.prices_as_of}</span>
  </p>`;
}

/** @param {{rates: Record<string, number>, params: Record<string, string>, choose: TabProps["choose"]}} props */
function RateActions({ rates, params, choose }) {
  const count = Object.keys(rates).length;
  if (!count) return html`<span class="dim">Change a number of times to see what that costs</span>`;
  return html`<span class="toolbar">
    <span class="warn">${count === 1 ? "1 rate" : `${count} rates`} changed here, not in the design</span>
    <a class="button" href=${href("heat_and_cost", ["change"], params)}>Compare</a>
    <${Button} onClick=${() => choose({ rates: "" })}>Reset<//>
  </span>`;
}

/** @param {{line: any, most: number, rates: Record<string, number>, choose: TabProps["choose"], show: TabProps["show"]}} props */
function Line({ line, most, rates, choose, show }) {
  const open = () =>
    show({ title: line.name, content: html`<${Calculation} steps=${line.calculation} total=${line.cost} />
      <p class="dim">Capacity units of one ${line.kind === "read" ? "run" : "write"}, times a month, times the price of the region.</p>` });
  const unit = line.kind === "read" ? line.each.read : line.each.write;
  return html`<tr>
    <td><${Subject} line=${line} /></td>
    <td class="right"><${RateInput} line=${line} rates=${rates} choose=${choose} /></td>
    <td class="right number">${amountText(unit)} <span class="dim">${line.kind === "read" ? "R" : "W"}</span></td>
    <td class="right number">${amountText(line.units.read + line.units.write)}</td>
    <td class="wide"><${Bar} share=${line.cost / most} tone=${hue(entityOf(line))} /></td>
    <td class="right"><${Figure} text=${moneyText(line.cost)} label=${`Cost of ${line.name}`} onOpen=${open} /></td>
  </tr>`;
}

/** @param {{line: any}} props */
function Subject({ line }) {
  if (line.kind === "read") return html`<span class="dim">read</span> <a class=${`entity ${hue(entityOf(line))}`} href=${href("patterns", [line.name])}>${line.name}</a>`;
  return html`<span class="dim">${line.name.split(" ")[0]}</span> <${EntityName} name=${line.subject} />`;
}

/**
 * The entity that a line reads or writes; it has its colour.
 * @param {any} line
 * @returns {string | null}
 */
const entityOf = (line) =>
  line.kind === "read" ? (design.value?.patterns.find((/** @type {any} */ pattern) => pattern.name === line.name)?.entities[0] ?? null) : line.subject;

/** @param {{line: any, rates: Record<string, number>, choose: TabProps["choose"]}} props */
function RateInput({ line, rates, choose }) {
  const [wrong, setWrong] = useState("");
  /** @param {any} event */
  function change(event) {
    const text = event.currentTarget.value.replaceAll(",", "").trim();
    const value = Number(text);
    if (text === "" || !(value >= 0 && value <= 1e15)) {
      setWrong("Give a number of 0 or more");
      return;
    }
    setWrong("");
    choose({ rates: JSON.stringify({ ...rates, [line.name]: value }) });
  }
  return html`<input class=${`rate ${line.name in rates ? "changed" : ""}`} inputmode="decimal" autocomplete="off" key=${line.times}
    aria-label=${`${line.name}, times a month`} aria-invalid=${wrong !== ""} title=${wrong}
    defaultValue=${line.times.toLocaleString("en", { maximumFractionDigits: 3 })} onChange=${change} />
    ${wrong && html`<span class="message" role="alert">${wrong}</span>`}`;
}

/** @param {{tables: any[], show: TabProps["show"]}} props */
function Tables({ tables, show }) {
  const most = Math.max(...tables.map((table) => table.cost), 1e-12);
  /** @param {any} each @param {string} name @param {string} title */
  const figure = (each, name, title) => {
    const sum = each[`${name}_cost`];
    if (sum === null) return html`<span class="absent">–</span>`;
    const content = html`<${Calculation} steps=${each.calculations[name]} total=${sum} />`;
    const chosen = each.billing.replace(" ", "_") === name;
    return html`<${Figure} text=${moneyText(sum)} label=${`${title} of ${each.name}`} tone=${chosen ? "chosen" : name === "storage" ? "" : "other"}
      onOpen=${() => show({ title: `${each.name}: ${title}`, content })} />`;
  };
  return html`<${Section} title="By table" actions=${html`<span class="dim">strong: the billing mode of the design</span>`}>
    <div class="scrolls"><table class="figures">
      <thead><tr><th>Table</th><th class="right">Items</th><th class="right">Stored</th><th class="right">Storage</th><th class="right">On demand</th><th class="right">Provisioned</th><th class="right">Use</th><th class="right">Recovery, copies</th><th class="wide"></th><th class="right">Total</th></tr></thead>
      <tbody>${tables.map((table) => html`<tr key=${table.name}>
        <td><a href=${href("items", [table.name])}>${table.name}</a></td>
        <td class="right number">${amountText(Math.round(table.items))}</td>
        <td class="right number">${sizeText(table.bytes)}</td>
        <td class="right">${figure(table, "storage", "storage")}</td>
        <td class="right">${figure(table, "on_demand", "requests on demand")}</td>
        <td class="right">${figure(table, "provisioned", "provisioned capacity")}</td>
        <td class="right number dim" title="Average use of the provisioned read and write units">${shareText(table.utilisation.read)} R ${shareText(table.utilisation.write)} W</td>
        <td class="right"><${Extras} each=${table} show=${show} /></td>
        <td class="wide"><${Bar} share=${table.cost / most} tone="table" /></td>
        <td class="right number"><b>${moneyText(table.cost)}</b></td>
      </tr>`)}</tbody>
    </table></div>
    ${tables.some((table) => table.short.length > 0) && html`<p class="warn">Less is provisioned than the busiest second needs: ${tables.flatMap((table) => table.short).join(", ")}</p>`}
  <//>`;
}

/** @param {{each: any, show: TabProps["show"]}} props */
function Extras({ each, show }) {
  const sum = each.extras.reduce((/** @type {number} */ total, /** @type {any} */ extra) => total + extra.cost, 0);
  if (!each.extras.length) return html`<span class="dim number">${moneyText(0)}</span>`;
  const steps = each.extras.map((/** @type {any} */ extra) => ({ text: `${extra.name}, ${extra.amount}`, cost: extra.cost }));
  return html`<${Figure} text=${moneyText(sum)} label=${`Recovery and copies of ${each.name}`}
    onOpen=${() => show({ title: `${each.name}: recovery and copies`, content: html`<${Calculation} steps=${steps} total=${sum} />` })} />`;
}

/** @param {{missing: any[]}} props */
function Undeclared({ missing }) {
  if (!missing.length) return null;
  return html`<details class="undeclared"><summary>Without rates: ${missing.length} patterns and entities of ${design.value?.title ?? "the design"}</summary>
    <div class="scrolls"><table class="figures"><thead><tr><th>Name</th><th>Where</th><th>Add</th></tr></thead>
      <tbody>${missing.map((each) => html`<tr key=${each.name}>
        <td>${each.kind === "entity" ? html`<${EntityName} name=${each.name} />` : html`<a href=${href("patterns", [each.name])}>${each.name}</a>`}</td>
        <td class="dim">${each.file ? `${each.file}:${each.line}` : ""}</td>
        <td><code>${each.add}</code></td>
      </tr>`)}</tbody></table></div></details>`;
}
