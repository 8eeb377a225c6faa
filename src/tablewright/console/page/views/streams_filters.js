// The filter of a stream: entity, events, key, and changed field. It is part of the address.
import { html } from "../lib.js";
import { Select } from "../parts/layout.js";
import { design, entity as entityOf } from "../parts/state.js";

const EVENTS = ["inserted", "modified", "removed", "expired"];

/**
 * The parameters of the API for the parameters of the address.
 * @param {Record<string, string>} params
 */
export function filterOf(params) {
  return { entity: params.entity, events: params.events, key: params.key, changed: params.changed, dependents: params.dependents };
}

/** @param {{table: any, params: Record<string, string>, change: (more: Record<string, any>) => void}} props */
export function Filters({ table, params, change }) {
  const entities = design.value.entities.filter((/** @type {any} */ entity) => entity.table === table.name);
  const chosen = (params.events ?? "").split(",").filter(Boolean);
  const fields = entities.filter((/** @type {any} */ entity) => !params.entity || entity.name === params.entity).flatMap((/** @type {any} */ entity) => entity.fields.map((/** @type {any} */ field) => field.name));
  /** @param {string} event */
  function toggle(event) {
    const next = EVENTS.filter((each) => (each === event) !== chosen.includes(each));
    change({ events: next.length === EVENTS.length ? "" : next.join(",") });
  }
  const any = ["entity", "events", "key", "changed", "dependents"].some((name) => params[name]);
  return html`<div class="stream-filters" role="search" aria-label="Filter">
    <${Select} label="Entity" value=${params.entity ?? ""} options=${[{ value: "", title: "any" }, ...entities.map((/** @type {any} */ entity) => ({ value: entity.name, title: entity.name }))]}
      onChange=${(/** @type {string} */ value) => change({ entity: value, changed: value && params.changed && !entityOf(value).fields.some((/** @type {any} */ field) => field.name === params.changed) ? "" : params.changed })} />
    <fieldset class="events"><legend class="for-readers">Events</legend>
      ${EVENTS.map((event) => html`<label key=${event}><input type="checkbox" checked=${!chosen.length || chosen.includes(event)} onChange=${() => (chosen.length ? toggle(event) : change({ events: EVENTS.filter((other) => other !== event).join(",") }))} />${event}</label>`)}
    </fieldset>
    <${Text} label="Key begins with" name="key" value=${params.key ?? ""} change=${change} filter />
    <${Text} label="Changed field" name="changed" value=${params.changed ?? ""} change=${change} list=${[...new Set(fields)]} />
    <label><input type="checkbox" checked=${params.dependents !== "false"} onChange=${(/** @type {any} */ event) => change({ dependents: event.currentTarget.checked ? "" : "false" })} />copies and locks</label>
    ${any && html`<button class="link" onClick=${() => change({ entity: "", events: "", key: "", changed: "", dependents: "" })}>Remove filter</button>`}
  </div>`;
}

/** @param {{label: string, name: string, value: string, change: (more: Record<string, any>) => void, list?: string[], filter?: boolean}} props */
function Text({ label, name, value, change, list, filter = false }) {
  return html`<label class="filter-text">${label}
    <input value=${value} data-filter=${filter ? "" : undefined} list=${list ? `${name}-list` : undefined} spellcheck=${false} autocomplete="off"
      onChange=${(/** @type {any} */ event) => change({ [name]: event.currentTarget.value.trim() })} />
    ${list && html`<datalist id=${`${name}-list`}>${list.map((each) => html`<option key=${each} value=${each}></option>`)}</datalist>`}
  </label>`;
}
