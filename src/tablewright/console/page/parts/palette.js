// The palette (Ctrl+K): finds views, tables, entities, patterns and keys.
import { html, signal, useLayoutEffect, useRef, useState } from "../lib.js";
import { follow, href } from "./router.js";
import { design, designs, hue } from "./state.js";
import { VIEWS } from "./views.js";

export const open = signal(false);

/** @returns {{kind: string, title: string, detail: string, to: string, entity?: string}[]} */
function entries() {
  const found = design.value;
  const views = VIEWS.map((view) => ({ kind: "view", title: view.title, detail: view.about, to: href(view.id) }));
  if (!found) return views; // a quick user does not wait for the design
  return [
    ...views,
    ...found.entities.map((/** @type {any} */ entity) => ({
      kind: "entity", entity: entity.name, title: entity.name, detail: entity.description, to: href("items", [entity.table], { entity: entity.name, role: "entity" }),
    })),
    ...found.patterns.map((/** @type {any} */ pattern) => ({
      kind: "pattern", entity: pattern.entities[0], title: pattern.name, detail: pattern.description, to: href("patterns", [pattern.name]),
    })),
    ...found.tables.map((/** @type {any} */ table) => ({
      kind: "table", title: table.name, detail: `${table.entities.length} entities`, to: href("items", [table.name]),
    })),
    ...designs.value.map((/** @type {any} */ each) => ({
      kind: "design", title: each.title, detail: each.location, to: href("overview", [], {}, each.name),
    })),
  ];
}

/**
 * Entries that match a text best first; a text that is no name can be a key.
 * @param {string} text
 */
function matches(text) {
  const wanted = text.trim().toLowerCase();
  const all = entries();
  if (!wanted) return all.slice(0, 60);
  const scored = all
    .map((each) => ({ each, score: score(each.title.toLowerCase(), wanted) }))
    .filter(({ score: found }) => found > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ each }) => each);
  const keys = (design.value?.tables ?? [])
    .filter((/** @type {any} */ table) => !table.is_key_table)
    .map((/** @type {any} */ table) => ({
      kind: "key", title: text.trim(), detail: `the partition in ${table.name}`, to: href("items", [table.name], { partition: text.trim() }),
    }));
  return [...scored, ...keys].slice(0, 60);
}

/**
 * @param {string} title
 * @param {string} wanted
 */
function score(title, wanted) {
  if (title.startsWith(wanted)) return 100 - title.length / 100;
  if (title.includes(wanted)) return 50 - title.length / 100;
  let at = 0;
  for (const letter of wanted) {
    at = title.indexOf(letter, at) + 1;
    if (at === 0) return 0;
  }
  return 10 - title.length / 100;
}

/** The palette, while it is open. */
export function Palette() {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  useLayoutEffect(() => {
    if (!open.value) return;
    setText("");
    setActive(0);
    box.current?.showModal();
  }, [open.value]);
  if (!open.value) return null;
  const found = matches(text);
  const close = () => {
    open.value = false;
  };
  /** @param {KeyboardEvent} event */
  function press(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      const next = Math.max(0, Math.min(found.length - 1, active + by));
      setActive(next);
      document.getElementById(`palette-${next}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && found[active]) {
      event.preventDefault();
      follow(found[active].to);
      close();
    }
  }
  return html`<dialog class="palette" ref=${box} onClose=${close} aria-label="Find" onClick=${(/** @type {any} */ event) => event.target === box.current && close()}>
    <input type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant=${`palette-${active}`}
      aria-label="Find a view, table, entity, pattern or key" placeholder="Find a view, table, entity, pattern or key" autofocus autocomplete="off" spellcheck=${false}
      value=${text} onInput=${(/** @type {any} */ event) => (setText(event.currentTarget.value), setActive(0))} onKeyDown=${press} />
    <div role="listbox" id="palette-list" aria-label="Found">
      ${found.map(
        (each, index) => html`<a role="option" id=${`palette-${index}`} key=${each.kind + each.title + each.detail} aria-selected=${index === active}
            tabindex="-1" href=${each.to} onClick=${close}>
          <span class="palette-kind">${each.kind}</span>${each.entity ? html`<b class=${`entity ${hue(each.entity)}`}>${each.title}</b>` : html`<b>${each.title}</b>`}<span class="dim">${each.detail}</span></a>`,
      )}
      ${!found.length && html`<p class="dim">Nothing has this name.</p>`}
    </div>
  </dialog>`;
}
