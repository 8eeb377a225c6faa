// Edits: staged changes, what each of them touches, one transaction for all, and undo.
import { html, useLayoutEffect, useState } from "../lib.js";
import { api, returns } from "../parts/api.js";
import { ChangeKey } from "../parts/changes.js";
import { Diff } from "../parts/diff.js";
import { Form } from "../parts/form.js";
import { Button, Empty, Page, Problem, Section, Select } from "../parts/layout.js";
import { go, href, route } from "../parts/router.js";
import { change, changedValues, discard, discardAll, discardSaved, isChanged, request, saved, staged, stageItem, stageNew, undo } from "../parts/staged.js";
import { design, entity, readOnly } from "../parts/state.js";
import { toast } from "../parts/toast.js";
import { Count, EntityName, KeyText, Time, jsonText, valueText } from "../parts/values.js";

const PAUSE = 250;

export default function View() {
  const { params } = route.value;
  const [selected, setSelected] = useState(/** @type {number | null} */ (null));
  const [opening, setOpening] = useState(/** @type {any} */ (null));
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const edits = staged();
  const edit = edits.find((each) => each.id === selected) ?? edits[0] ?? null;

  useLayoutEffect(() => {
    if (!params.key && !params.create) return;
    stageLinked(params).then(
      (id) => {
        setSelected(id);
        setOpening(null);
        go("edit", [], {}, { replace: true });
      },
      (error) => setOpening(error),
    );
  }, [JSON.stringify(params)]);

  async function save() {
    setSaving(true);
    setProblem(null);
    try {
      const done = await api.post("/edit/commit", { edits: edits.map(request) });
      discardSaved(edits);
      /** @type {import("../parts/staged.js").Saved} */
      const entry = { undo: done.undo, design: name, at: Date.now() / 1000, items: done.items, state: "saved" };
      saved.value = [entry, ...saved.value];
      toast(`Saved: ${written(done.items.length)}`, { undo: () => restore(entry) });
    } catch (error) {
      setProblem(error);
    } finally {
      setSaving(false);
    }
  }

  const { name, writable } = design.value;
  const ready = edits.length > 0 && edits.every(isChanged);
  return html`<${Page} title="Edits" css="edit" toolbar=${html`
      <${Select} label="New" value="" options=${[{ value: "", title: "choose an entity" }, ...creatable()]}
        onChange=${async (/** @type {string} */ name) => name && setSelected(await stageNew(entity(name)))} />
      <${Button} primary disabled=${!ready || saving || !writable} onClick=${save}
        title=${writable ? undefined : readOnly()}>
        ${edits.length > 1 ? `Save ${edits.length} changes in one transaction` : "Save"}
      <//>
      ${edits.length > 1 && html`<${Button} onClick=${discardAll}>Discard all<//>`}
      ${!writable && html`<span class="dim">Read-only: start the console with <code>${design.value.write_option}</code> to save.</span>`}`}>
    <${Problem} error=${opening ?? problem} />
    ${edit ? html`<div class="edits">
        <${EditList} edits=${edits} selected=${edit.id} onSelect=${setSelected} />
        <${Editor} key=${edit.id} edit=${edit} />
      </div>`
      : html`<${Empty} title="No change is staged">
        <p>Open an item in <a href=${href("items")}>Items</a> and choose Edit, or create an entity with the list above.
        Changes wait here until you save them: all in one transaction, or none.</p>
        <p>Before you save, this view shows everything that a change touches: the item, its copies and locks, its rows in
        the indexes, its stream record, and the capacity. After you save, you can undo it.</p>
      <//>`}
    <${SavedList} entries=${saved.value.filter((each) => each.design === name)} />
  <//>`;
}

/**
 * Stage what a link asks for.
 * @param {Record<string, string>} params
 */
async function stageLinked(params) {
  if (params.create) {
    const found = entity(params.create);
    if (!found) throw new Error(`The design has no entity ${params.create}.`);
    return stageNew(found);
  }
  let key;
  try {
    key = JSON.parse(params.key);
  } catch {
    throw new Error("The key in this link is not JSON. Open the item in Items, and choose Edit.");
  }
  return stageItem(params.table, key, params.delete ? "delete" : "update");
}

const creatable = () =>
  design.value.entities
    .filter((/** @type {any} */ each) => each.writes.includes("create"))
    .map((/** @type {any} */ each) => ({ value: each.name, title: each.name }));

/** @param {number} count */
const written = (count) => `${count} ${count === 1 ? "item" : "items"} written`;

/** @param {import("../parts/staged.js").Saved} entry */
async function restore(entry) {
  try {
    toast(`Undone: ${written(await undo(entry))}`);
  } catch (error) {
    toast(`Not undone: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * What was saved since the page was opened: each can be undone, unless an item has changed since.
 * @param {{entries: import("../parts/staged.js").Saved[]}} props
 */
function SavedList({ entries }) {
  if (!entries.length) return null;
  return html`<${Section} title="Saved">
    <ul class="saved-list" aria-label="Saved changes">
      ${entries.map((entry) => html`<li key=${entry.undo}>
        <${Time} at=${entry.at} />
        <span class="saved-items">${entry.items.map((/** @type {any} */ item) => html`<span key=${item.table + item.title}><${EntityName} name=${item.entity} role=${item.role} /> <${ChangeKey} change=${item} /></span>`)}</span>
        ${entry.state === "undone" ? html`<span class="tag">undone</span>` : html`<${Button} onClick=${() => restore(entry)}>Undo<//>`}
      </li>`)}
    </ul>
  <//>`;
}

/** @param {{edits: any[], selected: number, onSelect: (id: number) => void}} props */
function EditList({ edits, selected, onSelect }) {
  return html`<ul class="edit-list" aria-label="Staged changes">
    ${edits.map((edit) => html`<li key=${edit.id} class=${edit.id === selected ? "selected" : ""}>
      <button class="edit-item" aria-current=${edit.id === selected} onClick=${() => onSelect(edit.id)}>
        <span class="tag">${edit.kind}</span><${EntityName} name=${edit.entity} />
        <small>${edit.shown ? html`<${ChangeKey} change=${edit.shown} />` : "new"}</small>
      </button>
      <button class="icon" aria-label=${`Discard the change of ${edit.shown?.title ?? edit.entity}`} onClick=${() => discard(edit.id)}>×</button>
    </li>`)}
  </ul>`;
}

/** @param {{edit: import("../parts/staged.js").Staged}} props */
function Editor({ edit }) {
  const preview = usePreview(edit);
  // A form that was just opened has no mistakes yet, only fields to fill in.
  const isNew = edit.kind === "create" && preview.error !== null && Object.keys(changedValues(edit)).length === 0;
  const { effects, error } = isNew ? { effects: null, error: null } : preview;
  return html`<div class="editor">
    <div class="editor-form">
      ${edit.kind === "delete"
        ? html`<${Section} title="Delete this item"><p>${edit.form ? "The entity is deleted with its copies and locks." : "The item is deleted."}</p>
            <${Button} onClick=${() => change(edit.id, { kind: edit.form ? "update" : "replace" })}>Edit it instead<//><//>`
        : edit.form ? html`<${EntityForm} edit=${edit} messages=${error?.fields ?? {}} />` : html`<${RawForm} edit=${edit} />`}
      ${edit.kind !== "create" && edit.kind !== "delete" && html`<div class="buttons">
        <${Button} danger onClick=${() => change(edit.id, { kind: "delete" })}>Delete instead<//></div>`}
    </div>
    <div class="editor-effects" aria-live="polite">
      <h2>What saving touches</h2>
      ${error && html`<${Problem} error=${error} />`}
      ${error?.status === 409 && html`<${Button} onClick=${() => readAgain(edit)}>Read the item again<//>`}
      ${!error && effects && html`<${Effects} effects=${effects} />`}
      ${!error && !effects && html`<p class="dim">${isNew ? "Fill in the form to see what saving touches." : isChanged(edit) ? "Loading…" : "Nothing is changed yet."}</p>`}
    </div>
  </div>`;
}

/** @param {any} edit */
async function readAgain(edit) {
  const reply = await api.get("/edit/item", { table: edit.table, key: JSON.stringify(edit.key) });
  const kept = edit.form ? { ...(reply.values ?? {}), ...changedValues(edit) } : {};
  change(edit.id, { fingerprint: reply.fingerprint, original: reply.values ?? {}, values: kept, shown: reply.shown, form: reply.form });
}

/**
 * The effects of an edit, soon after it was changed.
 * @param {any} edit
 */
function usePreview(edit) {
  const [found, setFound] = useState(/** @type {{effects: any, error: any}} */ ({ effects: null, error: null }));
  const text = isChanged(edit) ? JSON.stringify(request(edit)) : null;
  const again = returns.value;
  useLayoutEffect(() => {
    if (text === null) {
      setFound({ effects: null, error: null });
      return undefined;
    }
    let current = true;
    const timer = setTimeout(() => {
      api.post("/edit/preview", { edits: [JSON.parse(text)] }).then(
        (effects) => current && setFound({ effects, error: null }),
        (error) => current && setFound({ effects: null, error }),
      );
    }, PAUSE);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, again]);
  return found;
}

/** @param {{edit: any, messages: Record<string, string>}} props */
function EntityForm({ edit, messages }) {
  const { form } = edit;
  const changed = edit.kind === "create" ? {} : changedValues(edit);
  /** @param {string} name */
  function hint(name) {
    if (form.automatic.includes(name)) return "set by the library";
    if (form.secret.includes(name)) return "secret: the stored value is not shown; a text here replaces it";
    if (name in changed) return html`was <b>${JSON.stringify(edit.original[name] ?? null)}</b>`;
    return form.key_fields.includes(name) && edit.kind === "update" ? "part of the primary key: a new value moves the item" : null;
  }
  return html`<${Section} title=${html`<${EntityName} name=${edit.entity} /> ${edit.shown && html`<${ChangeKey} change=${edit.shown} />`}`}>
    <${Form} schema=${form.schema} values=${edit.values} messages=${messages} fixed=${form.automatic} hint=${hint}
      onChange=${(/** @type {any} */ values) => change(edit.id, { values })} />
  <//>`;
}

/** @param {{edit: any}} props */
function RawForm({ edit }) {
  const [problem, setProblem] = useState("");
  const [text, setText] = useState(() => jsonText(edit.item)); // as it was typed: it must not be laid out anew at each key
  /** @param {any} event */
  function input(event) {
    setText(event.currentTarget.value);
    try {
      const item = JSON.parse(event.currentTarget.value);
      setProblem("");
      change(edit.id, { item });
    } catch (error) {
      setProblem(`Write JSON: ${/** @type {Error} */ (error).message}`);
    }
  }
  return html`<${Section} title="The whole item, in DynamoDB's JSON">
    <p class="dim">${edit.shown.problem ?? "This item is of no entity."} Hidden values stay as they are.</p>
    <textarea class="mono" rows="20" aria-label="Item" spellcheck=${false} value=${text} onInput=${input}></textarea>
    ${problem && html`<p class="bad" role="alert">${problem}</p>`}
  <//>`;
}

/** @param {{effects: any}} props */
function Effects({ effects }) {
  return html`<div class="effects">
    ${effects.items.map((/** @type {any} */ item) => html`<${Effect} key=${item.table + item.title} effect=${item} />`)}
    <${Section} title="Capacity" actions=${html`<small>a transaction costs twice</small>`}>
      <table class="units">
        <thead><tr><th scope="col">Table or index</th><th scope="col" class="right">Write units</th></tr></thead>
        <tbody>${Object.entries(effects.units).map(([place, units]) => html`<tr key=${place}><th scope="row">${place}</th><td class="right"><${Count} value=${units} digits=${1} /></td></tr>`)}</tbody>
        <tfoot><tr><th scope="row">Together</th><td class="right"><b><${Count} value=${Object.values(effects.units).reduce((sum, unit) => sum + unit, 0)} digits=${1} /></b></td></tr></tfoot>
      </table>
    <//>
  </div>`;
}

/** @param {{effect: any}} props */
function Effect({ effect }) {
  const verbs = /** @type {Record<string, string>} */ ({ create: "is created", change: "is changed", delete: "is deleted", check: "is checked" });
  return html`<section class="card effect">
    <header><${EntityName} name=${effect.entity} role=${effect.role} /> <b class=${`verb ${effect.action}`}>${verbs[effect.action]}</b>
      ${Object.entries(effect.key_parts).map(([name, parts]) => html`<${KeyText} key=${name} parts=${parts} />`)}</header>
    ${effect.action !== "check" && html`<${Diff} before=${effect.before} after=${effect.after} label=${`Changes of ${effect.title}`} />`}
    ${effect.hidden_changes.length > 0 && html`<p class="dim">${effect.hidden_changes.join(", ")} gets a new secret value.</p>`}
    ${effect.indexes.map((/** @type {any} */ row) => html`<p class="index-row" key=${row.index}>Row ${row.state} in <b>${row.index}</b>: <code>${keyOf(row.before)}</code>${keyOf(row.before) !== keyOf(row.after) && html`${row.before && row.after ? " → " : ""}<code>${keyOf(row.after)}</code>`}</p>`)}
    ${effect.stream && html`<p class="dim">Stream record ${effect.stream}</p>`}
  </section>`;
}

/** @param {any} key */
const keyOf = (key) => (key ? Object.values(key).map(valueText).join(" / ") : "");
