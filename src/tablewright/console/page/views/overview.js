// Overview: the design as a picture (tables, item collections, indexes), with counts, findings and live requests.
import { html, useLayoutEffect, useState } from "../lib.js";
import { api, returns } from "../parts/api.js";
import { Command } from "../parts/command.js";
import { Code, Empty, Loading, Page, Panel, Problem, Section } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { href } from "../parts/router.js";
import { Count, Size, sizeText } from "../parts/values.js";
import { TableCard, isWide } from "./overview_table.js";

/** @typedef {{title: string, content: any}} Details what the panel shows: where a number comes from, or an index */

export default function View() {
  const { data, error, stale, reload } = useLoad("/overview");
  const { samples, take } = useSamples(data);
  const rates = useRates();
  const [compared, setCompared] = useState(false); // on other endpoints on request: it reads every table's description
  const drift = useLoad(data && (data.is_embedded || compared) ? "/health/drift" : null);
  const [details, setDetails] = useState(/** @type {string | null} */ (null));
  const content = data && details !== null ? detailsOf(details, data, rates) : null;
  const panel = content && html`<${Panel} title=${content.title} onClose=${() => setDetails(null)}>${content.content}<//>`;
  return html`<${Page} title="Overview" css="overview" stale=${stale && data !== null} panel=${panel}
    toolbar=${html`<button onClick=${() => (reload(), drift.reload())}>Refresh</button>`}>
    <${Problem} error=${error} onRetry=${reload} />
    ${!data && !error && html`<${Loading} />`}
    ${data && html`<${Facts} data=${data} drift=${drift} compare=${data.is_embedded || compared ? null : () => setCompared(true)} rates=${rates} show=${setDetails} /><${FirstSteps} data=${data} />
      <div class="cards">
        ${inPairs(data.picture).map(
          (pair) => html`<${TableCard} key=${pair.table} picture=${pair}
            counts=${data.counts.find((/** @type {any} */ one) => one.table === pair.table)} counted=${data.counted} sample=${samples[pair.table]}
            sampling=${data.sample} take=${take} opened=${openedIndex(details, pair.table)} show=${setDetails} />`,
        )}
      </div>`}
  <//>`;
}

/**
 * The tables in their order, but a narrow one that would be alone in its row is followed by the next narrow one.
 * @param {any[]} picture
 * @returns {any[]}
 */
function inPairs(picture) {
  const left = [...picture];
  const found = [];
  while (left.length) {
    const first = /** @type {any} */ (left.shift());
    found.push(first);
    const other = isWide(first) ? -1 : left.findIndex((each) => !isWide(each));
    if (other >= 0) found.push(...left.splice(other, 1));
  }
  return found;
}

/**
 * The index of a table whose panel is open.
 * @param {string | null} details
 * @param {string} table
 */
function openedIndex(details, table) {
  const [kind, of, index] = (details ?? "").split("\n");
  return kind === "index" && of === table ? index : null;
}

/**
 * Samples of all tables, one request after the other; on other endpoints, where reads cost, only on request (`take`).
 * @param {any} data
 * @returns {{samples: Record<string, any>, take: (table: string) => void}}
 */
function useSamples(data) {
  const [samples, setSamples] = useState(/** @type {Record<string, any>} */ ({}));
  const put = (/** @type {string} */ table, /** @type {any} */ found) => setSamples((old) => ({ ...old, [table]: found }));
  useLayoutEffect(() => {
    if (!data?.sample.automatic) return undefined;
    const abort = new AbortController();
    (async () => {
      for (const count of data.counts.filter((/** @type {any} */ one) => one.exists)) {
        put(count.table, await api.get("/overview/sample", { table: count.table }, abort.signal));
      }
    })().catch(() => {}); // The counts are an addition: the picture is complete without them.
    return () => abort.abort();
  }, [data]);
  /** @param {string} table */
  function take(table) {
    put(table, { loading: true });
    api.get("/overview/sample", { table }).then((found) => put(table, found), (error) => put(table, { error }));
  }
  return { samples, take };
}

/** The requests a second, and those of the last minute. */
function useRates() {
  const [rates, setRates] = useState(/** @type {{last: any, past: number[]}} */ ({ last: null, past: [] }));
  const again = returns.value;
  useLayoutEffect(
    () =>
      api.events("/overview/requests", {}, (event) => {
        setRates((old) => ({ last: event, past: [...old.past, event.per_second ?? 0].slice(-60) }));
      }),
    [again],
  );
  return rates;
}

/** @param {{data: any, drift: {data: any, error: any}, compare: (() => void) | null, rates: {last: any, past: number[]}, show: (details: string) => void}} props */
function Facts({ data, drift, compare, rates, show }) {
  const existing = data.counts.filter((/** @type {any} */ count) => count.exists);
  const sum = (/** @type {string} */ name) => existing.reduce((/** @type {number} */ all, /** @type {any} */ each) => all + (each[name] ?? 0), 0);
  const { error, warning, info, suppressed } = data.findings;
  const worst = error ? "bad" : warning ? "warn" : "good";
  return html`<div class="facts">
    <${Fact} name="Tables" onClick=${() => show("tables")} value=${`${existing.length}`}
      note=${existing.length < data.counts.length ? html`<span class="bad">${data.counts.length - existing.length} missing</span>` : "all exist"} />
    <${Fact} name="Items" onClick=${() => show("items")} value=${sum("items").toLocaleString("en")} note=${sizeText(sum("bytes"))} />
    <${Fact} name="Findings" to=${href("health", ["findings"])} tone=${worst} value=${error ? plural(error, "error") : warning ? plural(warning, "warning") : "none"}
      note=${`${error ? `${plural(warning, "warning")}, ` : ""}${plural(info, "note")}, ${suppressed} accepted`} />
    <${DriftFact} drift=${drift} compare=${compare} />
    <${Fact} name="Index lag" onClick=${() => show("lag")} tone=${data.index_lag.seconds ? "warn" : ""}
      value=${data.index_lag.available ? `${data.index_lag.seconds} s` : "unknown"} note=${data.index_lag.available ? "of global indexes" : "not reported"} />
    <${Fact} name="Requests" onClick=${() => show("requests")}
      value=${rates.last?.available ? `${rates.last.per_second.toLocaleString("en", { maximumFractionDigits: 1 })} / s` : "–"}
      note=${rates.last?.available ? html`<${Spark} values=${rates.past} />` : rates.last ? "not counted here" : "waiting"} />
  </div>`;
}

/** @param {number} number @param {string} noun */
const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** @param {{drift: {data: any, error: any}, compare: (() => void) | null}} props */
function DriftFact({ drift, compare }) {
  if (compare) return html`<${Fact} name="Drift" onClick=${compare} value="compare" note="reads the tables' descriptions" />`;
  const to = href("health", ["drift"]);
  if (drift.error) return html`<${Fact} name="Drift" to=${to} tone="bad" value="unknown" note=${drift.error.message} />`;
  if (!drift.data) return html`<${Fact} name="Drift" to=${to} value="…" note="design against tables" />`;
  const same = drift.data.state === "same";
  return html`<${Fact} name="Drift" to=${to} tone=${same ? "good" : "warn"} value=${same ? "none" : plural(drift.data.different, "table")}
    note=${same ? "tables match the design" : "differ from the design"} />`;
}

/** @param {{name: string, value: any, note: any, to?: string, onClick?: () => void, tone?: string}} props */
function Fact({ name, value, note, to, onClick, tone = "" }) {
  const content = html`<span class="fact-name">${name}</span><b class=${`fact-value ${tone}`}>${value}</b><span class="fact-note">${note}</span>`;
  return to ? html`<a class="fact" href=${to}>${content}</a>` : html`<button class="fact" onClick=${onClick}>${content}</button>`;
}

/**
 * The requests of the last minute as a line.
 * @param {{values: number[]}} props
 */
function Spark({ values }) {
  const most = Math.max(1, ...values);
  const points = values.map((value, place) => `${(60 - values.length + place) * 1.5},${14 - (value / most) * 13}`).join(" ");
  return html`<svg class="spark" viewBox="0 0 90 15" width="90" height="15" role="img" aria-label=${`Requests a second in the last minute, at most ${Math.round(most)}`}>
    <line class="spark-base" x1="0" y1="14" x2="90" y2="14" stroke="currentColor" stroke-width="1" />
    <polyline points=${points} fill="none" stroke="currentColor" stroke-width="1.2" />
  </svg>`;
}

/** @param {{data: any}} props */
function FirstSteps({ data }) {
  const existing = data.counts.filter((/** @type {any} */ count) => count.exists);
  if (!existing.length) {
    return html`<${Empty} title="No table of this design exists here yet">
      <p>Create the tables with:</p><${Command} text=${data.commands.deploy} label="Command that creates the tables" />
    <//>`;
  }
  if (existing.every((/** @type {any} */ each) => each.items === 0)) {
    return html`<${Empty} title="The tables have no items yet">
      <p>Add sample data that fits the design with:</p><${Command} text=${data.commands.samples} label="Command that adds samples" />
    <//>`;
  }
  return null;
}

/**
 * The content of the panel.
 * @param {string} what a fact, or "table NAME", or "index TABLE INDEX"
 * @param {any} data
 * @param {{last: any}} rates
 * @returns {Details | null}
 */
function detailsOf(what, data, rates) {
  const [kind, name, index] = what.split("\n");
  if (kind === "tables" || kind === "items") return { title: "Items by table", content: html`<${Totals} data=${data} />` };
  if (kind === "lag") return { title: "Index lag", content: html`<${Lag} lag=${data.index_lag} />` };
  if (kind === "requests") return { title: "Requests a second", content: html`<${Rates} last=${rates.last} />` };
  const place = data.picture.findIndex((/** @type {any} */ each) => each.table === name);
  if (place < 0) return null;
  const [picture, counts] = [data.picture[place], data.counts[place]];
  if (kind === "table") return { title: name, content: html`<${Source} counts=${counts} counted=${data.counted} />` };
  const found = picture.indexes.find((/** @type {any} */ each) => each.name === index);
  return found && { title: index, content: html`<${IndexDetails} picture=${picture} index=${found} counts=${counts} counted=${data.counted} />` };
}

/** @param {{data: any}} props */
function Totals({ data }) {
  return html`<p class="dim">Counts are ${data.counted}.</p>
    <table class="list">
      <thead><tr><th>Table</th><th class="right">Items</th><th class="right">Size</th></tr></thead>
      <tbody>${data.counts.map(
        (/** @type {any} */ count) => html`<tr key=${count.table}>
          <th scope="row"><a href=${href("items", [count.table])}>${count.table}</a></th>
          ${count.exists
            ? html`<td class="right"><${Count} value=${count.items} /></td><td class="right"><${Size} bytes=${count.bytes ?? 0} /></td>`
            : html`<td colspan="2" class="right"><a href=${href("health", ["drift"])}>does not exist</a></td>`}
        </tr>`,
      )}</tbody>
    </table>`;
}

/** @param {{lag: any}} props */
const Lag = ({ lag }) =>
  lag.available
    ? html`<p>Global indexes of this database are ${lag.seconds} seconds behind their tables. The embedded engine updates them with the item, unless a lag is switched on for tests.</p>
        <p><a href=${href("operations")}>Switch the lag in Operations</a></p>`
    : html`<p>${lag.why}</p>`;

/** @param {{last: any}} props */
function Rates({ last }) {
  if (!last) return html`<p class="dim">Waiting for the first second.</p>`;
  if (!last.available) return html`<p>${last.why}</p>`;
  const operations = Object.entries(last.operations).sort((one, other) => other[1] - one[1]);
  return html`<p class="dim">Counted: ${last.counted}.</p>
    <table class="list">
      <thead><tr><th>Operation</th><th class="right">In the last second</th></tr></thead>
      <tbody>
        ${operations.map(([name, rate]) => html`<tr key=${name}><th scope="row">${name}</th><td class="right"><${Count} value=${rate} digits=${1} /></td></tr>`)}
        ${!operations.length && html`<tr><td colspan="2" class="dim">No requests.</td></tr>`}
      </tbody>
    </table>`;
}

/** @param {{counts: any, counted: string}} props */
function Source({ counts, counted }) {
  if (!counts.exists) return html`<p>The table does not exist. <a href=${href("health", ["drift"])}>Compare with the design</a></p>`;
  return html`<dl class="pairs">
      <dt>Items</dt><dd><${Count} value=${counts.items} /></dd>
      <dt>Size</dt><dd><${Size} bytes=${counts.bytes ?? 0} /></dd>
      <dt>Status</dt><dd>${counts.status}</dd>
    </dl>
    <p class="dim">Counts are ${counted}.</p>
    <${Code} text=${counts.command.trimEnd()} label="The request" />
    <p><a href=${href("items", [counts.table])}>Open the items</a></p>`;
}

/** @param {{picture: any, index: any, counts: any, counted: string}} props */
function IndexDetails({ picture, index, counts, counted }) {
  const size = counts.indexes[index.name];
  const patterns = picture.patterns.filter((/** @type {any} */ pattern) => pattern.index === index.name);
  const rows = picture.collections.flatMap((/** @type {any} */ collection) => collection.rows);
  return html`<dl class="pairs">
      <dt>Kind</dt><dd>${index.local ? "local" : "global"} index of <a href=${href("items", [picture.table], { index: index.name })}>${picture.table}</a></dd>
      <dt>Key</dt><dd class="mono">${index.key.join(", ")}</dd>
      <dt>Projection</dt><dd>${index.projection}</dd>
      <dt>Contains</dt><dd>${index.rows} of ${rows.length} kinds of items${index.sparse ? ", sparse" : ""}</dd>
      <dt>Items</dt><dd>${size ? html`<a href=${href("items", [picture.table], { index: index.name })}><${Count} value=${size.items} /></a>` : "does not exist"}</dd>
      ${size && html`<dt>Size</dt><dd><${Size} bytes=${size.bytes ?? 0} /></dd>`}
    </dl>
    <p class="dim">Counts are ${counted}.</p>
    <${Section} title=${`Patterns that read it (${patterns.length})`}>
      ${patterns.length
        ? html`<ul class="links">${patterns.map((/** @type {any} */ pattern) => html`<li key=${pattern.name}><a href=${href("patterns", [pattern.name])}>${pattern.name}</a> <small>${pattern.kind}</small></li>`)}</ul>`
        : html`<p class="dim">No pattern reads this index.</p>`}
    <//>`;
}
