// Values: keys in parts, entities with their colour, and attribute values of every type, always as text.
import { h, html, useState } from "../lib.js";
import { design, hue } from "./state.js";

const LONGEST = 300;
// Control characters, and those that change the direction of text or are invisible.
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const ALL_INVISIBLE = new RegExp(INVISIBLE.source, "g");
const SPLIT = new RegExp(`(${INVISIBLE.source})`);

/**
 * Text in which characters that are invisible, or that change the direction of text, are shown by their codes.
 * Its element must have a direction of its own: a cell of a grid, a `bdi`, or a value in a key.
 * @param {string} text
 * @returns {any} the text itself, where it has no such characters
 */
export function escaped(text) {
  if (!INVISIBLE.test(text)) return text;
  return text.split(SPLIT).map((part) =>
    part.length === 1 && INVISIBLE.test(part) ? h("span", { class: "escape" }, `\\u${part.charCodeAt(0).toString(16).padStart(4, "0")}`) : part,
  );
}

/**
 * The same in an element of its own.
 * @param {{text: string}} props
 */
export const Text = ({ text }) => h("bdi", null, escaped(text));

/**
 * JSON in lines, in which the same characters are written as escapes: it is still the same JSON.
 * @param {any} value
 */
export function jsonText(value) {
  const text = JSON.stringify(value, null, 2) ?? "";
  return text.replace(ALL_INVISIBLE, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * The parts of a key: literal text as it is, the values of fields as elements.
 * @param {{text: string, field: string | null}[]} parts
 * @param {((field: string) => string | null) | null} [link]
 * @returns {any[]}
 */
export function keyPieces(parts, link = null) {
  return parts.map(({ text, field }) => {
    if (field === null) return escaped(text);
    const to = link?.(field);
    return to ? h("a", { href: to, title: `${field}: open` }, escaped(text)) : h("b", { title: field }, escaped(text));
  });
}

/**
 * A key as its parts: literal text dim, the values of fields strong.
 * @param {{parts: {text: string, field: string | null}[], link?: (field: string) => string | null}} props
 */
export const KeyText = ({ parts, link }) => h("code", { class: "key" }, keyPieces(parts, link));

/**
 * A key template: USER#{user_id}.
 * @param {{template: string}} props
 */
export const TemplateText = ({ template }) => html`<code class="key">${templatePieces(template)}</code>`;

/**
 * The parts of a template: literal text as it is, fields as elements.
 * @param {string} template
 * @returns {any[]}
 */
export const templatePieces = (template) =>
  template
    .split(/(\{[^}]*\})/)
    .filter(Boolean)
    .map((part) => (part[0] === "{" ? h("b", null, part) : part));

/** @param {string | null | undefined} role */
const isDependent = (role) => role !== "entity" && role !== "unknown";

/** @param {{name: string | null, role?: string}} props */
export function EntityName({ name, role = "entity" }) {
  return html`<span class=${`entity ${hue(name)}`}>${name ?? "unknown item"}${isDependent(role) && html`<small>${` ${role}`}</small>`}</span>`;
}

/**
 * The entity of a row in one text, with its role if it is a copy or a lock.
 * @param {any} row
 */
export const entityText = (row) => (isDependent(row.role) ? `${row.entity ?? "unknown item"} ${row.role}` : (row.entity ?? "unknown item"));

/**
 * The entity and the role of a row, as "User", "User lock" or "" for an unknown item.
 * @param {any} row
 */
export const kindText = (row) => (row.entity === null ? "" : isDependent(row.role) ? `${row.entity} ${row.role}` : row.entity);

/**
 * The class of a cell with that text, in a row with the class of the entity's colour.
 * @param {any} row
 */
export const entityClass = (row) => (isDependent(row.role) ? "entity dependent" : "entity");

/**
 * An attribute value in DynamoDB's JSON, such as {"S": "text"}.
 * @param {{value: any, full?: boolean}} props `full` shows long values with a button, and nested ones in lines
 */
export function Value({ value, full = false }) {
  const [all, setAll] = useState(false);
  if (value === undefined || value === null) return html`<span class="absent" title="The item has no such attribute"></span>`;
  if ("HIDDEN" in value) {
    return html`<span class="secret" title=${`A secret field. Start the console with ${design.value?.reveal_option} to see it.`}>hidden</span>`;
  }
  const [kind, content] = Object.entries(value)[0] ?? ["", ""];
  const text = valueText(value);
  const nested = kind === "M" || kind === "L";
  const shown = full && nested ? jsonText(plain(value)) : text;
  const cut = shown.length > LONGEST && !all;
  return html`<span class=${`value type-${kind}`} title=${full ? undefined : TYPES[kind]}>
    ${full && nested ? html`<pre>${cut ? shown.slice(0, LONGEST) : shown}</pre>` : html`<${Text} text=${cut ? shown.slice(0, LONGEST) : shown} />`}
    ${cut && (full ? html`… <button class="link" onClick=${() => setAll(true)}>show all ${shown.length.toLocaleString("en")} characters</button>` : "…")}
    ${kind === "S" && content === "" && html`<span class="absent">empty text</span>`}
  </span>`;
}

/**
 * The content of a cell with an attribute value; the class of its element is `type-` and the type.
 * @param {any} value
 * @returns {any}
 */
export function valuePiece(value) {
  if (value === undefined || value === null) return "";
  if ("HIDDEN" in value) return html`<${Value} value=${value} />`;
  const text = valueText(value);
  if (text === "" && "S" in value) return html`<span class="absent">empty text</span>`;
  return escaped(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

/** @param {any} value */
export const valueKind = (value) => Object.keys(value ?? {})[0] ?? "";

/** @type {Record<string, string>} */
export const TYPES = {
  S: "string",
  N: "number",
  B: "binary, as base64",
  BOOL: "boolean",
  NULL: "null",
  SS: "string set",
  NS: "number set",
  BS: "binary set",
  L: "list",
  M: "map",
};

/**
 * An attribute value in one line of text.
 * @param {any} value
 * @returns {string}
 */
export function valueText(value) {
  const [kind, content] = Object.entries(value ?? {})[0] ?? ["", ""];
  if (kind === "HIDDEN") return "hidden";
  if (kind === "NULL") return "null";
  if (kind === "M" || kind === "L") return JSON.stringify(plain(value));
  if (Array.isArray(content)) return content.join(", ");
  return String(content);
}

/**
 * An attribute value as plain JSON, for reading; numbers stay texts where JavaScript would round them.
 * @param {any} value
 * @returns {any}
 */
export function plain(value) {
  const [kind, content] = Object.entries(value ?? {})[0] ?? ["NULL", true];
  if (kind === "M") return Object.fromEntries(Object.entries(content).map(([name, each]) => [name, plain(each)]));
  if (kind === "L") return content.map(plain);
  if (kind === "N") return String(Number(content)) === content ? Number(content) : content;
  if (kind === "NULL") return null;
  if (kind === "HIDDEN") return "hidden";
  return content;
}

/**
 * A number of bytes.
 * @param {{bytes: number}} props
 */
export function Size({ bytes }) {
  return html`<span class="number" title=${bytesText(bytes)}>${sizeText(bytes)}</span>`;
}

const NUMBERS = new Intl.NumberFormat("en"); // `toLocaleString` would make one for each number

/** @param {number} bytes */
export const bytesText = (bytes) => `${NUMBERS.format(bytes)} bytes`;

/** @param {number} bytes */
export function sizeText(bytes) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  let left = bytes;
  while (left >= 1024 && unit < units.length - 1) {
    left /= 1024;
    unit += 1;
  }
  return `${unit && left < 10 ? left.toFixed(1) : Math.round(left)} ${units[unit]}`;
}

/**
 * A point in time: epoch seconds, or text in ISO 8601.
 * @param {{at: number | string}} props
 */
export function Time({ at }) {
  const time = new Date(typeof at === "number" ? at * 1000 : at);
  if (Number.isNaN(time.getTime())) return html`<span>${String(at)}</span>`;
  const iso = time.toISOString();
  return html`<time datetime=${iso} title=${`${iso} (${time.toLocaleString()})`}>${iso.slice(0, 19).replace("T", " ")}</time>`;
}

/** @param {{value: number | null | undefined, digits?: number}} props */
export function Count({ value, digits = 0 }) {
  if (value === null || value === undefined) return html`<span class="absent">–</span>`;
  return html`<span class="number">${value.toLocaleString("en", { maximumFractionDigits: digits })}</span>`;
}
