// Who reads a stream, and how far behind; and the shards of a stream.
import { html, useLayoutEffect } from "../lib.js";
import { Code, Empty, Loading, Problem } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";

const REFRESH = 5000;

/** @param {{table: any}} props */
export function Consumers({ table }) {
  const { data, error, reload } = useLoad("/consumers");
  useLayoutEffect(() => {
    const timer = setInterval(reload, REFRESH);
    return () => clearInterval(timer);
  }, []);
  if (!data) return error ? html`<${Problem} error=${error} onRetry=${reload} />` : html`<${Loading} />`;
  const consumers = data.consumers.filter((/** @type {any} */ consumer) => consumer.table === table.name);
  if (!consumers.length) {
    return html`<${Empty} title="No consumer has a position in this stream">
      <p>A consumer that handles the stream with Tablewright stores its position, and appears here:</p>
      <${Code} label="Python" text=${'@events.on(Order, "inserted")\ndef announce(event): ...\n\ndb.streams.handle(announce, consumer="mailer")'} />
      <p>${data.note}</p><//>`;
  }
  return html`<${Problem} error=${error} onRetry=${reload} />
    <table class="facts-table" aria-label="Consumers"><thead><tr><th>Consumer</th><th class="right">Records behind</th><th class="right">Behind</th><th class="right">Failed records</th><th></th></tr></thead>
      <tbody>${consumers.map(
        (/** @type {any} */ consumer) => html`<tr key=${consumer.consumer}>
          <th scope="row">${consumer.consumer}</th>
          <td class="right number">${consumer.records.toLocaleString("en")}${consumer.is_more ? "+" : ""}</td>
          <td class="right number">${consumer.records ? spanText(consumer.seconds) : html`<span class="good">up to date</span>`}</td>
          <td class=${`right number ${consumer.failed ? "bad" : ""}`}>${consumer.failed.toLocaleString("en")}</td>
          <td>${consumer.has_gap && html`<span class="tag bad">records were trimmed before they were handled</span>`}</td>
        </tr>`,
      )}</tbody></table>
    <p class="dim">Counted from stored positions, every ${REFRESH / 1000} seconds; at most 1,000 records. ${data.note}</p>`;
}

/**
 * A number of seconds as text: 90 is "1 min 30 s".
 * @param {number} seconds
 */
export function spanText(seconds) {
  const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours} h ${minutes} min`;
  if (minutes) return `${minutes} min ${Math.floor(seconds) % 60} s`;
  return `${Math.round(seconds)} s`;
}

/** @param {{table: any}} props */
export function Shards({ table }) {
  const { data, error, reload } = useLoad(`/streams/${encodeURIComponent(table.name)}`);
  if (!data) return error ? html`<${Problem} error=${error} onRetry=${reload} />` : html`<${Loading} />`;
  return html`<dl class="facts">
      <div><dt>Images</dt><dd>${data.view}</dd></div>
      <div><dt>Stream</dt><dd><code>${data.arn}</code></dd></div>
    </dl>
    <table class="facts-table" aria-label="Shards"><thead><tr><th>Shard</th><th>Parent</th><th>State</th></tr></thead>
      <tbody>${data.shards.map(
        (/** @type {any} */ shard) => html`<tr key=${shard.stream + shard.id}><th scope="row"><code>${shard.id}</code></th><td><code>${shard.parent ?? "–"}</code></td>
          <td><span class=${`tag ${shard.closed ? "" : "good"}`}>${shard.closed ? "closed" : "open"}</span>${shard.stream !== data.arn && html` <span class="dim">of an earlier stream</span>`}</td></tr>`,
      )}</tbody></table>
    <p class="dim">Shards are read from the oldest to the newest; a child is read after its parent. Records are kept for 24 hours.</p>`;
}
