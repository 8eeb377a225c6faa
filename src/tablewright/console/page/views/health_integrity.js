// Integrity: check all items in the background, show what is wrong, preview and make repairs.
import { html, useLayoutEffect, useState } from "../lib.js";
import { api, returns } from "../parts/api.js";
import { Command } from "../parts/command.js";
import { Diff } from "../parts/diff.js";
import { Grid } from "../parts/grid.js";
import { Button, Confirm, Empty, Loading, Panel, Problem } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { href } from "../parts/router.js";
import { design, readOnly } from "../parts/state.js";
import { toast } from "../parts/toast.js";
import { EntityName, Time } from "../parts/values.js";
import { HealthPage } from "./health.js";

const POLL = 400;
const MOST = 100; // findings of one preview

/** @param {{tabs: any}} props */
export function Integrity({ tabs }) {
  const { data, error, stale, reload } = useLoad("/health/fsck", { limit: 1000 });
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [chosen, setChosen] = useState(/** @type {number[]} */ ([]));
  const isRunning = data?.state === "running";
  useLayoutEffect(() => {
    if (!isRunning) return undefined;
    const timer = setTimeout(reload, POLL);
    return () => clearTimeout(timer);
  }, [data]);
  /** @param {string} path */
  async function send(path) {
    setProblem(null);
    setChosen([]);
    try {
      await api.post(path);
    } catch (failure) {
      setProblem(failure);
    }
    reload();
  }
  const open = (data?.findings ?? []).filter((/** @type {any} */ finding) => finding.repair && !finding.is_repaired);
  const toolbar = html`${isRunning
      ? html`<${Button} onClick=${() => send("/health/fsck/cancel")}>Cancel<//>`
      : html`<${Button} primary=${data?.state === "never"} onClick=${() => send("/health/fsck/start")}>Check all items<//>`}
    ${groupsOf(open).map((group) => html`<${Button} key=${group.table} onClick=${() => setChosen(group.findings.slice(0, MOST).map((finding) => finding.number))}>
      Preview ${group.findings.length > MOST ? `the first ${MOST}` : `all ${group.findings.length}`} repairs${group.table && ` of ${group.table}`}<//>`)}`;
  const panel = chosen.length > 0 && data?.findings && html`<${Repairs} key=${`${data.run} ${chosen.join()}`} run=${data.run}
    findings=${chosen.map((number) => data.findings.find((/** @type {any} */ finding) => finding.number === number))}
    onClose=${() => setChosen([])} onRepaired=${() => (setChosen([]), reload())} />`;
  return html`<${HealthPage} tabs=${tabs} toolbar=${toolbar} panel=${panel || null} stale=${stale && data !== null && !isRunning}>
    <${Problem} error=${problem ?? error} />
    ${!data && !error && html`<${Loading} />`}
    ${data && html`<${State} data=${data} />`}
    ${data?.findings?.length > 0 && html`<${FindingsGrid} findings=${data.findings} chosen=${chosen} choose=${(/** @type {any} */ row) => setChosen([row.number])} />`}
  <//>`;
}

/**
 * The findings that are repaired at once: all of them, or those of one table if items of several tables are deleted,
 * since the name of the table is typed for it.
 * @param {any[]} open
 * @returns {{table: string, findings: any[]}[]}
 */
function groupsOf(open) {
  const tables = new Set(open.filter((each) => each.deletes).map((each) => each.table));
  const groups = tables.size > 1
    ? [...new Set(open.map((each) => each.table))].map((table) => ({ table, findings: open.filter((each) => each.table === table) }))
    : [{ table: "", findings: open }];
  return groups.filter((group) => group.findings.length > 1);
}

/** @param {{data: any}} props */
function State({ data }) {
  if (data.state === "never") {
    return html`<${Empty} title="The items were not checked yet">
      <p>The check reads every item and compares it with what the design would store: index keys, copies, locks of unique values, types and secrets.
      It only reads. Each repair is shown before it is made.</p>
      <p>The same in a terminal:</p><${Command} text=${design.value.commands.fsck} />
    <//>`;
  }
  const { task } = data;
  if (data.state === "running") {
    const share = task.total ? Math.min(1, task.done / task.total) : 0;
    return html`<div class="progress" role="status">
      <progress max="1" value=${share} aria-label="Progress"></progress>
      <span class="number">${task.done.toLocaleString("en")} of about ${(task.total ?? 0).toLocaleString("en")}</span> <span class="dim">${task.text}</span>
      ${task.is_cancelling && html`<span class="warn">stopping</span>`}
    </div>`;
  }
  if (data.state === "failed") return html`<${Problem} error=${task.error} />`;
  if (data.state === "cancelled") return html`<p role="status">The check was cancelled after ${task.done.toLocaleString("en")} items. Nothing was changed.</p>`;
  const counts = Object.entries(data.counts);
  const repaired = data.findings.filter((/** @type {any} */ finding) => finding.is_repaired).length;
  return html`<div class="result" role="status">
    <p>${data.total === 0
      ? html`<b class="good">No problems in ${data.seen.toLocaleString("en")} items.</b>`
      : html`<b>${data.total.toLocaleString("en")} ${data.total === 1 ? "problem" : "problems"} in ${data.seen.toLocaleString("en")} items:</b> ${counts.map(([kind, count]) => `${count} × ${kind}`).join(", ")}`}
      <span class="dim"> checked at <${Time} at=${task.ended_at} /></span></p>
    ${repaired > 0 && html`<p class="good">${repaired} repaired since.</p>`}
    ${data.left_out > 0 && html`<p class="warn">${data.left_out.toLocaleString("en")} more are not listed; repair these first, then check again.</p>`}
    ${Object.entries(data.notes).map(([note, times]) => html`<p key=${note} class="dim">Note: ${times} × ${note}</p>`)}
  </div>`;
}

/** @param {{findings: any[], chosen: number[], choose: (row: any) => void}} props */
function FindingsGrid({ findings, chosen, choose }) {
  const columns = [
    { id: "kind", title: "Problem", width: "140px", cell: (/** @type {any} */ row) => html`<span class=${row.is_repaired ? "dim" : "warn"}>${row.kind}</span>` },
    { id: "entity", title: "Entity", width: "130px", cell: (/** @type {any} */ row) => row.entity && html`<${EntityName} name=${row.entity} />` },
    { id: "repair", title: "Repair", width: "170px", cell: (/** @type {any} */ row) => (row.is_repaired ? html`<span class="good">repaired</span>` : (row.repair ?? html`<span class="dim">a person must decide</span>`)) },
    { id: "key", title: "Key", width: "330px", cell: (/** @type {any} */ row) => html`<code>${row.title}</code>` },
    { id: "text", title: "Details", width: "640px", cell: (/** @type {any} */ row) => html`<span title=${row.problem}>${row.problem}</span>` },
  ];
  return html`<${Grid} label="Problems" columns=${columns} rows=${findings} rowKey=${(/** @type {any} */ row) => String(row.number)}
    onOpen=${choose} selected=${chosen.length === 1 ? String(chosen[0]) : null} />`;
}

/**
 * The preview of repairs, and the button that makes them.
 * @param {{run: string, findings: any[], onClose: () => void, onRepaired: () => void}} props
 */
function Repairs({ run, findings, onClose, onRepaired }) {
  const [shown, setShown] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [asking, setAsking] = useState(false);
  const possible = findings.filter((finding) => finding.repair && !finding.is_repaired);
  const numbers = possible.map((each) => each.number);
  const again = returns.value;
  useLayoutEffect(() => {
    if (!numbers.length || shown) return;
    setProblem(null);
    api.post("/health/fsck/preview", { run, findings: numbers }).then(setShown, setProblem);
  }, [again]);
  const [deleted] = /** @type {[string, number][]} */ (Object.entries(shown?.deletes ?? {})); // of one table at a time
  /** @param {string | null} confirm the typed name of the table whose items are deleted */
  async function repair(confirm) {
    setProblem(null);
    setAsking(false);
    try {
      const result = await api.post("/health/fsck/repair", { run, findings: numbers, digest: shown.digest, confirm });
      const left = result.unchanged.length ? `; ${result.unchanged.length} had changed and were left as they are` : "";
      toast(`Repaired ${result.repaired.length} of ${numbers.length}${left}`);
      onRepaired();
    } catch (failure) {
      setProblem(failure);
    }
  }
  const one = findings.length === 1 ? findings[0] : null;
  const actions = shown && (design.value.writable
    ? html`<${Button} primary=${!deleted} danger=${Boolean(deleted)} onClick=${() => (deleted ? setAsking(true) : repair(null))}>${`Repair${one ? "" : ` all ${numbers.length}`}${deleted ? "…" : ""}`}<//>`
    : html`<span class="dim" title=${readOnly()}>read-only</span>`);
  return html`<${Panel} title=${one ? one.kind : `${numbers.length} repairs`} onClose=${onClose} actions=${actions}>
    <${Problem} error=${problem} />
    ${asking && html`<${Confirm} title=${`Delete ${itemsText(deleted[1])} of ${deleted[0]}?`} name=${deleted[0]} verb=${`Delete ${itemsText(deleted[1])}`}
        onCancel=${() => setAsking(false)} onConfirm=${() => repair(deleted[0])}>
      <p>The repair deletes what the preview shows as deleted${numbers.length > deleted[1] ? ", and makes the other changes of the preview" : ""}. This cannot be undone here.</p>
    <//>`}
    ${one && html`<p>${one.entity && html`<${EntityName} name=${one.entity} /> `}<a href=${href("items", [one.table], { item: JSON.stringify(one.key) })}><code>${one.title}</code></a> ${one.problem}</p>`}
    ${one && !one.repair && html`<p>There is no automatic repair: a person must decide. Change or delete the item in Items.</p>`}
    ${one?.is_repaired && html`<p class="good">This was repaired.</p>`}
    ${numbers.length > 0 && !shown && !problem && html`<${Loading} />`}
    ${shown && !design.value.writable && html`<p class="dim">${readOnly()}</p>`}
    ${shown?.previews.map((/** @type {any} */ preview) => html`<${Preview} key=${preview.number} finding=${findings.find((finding) => finding.number === preview.number)} preview=${preview} titled=${!one} />`)}
  <//>`;
}

/** @param {number} count */
const itemsText = (count) => (count === 1 ? "1 item" : `${count.toLocaleString("en")} items`);

/** @param {{finding: any, preview: any, titled: boolean}} props */
function Preview({ finding, preview, titled }) {
  return html`<section class="preview" aria-label=${`Preview of ${finding.title}`}>
    ${titled && html`<h3>${finding.kind}: <code>${finding.title}</code></h3>`}
    <p class="dim">The repair would ${finding.repair}.</p>
    ${preview.changed_since && html`<p class="warn">An item has changed since the check, so nothing would be written. Check again.</p>`}
    ${preview.items.map(
      (/** @type {any} */ item) => html`<div key=${item.title}>
        <p><span class=${`tag ${item.after ? (item.before ? "" : "good") : "bad"}`}>${item.after ? (item.before ? "changed" : "written") : "deleted"}</span> <code>${item.title}</code></p>
        <${Diff} before=${item.before} after=${item.after} label=${`Changes of ${item.title}`} />
      </div>`,
    )}
  </section>`;
}
