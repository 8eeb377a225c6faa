// Exports of tables to buckets, and imports to new tables.
import { html, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { Code, Empty, Field, Loading, Problem, Section } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { design } from "../parts/state.js";
import { Count, Time } from "../parts/values.js";

/** @param {import("./operations.js").TabProps} props */
export function TransfersTab({ writable, why, turn }) {
  const { data, error, reload } = useLoad("/exports", { turn });
  const [prefix, setPrefix] = useState("");
  if (!data) return error ? html`<${Problem} error=${error} onRetry=${reload} />` : html`<${Loading} />`;
  if (!data.available) {
    return html`<${Empty} title="Exports need buckets"><p>${data.why}</p>
      <${Code} label="Command" text=${design.value.commands.file} /><//>`;
  }
  const tables = (design.value?.tables ?? []).map((/** @type {any} */ table) => table.name);
  return html`<${Problem} error=${error} />
    <datalist id="buckets">${data.buckets.map((/** @type {string} */ name) => html`<option value=${name}></option>`)}</datalist>
    ${data.folder && html`<p class="dim">Buckets of this data file are the folders in <code>${data.folder}</code>.</p>`}
    <div class="two">
      <${Export} tables=${tables} bucket=${data.buckets[0] ?? "archive"} writable=${writable} why=${why} />
      <${Import} key=${prefix} tables=${tables} bucket=${data.buckets[0] ?? "archive"} prefix=${prefix} writable=${writable} why=${why} />
    </div>
    <${Exports} exports=${data.exports} onImport=${setPrefix} />`;
}

/**
 * A form whose fields are members of a body.
 * @param {Record<string, any>} first
 * @param {string} path
 */
function useForm(first, path) {
  const [body, setBody] = useState(first);
  const [error, setError] = useState(/** @type {any} */ (null));
  /** @param {string} name */
  const input = (name) => ({ value: body[name] ?? "", onInput: (/** @type {any} */ event) => setBody({ ...body, [name]: event.currentTarget.value }) });
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    api.post(path, body).then(() => setError(null), setError);
  };
  return { body, setBody, error, input, submit, message: (/** @type {string} */ name) => error?.fields?.[name] };
}

/** @param {{options: string[], bind: any}} props */
const Choice = ({ options, bind }) =>
  html`<select value=${bind.value} onChange=${bind.onInput}>${options.map((option) => html`<option key=${option} selected=${option === bind.value}>${option}</option>`)}</select>`;

/** @param {{tables: string[], bucket: string, writable: boolean, why: string | undefined}} props */
function Export({ tables, bucket, writable, why }) {
  const form = useForm({ table: tables[0], bucket, format: "json", enable_recovery: false }, "/exports/start");
  return html`<form class="form card" aria-label="Export" onSubmit=${form.submit}>
    <h2>Export a table</h2>
    <${Field} label="Table"><${Choice} options=${tables} bind=${form.input("table")} /><//>
    <${Field} label="Bucket" message=${form.message("bucket")}><input required list="buckets" ...${form.input("bucket")} /><//>
    <${Field} label="Key prefix" hint="Optional"><input ...${form.input("prefix")} /><//>
    <${Field} label="Format"><${Choice} options=${["json", "ion"]} bind=${form.input("format")} /><//>
    <label class="check"><input type="checkbox" checked=${form.body.enable_recovery}
      onChange=${(/** @type {any} */ event) => form.setBody({ ...form.body, enable_recovery: event.currentTarget.checked })} /> Turn on point-in-time recovery, which an export needs</label>
    <${Problem} error=${form.error} />
    <div class="buttons"><button type="submit" class="primary" disabled=${!writable} title=${why}>Export</button></div>
  </form>`;
}

/** @param {{tables: string[], bucket: string, prefix: string, writable: boolean, why: string | undefined}} props */
function Import({ tables, bucket, prefix, writable, why }) {
  const first = { bucket, prefix, format: "json", compression: prefix ? "gzip" : "none", into: `${tables[0]}-imported`, like: tables[0] };
  const form = useForm(first, "/imports/start");
  return html`<form class="form card" aria-label="Import" onSubmit=${form.submit}>
    <h2>Import to a new table</h2>
    <${Field} label="Bucket" message=${form.message("bucket")}><input required list="buckets" ...${form.input("bucket")} /><//>
    <${Field} label="Key prefix" hint="For an export: AWSDynamoDB/ID/data/, with gzip"><input ...${form.input("prefix")} /><//>
    <div class="two"><${Field} label="Format"><${Choice} options=${["json", "ion", "csv"]} bind=${form.input("format")} /><//>
      <${Field} label="Compression"><${Choice} options=${["none", "gzip", "zstd"]} bind=${form.input("compression")} /><//></div>
    <${Field} label="New table" message=${form.message("into")}><input required ...${form.input("into")} /><//>
    <${Field} label="With the keys of"><${Choice} options=${tables} bind=${form.input("like")} /><//>
    <${Problem} error=${form.error} />
    <div class="buttons"><button type="submit" class="primary" disabled=${!writable} title=${why}>Import</button></div>
  </form>`;
}

/** @param {{exports: any[], onImport: (prefix: string) => void}} props */
function Exports({ exports, onImport }) {
  if (!exports.length) return null;
  return html`<${Section} title=${`Exports (${exports.length})`}><div class="scrolls"><table class="rows">
    <thead><tr><th>Table</th><th>Started (UTC)</th><th>Status</th><th class="right">Items</th><th>Bucket and manifest</th><th></th></tr></thead>
    <tbody>${exports.map((exported) => html`<tr key=${exported.manifest ?? exported.started_at}>
      <td>${exported.table}</td><td>${exported.started_at === null ? "" : html`<${Time} at=${exported.started_at} />`}</td>
      <td><span class=${`tag ${exported.status === "COMPLETED" ? "good" : exported.status === "FAILED" ? "bad" : ""}`}>${exported.status}</span> ${exported.failure && html`<span class="bad">${exported.failure}</span>`}</td>
      <td class="right"><${Count} value=${exported.items} /></td>
      <td><code>${exported.bucket}/${exported.manifest ?? ""}</code></td>
      <td class="actions">${exported.manifest && html`<button onClick=${() => onImport(exported.manifest.replace(/[^/]*$/, "data/"))}>Import…</button>`}</td>
    </tr>`)}</tbody>
  </table></div><//>`;
}
