// Migrations: their status, dry runs and runs, and the items that were rejected.
import { html, useLayoutEffect, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { Command } from "../parts/command.js";
import { Button, Code, Confirm, Empty, Loading, Problem, Section } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { href } from "../parts/router.js";
import { design } from "../parts/state.js";
import { Count, Text, Time, valueText } from "../parts/values.js";

const TONES = /** @type {Record<string, string>} */ ({ applied: "good", pending: "", incomplete: "bad", interrupted: "warn", reverted: "" });

/** @param {import("./operations.js").TabProps} props */
export function MigrationsTab({ writable, why, turn, show }) {
  const { data, error, reload } = useLoad("/migrations", { turn });
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [asking, setAsking] = useState(/** @type {string | null} */ (null));
  /** @param {string} path @param {any} [body] */
  const send = (path, body = {}) => api.post(path, body).then(() => (setProblem(null), reload()), setProblem);
  if (!data) return error ? html`<${Problem} error=${error} onRetry=${reload} />` : html`<${Loading} />`;
  if (!data.migrations.length) {
    return html`<${Empty} title="No migrations"><p>${data.why}</p>
      <${Code} label="A migration" text=${'BUDGETS = Migration("2026-11-budget-as-number", User, up=budget_as_number)\n\ndesign = Design("app", ..., migrations=[BUDGETS])'} /><//>`;
  }
  const pending = data.migrations.some((/** @type {any} */ migration) => migration.status !== "applied");
  const last = [...data.migrations].reverse().find((/** @type {any} */ migration) => ["applied", "incomplete"].includes(migration.status));
  /** @param {any} each */
  const rejects = (each) => show({ title: `Rejects of ${each.name}`, content: html`<${Rejects} name=${each.name} writable=${writable} why=${why} onRetry=${() => send("/migrations/retry", { name: each.name })} />` });
  const actions = html`<span class="toolbar">
    <${Button} disabled=${!pending} onClick=${() => send("/migrations/dry-run")}>Dry run<//>
    <${Button} primary disabled=${!writable || !pending} title=${why} onClick=${() => send("/migrations/run")}>Migrate<//>
    <${Button} danger disabled=${!writable || !last} title=${why} onClick=${() => setAsking(last.name)}>Revert the last…<//>
  </span>`;
  return html`<${Problem} error=${problem ?? error} />
    <${Section} title="Migrations, in order" actions=${actions}>
      <div class="scrolls"><table class="rows">
        <thead><tr><th>Migration</th><th>Status</th><th>Table</th><th class="right">Changed</th><th class="right">Rejected</th><th>Ended</th></tr></thead>
        <tbody>${data.migrations.map((/** @type {any} */ migration) => html`<tr key=${migration.name}>
          <td>${migration.name} ${!migration.is_known && html`<small>not in the design</small>`}</td>
          <td><span class=${`tag ${TONES[migration.status] ?? "warn"}`}>${migration.status}</span></td>
          <td>${migration.table}</td>
          <td class="right"><${Count} value=${migration.changed} /></td>
          <td class="right">${migration.rejected ? html`<button class="link bad" onClick=${() => rejects(migration)}>${migration.rejected.toLocaleString("en")} rejected</button>` : html`<${Count} value=${0} />`}</td>
          <td>${migration.ended ? html`<${Time} at=${migration.ended} />` : migration.began ? html`<span class="dim">since <${Time} at=${migration.began} />, pass ${migration.pass}</span>` : ""}</td>
        </tr>`)}</tbody>
      </table></div>
    <//>
    ${asking && html`<${Confirm} title=${`Revert ${asking}?`} name=${asking} verb="Revert" onConfirm=${() => (setAsking(null), send("/migrations/run", { down: true, confirm: asking }))} onCancel=${() => setAsking(null)}>
      <p>Every item that the migration changed is changed back.</p><//>`}`;
}

/** @param {{name: string, writable: boolean, why: string | undefined, onRetry: () => void}} props */
function Rejects({ name, writable, why, onRetry }) {
  const { data, error, reload } = useLoad("/migrations/rejects", { name });
  useLayoutEffect(reload, [name]);
  if (!data) return error ? html`<${Problem} error=${error} onRetry=${reload} />` : html`<${Loading} />`;
  return html`<p>These items could not be converted and stay as they were. Correct them, then migrate them again.</p>
    <div><${Button} primary disabled=${!writable} title=${why} onClick=${onRetry}>Migrate the rejects again<//></div>
    <${RejectList} rejects=${data.rejects} total=${data.total} />`;
}

/** @param {{rejects: any[], total: number}} props */
function RejectList({ rejects, total }) {
  return html`<ul class="rejects">${rejects.map((reject) => html`<li key=${reject.title}>
      <a href=${href("items", [reject.table, valueText(Object.values(reject.key)[0])])}><code><${Text} text=${reject.title} /></code></a>
      <span class="bad"><${Text} text=${reject.reason} /></span>
    </li>`)}</ul>
    ${total > rejects.length && html`<p class="dim">The first ${rejects.length} of ${total.toLocaleString("en")}. All of them:</p><${Command} text=${design.value.commands.rejects} />`}`;
}

/** @param {{result: any}} props */
export function MigrationResult({ result }) {
  if (!result.results) return html`<p>${result.left ? `${result.left} items are still rejected:` : "All rejected items are migrated."}</p>
    <${RejectList} rejects=${result.rejects} total=${result.left} />`;
  const would = result.dry_run ? "would be " : "";
  return html`
    ${result.dry_run && html`<p class="notice">A dry run: nothing was written.</p>`}
    ${!result.results.length && html`<p>There was nothing to migrate.</p>`}
    ${result.results.map((/** @type {any} */ each) => html`<${Section} key=${each.name} title=${each.name}>
      <p>${each.ran_here ? `${each.changed.toLocaleString("en")} of ${each.seen.toLocaleString("en")} items ${would}changed, ${each.rejected.toLocaleString("en")} ${would}rejected` : "Another run has completed it."}</p>
      ${each.rejected > 0 && html`<${RejectList} rejects=${each.rejects} total=${each.rejected} />`}
    <//>`)}
    ${result.stopped && html`<p class="warn">${result.stopped}</p>`}`;
}
