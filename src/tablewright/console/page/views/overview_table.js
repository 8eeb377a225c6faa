// A table of the picture: item collections as groups of rows, indexes as columns.
import { html, useState } from "../lib.js";
import { href } from "../parts/router.js";
import { Count, Size } from "../parts/values.js";
import { hue } from "../parts/state.js";

const WIDE = 2; // more indexes than this need the whole width
const NARROW = 20; // characters of a key that a column has room for, at least and at most
const BROAD = 34;

/** @param {any} picture */
export const isWide = (picture) => picture.indexes.length > WIDE;

/**
 * @param {object} props
 * @param {any} props.picture
 * @param {any} props.counts
 * @param {string} props.counted
 * @param {any} props.sample what a sample found; undefined without one
 * @param {{automatic: boolean, why: string | null}} props.sampling
 * @param {(table: string) => void} props.take take a sample
 * @param {string | null} props.opened the index whose panel is open; it is lit, unless the pointer is on another one
 * @param {(details: string) => void} props.show
 */
export function TableCard({ picture, counts, counted, sample, sampling, take, opened, show }) {
  const [pointed, setLit] = useState(/** @type {string | null} */ (null));
  const lit = pointed ?? opened;
  const { table, indexes, collections } = picture;
  const found = countsOf(sample, table);
  return html`<section class=${`card table-card ${isWide(picture) ? "wide" : ""}`} aria-label=${`Table ${table}`}>
    <header>
      <h2><a href=${href("items", [table])}>${table}</a></h2>
      <span class="mono dim">${picture.key.join(", ")}</span>
      <span class="spacer"></span>
      ${counts.exists
        ? html`<button class="link" title=${counted} onClick=${() => show(`table\n${table}`)}><${Count} value=${counts.items} /> items, <${Size} bytes=${counts.bytes ?? 0} /></button>`
        : html`<a class="tag bad" href=${href("health", ["drift"])}>does not exist</a>`}
    </header>
    ${collections.length
      ? html`<div class="picture-scroll" tabindex="0" role="region" aria-label=${`Entities and indexes of ${table}`}>
          <table class=${`picture ${lit ? "lit" : ""}`} style=${{ minWidth: `${320 + indexes.length * (isWide(picture) ? 130 : 84)}px` }} onMouseLeave=${() => setLit(null)}>
            <colgroup>${widths(picture).map((width, at) => html`<col key=${at} style=${{ width }} />`)}</colgroup>
            <thead><tr>
              <th scope="col">Entity</th>
              ${picture.key[1] && html`<th scope="col">Sort key <small>${picture.key[1]}</small></th>`}
              ${indexes.map(
                (/** @type {any} */ index) => html`<th scope="col" key=${index.name} class=${lit === index.name ? "on" : ""}>
                  <button class="index" aria-expanded=${opened === index.name} onMouseEnter=${() => setLit(index.name)} onFocus=${() => setLit(index.name)} onBlur=${() => setLit(null)}
                    onClick=${() => show(`index\n${table}\n${index.name}`)}>${broken(index.name)}</button>
                  <small>${index.projection}${index.sparse ? ", sparse" : ""}</small>
                  ${counts.exists && !counts.indexes[index.name] && html`<a class="tag bad" href=${href("health", ["drift"])}>missing</a>`}</th>`,
              )}
            </tr></thead>
            ${collections.map((/** @type {any} */ collection) => html`<${Collection} key=${collection.partition} collection=${collection} picture=${picture} lit=${lit} found=${found} />`)}
          </table>
        </div>`
      : html`<p class="dim">${picture.is_key_table ? "Encryption keys, each encrypted with a master key." : "No entity of the design is stored here."}</p>`}
    ${picture.vector_indexes.length > 0 && html`<ul class="vector-indexes" aria-label=${`Vector indexes of ${table}`}>
      ${picture.vector_indexes.map((/** @type {any} */ index) => html`<${VectorIndex} key=${index.name} index=${index} counts=${counts} />`)}
    </ul>`}
    <footer>
      <${Patterns} picture=${picture} lit=${lit} />
      ${collections.length > 0 && counts.exists && html`<${Sample} sample=${sample} sampling=${sampling} take=${() => take(table)} />`}
    </footer>
  </section>`;
}

/** @param {{index: any, counts: any}} props */
const VectorIndex = ({ index, counts }) => html`<li>
  <b>${index.name}</b> <small>vector index of <code>${index.attribute}</code>, ${index.dimensions} dimensions, ${index.distance}${index.partition.length ? `, partition ${index.partition.join(", ")}` : ""}${index.filters.length ? `, filters ${index.filters.join(", ")}` : ""}, ${index.projection}</small>
  ${counts.exists && !counts.indexes[index.name] && html`<a class="tag bad" href=${href("health", ["drift"])}>missing</a>`}
</li>`;

/**
 * The widths of the columns, by the longest text in each: long keys break less often.
 * @param {any} picture
 * @returns {string[]}
 */
function widths({ key, indexes, collections }) {
  const rows = collections.flatMap((/** @type {any} */ collection) => collection.rows);
  const texts = [
    rows.map((/** @type {any} */ row) => `${row.entity}${" ".repeat(row.entity.length / 4)} ${row.role === "entity" ? "12,345" : `${row.role} ${row.name}`}`), // bold letters are wider
    ...(key[1] ? [rows.map((/** @type {any} */ row) => row.sort)] : []),
    ...indexes.map((/** @type {any} */ index) => rows.flatMap((/** @type {any} */ row) => row.cells[index.name] ? [row.cells[index.name].partition.join(" + "), `  ${row.cells[index.name].sort.join(" + ")}`] : [])),
  ];
  const longest = texts.map((column) => Math.max(NARROW, ...column.map((/** @type {string} */ text) => Math.min(BROAD, (text ?? "").length))));
  const all = longest.reduce((sum, each) => sum + each, 0);
  return longest.map((each) => `${((100 * each) / all).toFixed(2)}%`);
}

/**
 * How the entities of a table were counted, or the button that counts them where reads cost.
 * @param {{sample: any, sampling: {automatic: boolean, why: string | null}, take: () => void}} props
 */
function Sample({ sample, sampling, take }) {
  if (sample?.examined > 0) {
    return html`<span class="dim sample">${sample.complete ? "entities counted exactly" : `entities estimated from ${sample.examined.toLocaleString("en")} items`}</span>`;
  }
  if (sample?.loading) return html`<span class="dim sample" role="status">reading a sample…</span>`;
  if (sample?.error) return html`<span class="bad" role="alert">${sample.error.message} <button class="link" onClick=${take}>Try again</button></span>`;
  if (sample) return html`<span class="dim sample">no items</span>`;
  return sampling.automatic ? null : html`<span class="sample-why"><button class="link" onClick=${take}>Count entities</button> <span class="dim">${sampling.why}</span></span>`;
}

/** @param {{collection: any, picture: any, lit: string | null, found: (entity: string) => any}} props */
function Collection({ collection, picture, lit, found }) {
  const columns = picture.indexes.length + (picture.key[1] ? 2 : 1);
  return html`<tbody>
    <tr class="partition"><th colspan=${columns} scope="rowgroup"><${Template} text=${collection.partition} /></th></tr>
    ${collection.rows.map(
      (/** @type {any} */ row) => html`<tr key=${`${row.entity} ${row.role} ${row.name}`} class=${`row-${row.role} ${lit && !row.cells[lit] ? "off" : ""}`}>
        <th scope="row" class=${hue(row.entity)}>
          <a href=${href("items", [picture.table], { entity: row.entity, role: row.role })}
            title=${row.role === "entity" ? `Items of ${row.entity}` : `${row.role} of ${row.entity}: ${row.name}`}>
            <span class="dot"></span>${row.entity}${row.role !== "entity" && html` <small>${row.role} ${row.name}</small>`}</a>
          ${row.role === "entity" && found(row.entity)}
        </th>
        ${picture.key[1] && html`<td><${Template} text=${row.sort} /></td>`}
        ${picture.indexes.map((/** @type {any} */ index) => html`<${Cell} key=${index.name} cell=${row.cells[index.name]} index=${index.name} on=${lit === index.name} entity=${row.entity} />`)}
      </tr>`,
    )}
  </tbody>`;
}

/** @param {{cell: any, index: string, on: boolean, entity: string}} props */
function Cell({ cell, index, on, entity }) {
  if (!cell) return html`<td class="absent-cell" title=${`${entity} is never in ${index}`}><span aria-hidden="true">·</span><span class="for-readers">not in ${index}</span></td>`;
  return html`<td class=${`${hue(entity)} in ${cell.condition ? "sparse" : ""} ${on ? "on" : ""}`} title=${cell.condition ? `Only if ${cell.condition}` : undefined}>
    <div><${Template} text=${cell.partition.join(" + ")} /></div>
    ${cell.sort.length > 0 && html`<div class="cell-sort"><${Template} text=${cell.sort.join(" + ")} /></div>`}
    ${cell.condition && html`<small>if ${cell.condition}</small>`}
  </td>`;
}

/** @param {{picture: any, lit: string | null}} props */
function Patterns({ picture, lit }) {
  const { patterns } = picture;
  if (!patterns.length) return html`<span class="dim">no access patterns</span>`;
  return html`<details class="patterns">
    <summary>${patterns.length} access pattern${patterns.length === 1 ? "" : "s"}</summary>
    <ul>${patterns.map(
      (/** @type {any} */ pattern) => html`<li key=${pattern.name} class=${lit && pattern.index !== lit ? "off" : ""}>
        <a href=${href("patterns", [pattern.name])}>${pattern.name}</a> <small>${pattern.kind}${pattern.index ? ` on ${pattern.index}` : ""}</small></li>`,
    )}</ul>
  </details>`;
}

/**
 * A key template that may break after each separator.
 * @param {{text: string}} props
 */
function Template({ text }) {
  return html`<code class="template">${text
    .split(/(\{[^}]*\}#?)/)
    .filter(Boolean)
    .map((part) => (part[0] === "{" ? html`<span class="field-part"><b>${part.replace(/#$/, "")}</b>${part.endsWith("#") && html`<span class="literal">#</span>`}</span>` : html`<span class="literal">${broken(part)}</span>`))}</code>`;
}

/**
 * Text that may break after a separator, and before a capital letter.
 * @param {string} text
 */
const broken = (text) => text.split(/(?<=[#\-_:])|(?<=[a-z])(?=[A-Z])/).map((part) => html`${part}<wbr />`);

/**
 * A function that shows how many items of an entity the table has, as far as a sample tells.
 * @param {any} sample
 * @param {string} table
 * @returns {(entity: string) => any}
 */
function countsOf(sample, table) {
  if (!sample?.counts) return () => null;
  return (entity) => {
    const of = sample.counts.find((/** @type {any} */ count) => count.role === "entity" && count.entity === entity);
    const [found, estimate] = [of?.found ?? 0, of?.estimate ?? 0];
    const title = sample.complete
      ? "All items of the table were read"
      : `${found} of the ${sample.examined} items that were read, of about ${sample.items} in the table`;
    return html`<a class="number" title=${title} href=${href("items", [table], { entity, role: "entity" })}>${sample.complete ? "" : "≈ "}${estimate.toLocaleString("en")}</a>`;
  };
}
