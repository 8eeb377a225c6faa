// A version in the details panel, and the restore of its item.
import { html, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { ChangeDetails, EventTag } from "../parts/changes.js";
import { Diff } from "../parts/diff.js";
import { historyHref, itemHref, keyText } from "../parts/item_links.js";
import { Button, Panel, Problem, Section } from "../parts/layout.js";
import { design, readOnly } from "../parts/state.js";
import { toast } from "../parts/toast.js";
import { Text, Time } from "../parts/values.js";

/**
 * @param {{table: string, selected: any, onClose: () => void, onRestored: () => void}} props
 * `selected` has the `change`, and either its `sequence`, or the two times `from` and `to`
 */
export function VersionPanel({ table, selected, onClose, onRestored }) {
  const { change, sequence, from, to } = selected;
  const title = sequence ? html`<${EventTag} event=${change.kind} /> <${Time} at=${selected.at} />` : html`As of <${Time} at=${from} />`;
  return html`<${Panel} title=${title} onClose=${onClose}>
    <div class="toolbar">
      <a href=${itemHref(table, change.key)}>Open the item</a>
      <a href=${historyHref(table, change.key)}>Its versions</a>
    </div>
    <${ChangeDetails} change=${change} before=${sequence ? "Before" : "Then"} after=${sequence ? "After" : to === null ? "Now" : "Other time"} />
    <${Restore} table=${table} selected=${selected} onRestored=${onRestored} />
  <//>`;
}

/** @param {{table: string, selected: any, onRestored: () => void}} props */
function Restore({ table, selected, onRestored }) {
  const [plan, setPlan] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const { change, sequence, from } = selected;
  const [partition, sort] = Object.values(change.key).map(keyText);
  const path = `/time/${encodeURIComponent(table)}`;

  /** @param {"before" | "after"} side */
  async function look(side) {
    const version = sequence ? { sequence, side } : { at: from };
    const body = { partition, sort, ...version };
    try {
      setPlan({ body, ...(await api.post(`${path}/restore-plan`, body)) });
      setError(null);
    } catch (problem) {
      setPlan(null);
      setError(problem);
    }
  }

  async function restore() {
    try {
      await api.post(`${path}/restore-item`, { ...plan.body, expected: plan.expected });
      setPlan(null);
      setError(null);
      toast("The item was restored");
      onRestored();
    } catch (problem) {
      setPlan(null);
      setError(problem);
    }
  }

  if (change.role === "copy" || change.role === "lock") {
    return html`<p class="dim">This is a ${change.role}. Restore its ${change.entity ?? "entity"}, and the ${change.role} follows.${change.owner && html` <a href=${historyHref(table, change.owner)}>Versions of the ${change.entity ?? "entity"}</a>`}</p>`;
  }
  return html`<${Section} title="Restore">
    <div class="toolbar">
      ${sequence
        ? html`<${Button} onClick=${() => look("before")}>To before this change…<//><${Button} onClick=${() => look("after")}>To after it…<//>`
        : html`<${Button} onClick=${() => look("after")}>To what it was then…<//>`}
    </div>
    <${Problem} error=${error} />
    ${plan && html`<${Plan} plan=${plan} onRestore=${restore} onCancel=${() => setPlan(null)} />`}
  <//>`;
}

/** @param {{plan: any, onRestore: () => void, onCancel: () => void}} props */
function Plan({ plan, onRestore, onCancel }) {
  const { change, writes } = plan;
  if (!writes.length) return html`<p class="dim" role="status">The item is already so. There is nothing to write.</p>`;
  const isWritable = design.value.writable;
  return html`<div class="plan card" role="group" aria-label="Plan">
    <p>${change.after === null ? "The item did not exist then: it will be deleted." : change.before === null ? "The item does not exist now: it will be written again." : "The item will change:"}</p>
    ${change.before !== null && change.after !== null && html`<${Diff} before=${change.before} after=${change.after} changed=${change.changed} label="Now and restored" titles=${["Now", "Restored"]} />`}
    <p class="dim">${writes.length === 1 ? "One write" : `${writes.length} writes in one transaction`}, if the item is still as it is now:</p>
    <ul class="writes">${writes.map((/** @type {any} */ write) => html`<li key=${write.title}><span class="tag">${write.kind}${write.role === "copy" || write.role === "lock" ? ` ${write.role}` : ""}</span> <code><${Text} text=${write.title} /></code></li>`)}</ul>
    <div class="buttons">
      <button onClick=${onCancel}>Cancel</button>
      <button class="primary" disabled=${!isWritable} onClick=${onRestore} title=${isWritable ? "" : readOnly()}>Restore</button>
    </div>
    ${!isWritable && html`<p class="warn">${readOnly()}</p>`}
  </div>`;
}
