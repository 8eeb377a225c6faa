// The details of one item: its values, its state in each index, and where it leads.
import { html, useLayoutEffect } from "../lib.js";
import { ItemActions, raw } from "../parts/item_actions.js";
import { itemHref, keyId, keyText, linkHref, partitionHref } from "../parts/item_links.js";
import { Code, Loading, Panel, Problem, Section } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { Pin } from "../parts/pinned.js";
import { table as tableOf } from "../parts/state.js";
import { EntityName, KeyText, Size, Text, TYPES, Value, jsonText } from "../parts/values.js";
import { STATES } from "./items_grid.js";

/** @param {{table: string, item: string, onClose: () => void, version: number, isPinned?: boolean}} props */
export function Details({ table, item, onClose, version, isPinned = false }) {
  const { data, error, stale, reload } = useLoad("/items/one", { table, key: item });
  useLayoutEffect(() => {
    if (version) reload();
  }, [version]);
  useLayoutEffect(() => {
    if (isPinned) return undefined; // the panel beside it receives the key
    /** @param {KeyboardEvent} event */
    const press = (event) => {
      const typing = /** @type {HTMLElement} */ (event.target).matches?.("input, textarea, select");
      if (event.key === "r" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) raw.value = !raw.value;
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const isThis = data && JSON.stringify(data.key) === item;
  if (error && (!isThis || error.status === 404)) return html`<${Panel} title="Item" isPinned=${isPinned} onClose=${onClose}><${Problem} error=${error} onRetry=${reload} /><//>`;
  if (!data) return html`<${Panel} title="Item" isPinned=${isPinned} onClose=${onClose}><${Loading} /><//>`;
  return html`<${Panel} title=${html`<${EntityName} name=${data.entity} role=${data.role} />`} isPinned=${isPinned} onClose=${onClose}
      actions=${isPinned ? html`<span class="tag">pinned</span>` : html`<${Pin} table=${table} itemKey=${data.key} onPin=${onClose} />`}>
    <div class=${`item-details ${stale ? "stale" : ""}`}>
      <${Key} shown=${data} />
      <${Marks} shown=${data} />
      <${ItemActions} shown=${data} />
      ${raw.value ? html`<${Raw} shown=${data} />` : html`<${Values} shown=${data} />`}
      <${Indexes} shown=${data} />
      <${Links} shown=${data} />
      <${Dependents} shown=${data} />
    </div>
  <//>`;
}

/** @param {{shown: any}} props */
function Key({ shown }) {
  const table = tableOf(shown.table);
  return html`<dl class="item-key">
    ${table.key.map((/** @type {string} */ name, /** @type {number} */ at) => html`<div key=${name}><dt><code>${name}</code></dt>
      <dd><${KeyText} parts=${shown.key_parts[name]} link=${(/** @type {string} */ field) => firstLink(shown, field)} />
        ${at === 0 && html` <a href=${partitionHref(shown.table, [keyText(shown.key[name])])}>open partition</a>`}</dd></div>`)}
  </dl>`;
}

/**
 * @param {any} shown
 * @param {string} field
 */
function firstLink(shown, field) {
  const link = shown.links[field]?.[0];
  return link ? linkHref(link) : null;
}

/** @param {{shown: any}} props */
function Marks({ shown }) {
  return html`<div class="marks">
    <${Size} bytes=${shown.size} />
    ${shown.expired && html`<span class="tag warn" title="The expiry is over; DynamoDB deletes the item within days">expired</span>`}
    ${shown.owner && html`<span>${shown.role === "lock" ? "claims a value for" : "copy of"} <a href=${itemHref(shown.table, shown.owner)}><code>${Object.values(shown.owner).map(keyText).join(" · ")}</code></a></span>`}
    ${shown.problem && html`<p class="problem" role="note">${shown.problem}</p>`}
  </div>`;
}

const LONGEST_RAW = 20_000;

/** @param {{shown: any}} props */
function Raw({ shown }) {
  const text = jsonText(shown.item);
  if (text.length <= LONGEST_RAW) return html`<${Code} label="DynamoDB JSON" text=${text} />`;
  return html`<${Code} label="DynamoDB JSON" text=${text.slice(0, LONGEST_RAW)} />
    <details><summary>Show all ${text.length.toLocaleString("en")} characters</summary><${Code} label="All DynamoDB JSON" text=${text} /></details>`;
}

/** @param {{shown: any}} props */
function Values({ shown }) {
  const table = tableOf(shown.table);
  const names = Object.keys(shown.item).filter((name) => !table.key.includes(name));
  return html`<${Section} title="Attributes">
    <table class="attributes"><tbody>
      ${names.map((name) => {
        const field = shown.attributes[name];
        const value = shown.item[name];
        return html`<tr key=${name}>
          <th scope="row" title=${field && field !== name ? `field ${field}` : undefined}><${Text} text=${name.slice(0, 200)} /> <small title=${TYPES[Object.keys(value)[0]]}>${Object.keys(value)[0] === "HIDDEN" ? "" : Object.keys(value)[0]}</small></th>
          <td>${shown.key_parts[name] ? html`<${KeyText} parts=${shown.key_parts[name]} link=${(/** @type {string} */ part) => firstLink(shown, part)} />` : html`<${Value} value=${value} full />`}
            ${field && shown.links[field] && !shown.key_parts[name] && html` <a class="jump" href=${firstLink(shown, field)} title=${`Open ${shown.links[field][0].entity}`} aria-label=${`Open ${shown.links[field][0].entity} of ${field}`}>→</a>`}</td>
        </tr>`;
      })}
    </tbody></table>
  <//>`;
}

/** @param {{shown: any}} props */
function Indexes({ shown }) {
  if (!shown.indexes.length) return null;
  const table = tableOf(shown.table);
  return html`<${Section} title="In indexes">
    <ul class="index-states">
      ${together(shown.indexes).map((/** @type {any} */ each) => {
        if (each.names) return html`<li key=${each.names}><div><b>${each.names}</b> <span class="tag">absent</span></div><div class="why">${each.why}</div></li>`;
        const index = table.indexes.find((/** @type {any} */ other) => other.name === each.index);
        const partition = index.partition.map((/** @type {string} */ name) => keyText(shown.item[name]));
        return html`<li key=${each.index}>
          <div><b>${each.index}</b> <span class=${`tag ${STATES[each.state]}`}>${each.state}</span>
            ${each.state !== "absent" && html` <a href=${partitionHref(shown.table, partition, each.index, { item: JSON.stringify(shown.key) })}>open there</a>`}</div>
          ${each.state !== "absent" && html`<div class="index-key">${[...index.partition, ...index.sort].map((/** @type {string} */ name) => html`<${KeyText} key=${name} parts=${shown.key_parts[name]} /> `)}</div>`}
          ${each.why && html`<div class="why">${each.why}</div>`}
          ${each.state !== "absent" && html`<div class="why">${each.left_out.length ? html`has ${each.projected.join(", ")}; <span class="left-out">not ${each.left_out.join(", ")}</span>` : "has all attributes"}</div>`}
        </li>`;
      })}
    </ul>
  <//>`;
}

/**
 * The indexes of an item, but those without it for the same reason as one.
 * @param {any[]} indexes
 * @returns {any[]}
 */
function together(indexes) {
  /** @type {Map<string, string[]>} */
  const absent = new Map();
  for (const index of indexes) if (index.state === "absent") absent.set(index.why, [...(absent.get(index.why) ?? []), index.index]);
  const present = indexes.filter((each) => each.state !== "absent" || (absent.get(each.why)?.length ?? 0) < 2);
  return [...present, ...[...absent].filter(([, names]) => names.length > 1).map(([why, names]) => ({ names: names.join(", "), why }))];
}

/** @param {{shown: any}} props */
function Links({ shown }) {
  const fields = Object.entries(shown.links);
  if (!fields.length) return null;
  return html`<${Section} title="Leads to">
    <dl class="links">
      ${fields.map(([field, links]) => html`<div key=${field}><dt>${field}</dt><dd>${links.map((/** @type {any} */ link) => html`<a key=${link.table + (link.key ? keyId(link.key) : link.partition)} href=${linkHref(link)}><${EntityName} name=${link.entity} /> <code><${Text} text=${link.key ? Object.values(link.key).map(keyText).join(" · ") : link.partition.join(" ")} /></code></a>`)}</dd></div>`)}
    </dl>
  <//>`;
}

/** @param {{shown: any}} props */
function Dependents({ shown }) {
  const { items, count, problem } = shown.dependents;
  if (!count && !problem) return null;
  return html`<${Section} title="Copies and locks">
    ${problem && html`<p class="why">${problem}</p>`}
    <ul class="dependents">
      ${items.map((/** @type {any} */ item) => html`<li key=${item.title}><span class="tag">${item.role} ${item.name}</span> <a href=${itemHref(shown.table, item.key)}><code><${Text} text=${Object.values(item.key).map(keyText).join(" · ")} /></code></a>
        ${item.problem && html`<span class="bad"> ${item.problem}</span>`}</li>`)}
    </ul>
    ${count > items.length && html`<p class="why">${count - items.length} more</p>`}
  <//>`;
}
