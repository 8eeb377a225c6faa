// Declared and measured: the requests of the embedded engine beside what the design declares.
import { html, useLayoutEffect, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { Bar, Figure, amountText, shareText } from "../parts/figures.js";
import { Button, Code, Empty, Loading, Problem, Section } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { href } from "../parts/router.js";
import { design, hue } from "../parts/state.js";
import { EntityName, KeyText, Time } from "../parts/values.js";

const PERIOD = 2000;

/** @param {import("./load_cost.js").TabProps} props */
export function MeasuredTab({ params, show }) {
  const { workload, rates } = params;
  const { data, error, reload } = useLoad("/traffic", { workload, rates });
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const measuring = data?.is_measuring;
  useLayoutEffect(() => {
    if (!measuring) return undefined;
    const timer = setInterval(reload, PERIOD);
    return () => clearInterval(timer);
  }, [measuring]);
  if (error && !data) return html`<${Problem} error=${error} onRetry=${reload} />`;
  if (!data) return html`<${Loading} />`;
  if (!data.available) {
    return html`<${Empty} title="Requests are not measured here"><p>${data.why}</p>
      <${Code} label="Command" text=${design.value.commands.serve} /><//>`;
  }
  /** @param {string} verb */
  const press = (verb) => api.post(`/traffic/${verb}`).then(() => (setProblem(null), reload()), setProblem);
  const head = html`<p class="toolbar">
    ${measuring
      ? html`<${Button} onClick=${() => press("stop")}>Stop measuring<//>`
      : html`<${Button} primary onClick=${() => press("start")}>${data.since ? "Measure again" : "Start measuring"}<//>`}
    ${data.since
      ? html`<span role="status">${amountText(data.requests)} requests in ${amountText(Math.round(data.seconds))} seconds, since <${Time} at=${data.since} /></span>
        ${data.unknown > 0 && html`<span class="dim">${amountText(data.unknown)} of no pattern or entity</span>`}`
      : ""}
  </p>`;
  return html`${head}<${Problem} error=${problem ?? error} />
    ${!data.since && html`<${Empty} title="No requests were measured yet">
      <p>Start measuring, and use the design: run its programs, or patterns in this console. Every request to its tables in this process is counted, and compared with the declared rates:
        runs and capacity units of each pattern and of the writes of each entity, and the busiest partition keys.</p><//>`}
    ${data.since && html`
      <${Compared} title="Patterns" rows=${data.patterns} show=${show} />
      <${Compared} title="Writes of entities" rows=${data.writes} show=${show} />
      <${Keys} keys=${data.keys} show=${show} />`}
    ${Object.keys(data.errors ?? {}).length > 0 && html`<p class="dim">Errors: ${Object.entries(data.errors).map(([code, count]) => `${code} ${count}`).join(", ")}</p>`}`;
}

/**
 * The entity that a row reads or writes; it has its colour.
 * @param {any} row
 * @returns {string | null}
 */
const entityOf = (row) => (row.kind === "write" ? row.name : (design.value.patterns.find((/** @type {any} */ pattern) => pattern.name === row.name)?.entities[0] ?? null));

/** @param {{title: string, rows: any[], show: any}} props */
function Compared({ title, rows, show }) {
  const used = rows.filter((row) => row.requests || row.throttled || row.declared_times !== null);
  const rest = rows.length - used.length;
  const most = Math.max(...used.map((row) => Math.max(row.per_month ?? 0, row.declared_times ?? 0)), 1);
  return html`<${Section} title=${title} actions=${rest > 0 && html`<span class="dim">${rest} neither declared nor used</span>`}>
    ${!used.length && html`<p class="dim">No requests yet, and no rates declared.</p>`}
    ${used.length > 0 && html`<div class="scrolls"><table class="figures">
      <thead><tr><th>Name</th><th class="wide">A month: declared, measured</th><th class="right">Declared</th><th class="right">Measured</th><th class="right">Ratio</th><th class="right">Units each: declared</th><th class="right">measured</th><th class="right">Throttled</th></tr></thead>
      <tbody>${used.map((row) => html`<tr key=${row.name}>
        <td>${row.kind === "write" ? html`<${EntityName} name=${row.name} />` : html`<a class=${`entity ${hue(entityOf(row))}`} href=${href("patterns", [row.name])}>${row.name}</a>`}
          ${row.same_request.length > 0 && html` <small title="These patterns send the same request">with ${row.same_request.join(", ")}</small>`}</td>
        <td class="wide"><${Bar} share=${(row.declared_times ?? 0) / most} tone="declared" /><${Bar} share=${(row.per_month ?? 0) / most} tone=${hue(entityOf(row))} /></td>
        <td class="right number">${amountText(row.declared_times)}</td>
        <td class="right"><${Figure} text=${row.per_month === null ? amountText(row.requests) : amountText(row.per_month)} label=${`Measured rate of ${row.name}`}
          onOpen=${() => show({ title: row.name, content: html`<p>${row.calculation}</p><p>${row.per_month === null ? "A measurement of less than five seconds is not extrapolated to a month." : `${amountText(row.per_month)} a month`}</p>` })} /></td>
        <td class=${`right number ${row.ratio > 2 ? "warn" : ""}`}>${row.ratio === null ? "–" : `${amountText(row.ratio)} ×`}</td>
        <td class="right number">${amountText(row.declared_each)}</td>
        <td class="right number">${amountText(row.each)}</td>
        <td class=${`right number ${row.throttled ? "bad" : "dim"}`}>${row.throttled}</td>
      </tr>`)}</tbody>
    </table></div>`}
  <//>`;
}

/** @param {{keys: any[], show: any}} props */
function Keys({ keys, show }) {
  if (!keys.length) return null;
  return html`<${Section} title="Hottest partition keys, measured">
    <div class="scrolls"><table class="figures">
      <thead><tr><th>Partition key</th><th>Table or index</th><th class="right">Requests</th><th class="right">Read units</th><th class="right">Write units</th><th class="wide">Of one partition</th><th class="right"></th><th class="right">Throttled</th></tr></thead>
      <tbody>${keys.map((key) => html`<tr key=${`${key.table} ${key.index} ${key.values}`}>
        <td><a href=${href("items", [key.table, ...key.values], { index: key.index })}><${KeyText} parts=${key.parts} /></a></td>
        <td class="dim">${key.index ? `${key.table}.${key.index}` : key.table}</td>
        <td class="right number">${amountText(key.requests)}</td>
        <td class="right number">${amountText(key.read)}</td>
        <td class="right number">${amountText(key.write)}</td>
        <td class="wide"><${Bar} share=${key.heat} tone=${key.heat > 0.9 ? "bad" : key.heat > 0.5 ? "warn" : "good"} /></td>
        <td class="right"><${Figure} text=${shareText(key.heat)} label="Share of one partition"
          onOpen=${() => show({ title: html`<${KeyText} parts=${key.parts} />`, content: html`<p>${key.calculation}</p>` })} /></td>
        <td class=${`right number ${key.throttled ? "bad" : "dim"}`}>${key.throttled}</td>
      </tr>`)}</tbody>
    </table></div>
  <//>`;
}
