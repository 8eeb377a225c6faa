// Forms made from a JSON schema: one input for each property, with the message of the server beside it.
import { html, useState } from "../lib.js";
import { Field } from "./layout.js";

/**
 * @param {object} props
 * @param {any} props.schema a JSON schema of type object
 * @param {Record<string, any>} props.values
 * @param {(values: Record<string, any>) => void} props.onChange
 * @param {Record<string, string>} [props.messages] by property; "address.city" for nested ones
 * @param {string[]} [props.fixed] properties that cannot be edited
 * @param {(name: string) => any} [props.hint]
 */
export function Form({ schema, values, onChange, messages = {}, fixed = [], hint = () => null }) {
  const required = new Set(schema.required ?? []);
  return html`<div class="form">
    ${fixedLast(schema.properties ?? {}, fixed).map(([name, property]) => {
      const kind = resolve(property, schema);
      return html`<${Field} key=${name} label=${html`${name}${required.has(name) ? "" : html` <small>optional</small>`}`}
          hint=${hint(name) ?? kind.description} message=${messageOf(messages, name)}>
        <${Input} name=${name} kind=${kind} root=${schema} value=${values[name]} disabled=${fixed.includes(name)}
          onChange=${(/** @type {any} */ value) => onChange({ ...values, [name]: value })} />
      <//>`;
    })}
  </div>`;
}

/**
 * The properties in their order, but those that cannot be edited at the end.
 * @param {Record<string, any>} properties
 * @param {string[]} fixed
 */
function fixedLast(properties, fixed) {
  const all = Object.entries(properties);
  return [...all.filter(([name]) => !fixed.includes(name)), ...all.filter(([name]) => fixed.includes(name))];
}

/**
 * @param {Record<string, string>} messages
 * @param {string} name
 */
function messageOf(messages, name) {
  const found = Object.entries(messages).filter(([path]) => path === name || path.startsWith(`${name}.`));
  return found.map(([path, text]) => (path === name ? text : `${path.slice(name.length + 1)}: ${text}`)).join("; ");
}

/**
 * The schema that a property refers to, without the alternative of null.
 * @param {any} property
 * @param {any} root
 * @returns {any}
 */
export function resolve(property, root) {
  if (property.$ref) return { ...resolve(root.$defs[property.$ref.split("/").pop()], root), ...property, $ref: undefined };
  const choices = (property.anyOf ?? property.oneOf ?? []).filter((/** @type {any} */ each) => each.type !== "null");
  if (choices.length === 1) return { ...property, anyOf: undefined, ...resolve(choices[0], root), nullable: true };
  if (property.allOf?.length === 1) return { ...property, allOf: undefined, ...resolve(property.allOf[0], root) };
  return property;
}

/** @param {any} props */
function Input({ name, kind, root, value, onChange, disabled }) {
  const text = value === undefined || value === null ? "" : String(value);
  const [long] = useState(text.length > 80 || text.includes("\n")); // as it was opened: another element would lose the focus
  const input = (/** @type {any} */ event) => onChange(event.currentTarget.value === "" ? undefined : event.currentTarget.value);
  if (kind.const !== undefined) return html`<input value=${String(kind.const)} disabled />`;
  if (kind.enum) {
    return html`<select name=${name} disabled=${disabled} value=${text} onChange=${input}>
      <option value="" selected=${text === ""}></option>
      ${kind.enum.map((/** @type {any} */ each) => html`<option key=${each} value=${each} selected=${String(each) === text}>${each}</option>`)}
    </select>`;
  }
  if (kind.type === "boolean") {
    return html`<select name=${name} disabled=${disabled} value=${text}
        onChange=${(/** @type {any} */ event) => onChange({ true: true, false: false }[/** @type {string} */ (event.currentTarget.value)])}>
      <option value="" selected=${text === ""}></option><option value="true" selected=${text === "true"}>true</option><option value="false" selected=${text === "false"}>false</option>
    </select>`;
  }
  if (kind.type === "integer" || kind.type === "number") {
    return html`<input name=${name} inputmode="decimal" disabled=${disabled} value=${text} onInput=${(/** @type {any} */ event) => onChange(number(event.currentTarget.value))} />`;
  }
  if (kind.type === "array" && isScalar(resolve(kind.items ?? {}, root))) {
    const item = resolve(kind.items ?? {}, root);
    const parse = (/** @type {string} */ line) => (item.type === "integer" || item.type === "number" ? number(line) : line);
    const isNumber = item.type === "integer" || item.type === "number"; // a vector is pasted as it is printed: [0.1, 0.2]
    const split = (/** @type {string} */ given) => (isNumber ? given.replace(/[[\]]/g, "").split(/[\n,]/).map((part) => part.trim()) : given.split("\n"));
    return html`<textarea name=${name} rows="3" disabled=${disabled} placeholder="one value per line" value=${(value ?? []).join("\n")}
      onChange=${(/** @type {any} */ event) => onChange(split(event.currentTarget.value).filter(Boolean).map(parse))}></textarea>`;
  }
  if (kind.type === "string" && kind.format === "date") return html`<input type="date" name=${name} disabled=${disabled} value=${text} onInput=${input} />`;
  if (kind.type === "string" || !kind.type) {
    if (long) return html`<textarea name=${name} rows="4" disabled=${disabled} value=${text} onInput=${input}></textarea>`;
    const placeholder = kind.format === "date-time" ? "2026-01-31T12:00:00Z" : "";
    return html`<input name=${name} disabled=${disabled} placeholder=${placeholder} value=${text} onInput=${input} autocomplete="off" spellcheck=${false} />`;
  }
  return html`<${JsonInput} name=${name} disabled=${disabled} value=${value} onChange=${onChange} />`;
}

/** @param {any} props */
function JsonInput({ name, value, onChange, disabled }) {
  const text = value === undefined ? "" : JSON.stringify(value, null, 2);
  /** @param {any} event */
  function change(event) {
    const area = event.currentTarget;
    try {
      onChange(area.value.trim() === "" ? undefined : JSON.parse(area.value));
      area.setCustomValidity("");
    } catch (error) {
      area.setCustomValidity(`Write JSON: ${/** @type {Error} */ (error).message}`);
      area.reportValidity();
    }
  }
  return html`<textarea class="mono" name=${name} rows="5" disabled=${disabled} placeholder="JSON" value=${text} onChange=${change}></textarea>`;
}

/** @param {any} kind */
const isScalar = (kind) => ["string", "integer", "number"].includes(kind.type) || Boolean(kind.enum);

/**
 * A number as it was typed: a text that is no number stays a text, so that the server can say what is wrong with it.
 * @param {string} text
 */
function number(text) {
  if (text.trim() === "") return undefined;
  const found = Number(text);
  return Number.isNaN(found) || String(found) !== text.trim() ? text : found;
}
