// Expiry: items that have expired and are still stored, and those that expire next.
import { html, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { Button, Empty, Loading, Problem, Section, Select } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { go, href, route } from "../parts/router.js";
import { design } from "../parts/state.js";
import { toast } from "../parts/toast.js";
import { EntityName, KeyText, Time, valueText } from "../parts/values.js";

/** @param {import("./operations.js").TabProps} props */
export function ExpiryTab({ writable, why }) {
  const tables = (design.value?.tables ?? []).filter((/** @type {any} */ table) => table.ttl);
  const chosen = route.value.params.table ?? tables[0]?.name;
  const { data, error, reload } = useLoad(chosen ? "/expiry" : null, { table: chosen });
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  if (design.value && !tables.length) {
    return html`<${Empty} title="No table has a TTL attribute"><p>Items with a time in that attribute are deleted after it. Declare it in a table, and deploy:</p><p><code>Table("app", key=("PK", "SK"), ttl="expiresAt")</code></p><//>`;
  }
  if (!data) return error ? html`<${Problem} error=${error} onRetry=${reload} />` : html`<${Loading} />`;
  const sweep = () => api.post("/expiry/sweep").then((found) => (setProblem(null), toast(`${found.deleted} expired items deleted`), reload()), setProblem);
  return html`<${Problem} error=${problem ?? error} />
    <p class="toolbar">
      <${Select} label="Table" value=${chosen} options=${tables.map((/** @type {any} */ table) => table.name)} onChange=${(/** @type {string} */ name) => go("operations", ["expiry"], { table: name })} />
      <${Button} onClick=${reload}>Read again<//>
      ${data.can_sweep && html`<${Button} danger disabled=${!writable} title=${why} onClick=${sweep}>Delete expired items now<//>`}
    </p>
    ${data.why ? html`<p>${data.why}</p>` : html`<${Sample} data=${data} />`}`;
}

/** @param {{data: any}} props */
function Sample({ data }) {
  return html`
    <dl class="facts">
      <div><dt>Attribute</dt><dd><code>${data.attribute}</code></dd></div>
      <div><dt>Sample</dt><dd>${data.sampled.toLocaleString("en")} items${data.is_complete ? ", the whole table" : ", the first of the table"}; ${data.with_time.toLocaleString("en")} of them have a time</dd></div>
      <div><dt>Expired</dt><dd class=${data.expired ? "warn" : ""}>${data.expired.toLocaleString("en")} expired and still stored</dd></div>
      <div><dt>Now</dt><dd><${Time} at=${data.now} /> <small>the clock of the store</small></dd></div>
    </dl>
    ${data.oldest.length > 0 && html`<${Items} title="Expired and still stored, the oldest" items=${data.oldest} table=${data.table} now=${data.now} />`}
    ${data.next.length > 0 ? html`<${Items} title="Next to expire" items=${data.next} table=${data.table} now=${data.now} />` : html`<p class="dim">No item of the sample expires later.</p>`}`;
}

/** @param {{title: string, items: any[], table: string, now: number}} props */
function Items({ title, items, table, now }) {
  return html`<${Section} title=${title}><div class="scrolls"><table class="rows">
    <thead><tr><th>Expires (UTC)</th><th>In</th><th>Entity</th><th>Key</th></tr></thead>
    <tbody>${items.map((item) => html`<tr key=${JSON.stringify(item.key)}>
      <td><${Time} at=${item.at} /></td><td class="dim">${spanText(item.at - now)}</td>
      <td><${EntityName} name=${item.entity} role=${item.role} /></td>
      <td><a href=${href("items", [table, valueText(Object.values(item.key)[0])])}>${Object.keys(item.key).map((name) => html`<${KeyText} parts=${item.key_parts[name]} />${" "}`)}</a></td>
    </tr>`)}</tbody>
  </table></div><//>`;
}

/** @param {number} seconds */
function spanText(seconds) {
  const size = Math.abs(seconds);
  const [unit, name] = size >= 172800 ? [86400, "days"] : size >= 7200 ? [3600, "hours"] : size >= 120 ? [60, "minutes"] : [1, "seconds"];
  const text = `${Math.round(size / unit).toLocaleString("en")} ${name}`;
  return seconds < 0 ? `${text} ago` : text;
}
