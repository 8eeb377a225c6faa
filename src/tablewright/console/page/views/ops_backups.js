// Backups of tables, and point-in-time recovery.
import { html, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { Command } from "../parts/command.js";
import { Button, Confirm, Empty, Field, Loading, Problem, Section } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { href } from "../parts/router.js";
import { design } from "../parts/state.js";
import { toast } from "../parts/toast.js";
import { Count, Size, Text, Time } from "../parts/values.js";

/** @param {import("./operations.js").TabProps} props */
export function BackupsTab({ writable, why, turn, show }) {
  const tables = useLoad("/operations", { turn });
  const backups = useLoad("/backups", { turn });
  const [asking, setAsking] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  /** @param {string} path @param {any} body @param {string} done */
  const send = (path, body, done) =>
    api.post(path, body).then(
      () => (setError(null), done && toast(done), tables.reload(), backups.reload()),
      setError,
    );
  if (!tables.data) return tables.error ? html`<${Problem} error=${tables.error} onRetry=${tables.reload} />` : html`<${Loading} />`;
  /** @param {any} backup */
  const restore = (backup) => show({ title: `Restore ${backup.name}`, content: html`<${Restore} backup=${backup} onDone=${() => show(null)} />` });
  const shared = { writable, why, send, ask: setAsking };
  return html`<${Problem} error=${error ?? tables.error ?? backups.error} />
    <${Tables} tables=${tables.data.tables} ...${shared} />
    <${Backups} backups=${backups.data?.backups} restore=${restore} ...${shared} />
    ${asking && html`<${Confirm} ...${asking} onConfirm=${() => (setAsking(null), asking.onConfirm())} onCancel=${() => setAsking(null)}>${asking.text}<//>`}`;
}

/** @param {{tables: any[], writable: boolean, why: string | undefined, send: any, ask: any}} props */
function Tables({ tables, writable, why, send, ask }) {
  /** @param {any} table */
  const turnOff = (table) =>
    ask({
      title: `Turn off the recovery of ${table.name}?`, name: table.name, verb: "Turn off recovery",
      text: html`<p>The earlier versions of all items of this table are deleted. Nothing can be restored to an earlier time then.</p>`,
      onConfirm: () => send("/recovery", { table: table.name, enabled: false, confirm: table.name }, "Recovery is off"),
    });
  return html`<${Section} title="Tables"><div class="scrolls"><table class="rows">
    <thead><tr><th>Table</th><th>Status</th><th class="right">Items</th><th class="right">Size</th><th>Expiry</th><th>Point-in-time recovery</th><th></th></tr></thead>
    <tbody>${tables.map((table) => html`<tr key=${table.name}>
      <td><a href=${href("items", [table.name])}>${table.name}</a></td>
      <td><span class=${`tag ${table.status === "ACTIVE" ? "good" : "warn"}`}>${table.status}</span></td>
      <td class="right"><${Count} value=${table.items} /></td>
      <td class="right">${table.bytes === null ? "–" : html`<${Size} bytes=${table.bytes} />`}</td>
      <td>${table.ttl ? html`<a href=${href("operations", ["expiry"], { table: table.name })}><code>${table.ttl}</code></a>` : html`<span class="absent">no TTL</span>`}</td>
      <td><${RecoveryState} recovery=${table.recovery} /></td>
      <td class="actions">
        <${Button} disabled=${!writable} title=${why} onClick=${() => send("/backups/create", { table: table.name }, "")}>Back up<//>
        ${table.recovery && (table.recovery.enabled
          ? html`<${Button} disabled=${!writable} title=${why} onClick=${() => turnOff(table)}>Turn recovery off…<//>`
          : html`<${Button} disabled=${!writable} title=${why} onClick=${() => send("/recovery", { table: table.name, enabled: true }, "Recovery is on")}>Turn recovery on<//>`)}
      </td>
    </tr>`)}</tbody>
  </table></div><//>`;
}

/** @param {{recovery: any}} props */
function RecoveryState({ recovery }) {
  if (!recovery) return null;
  if (recovery.why) return html`<span class="dim">${recovery.why}</span>`;
  if (!recovery.enabled) return html`<span class="absent">off</span>`;
  return html`<span class="good">on</span>${recovery.earliest !== null && html`${" "}<small>since <${Time} at=${recovery.earliest} /></small>`}`;
}

/** @param {{backups: any[] | undefined, restore: (backup: any) => void, writable: boolean, why: string | undefined, send: any, ask: any}} props */
function Backups({ backups, restore, writable, why, send, ask }) {
  if (!backups) return html`<${Loading} />`;
  if (!backups.length) {
    return html`<${Empty} title="No backups yet"><p>A backup is a copy of one table at one time. It is kept until it is deleted. Back up a table above, or in a terminal:</p><${Command} text=${design.value.commands.backup} /><//>`;
  }
  /** @param {any} backup */
  const remove = (backup) =>
    ask({
      title: `Delete the backup ${backup.name}?`, name: backup.name, verb: "Delete the backup",
      text: html`<p>This backup of ${backup.table} cannot be restored afterwards.</p>`,
      onConfirm: () => send("/backups/delete", { arn: backup.arn, confirm: backup.name }, `Deleted ${backup.name}`),
    });
  return html`<${Section} title=${`Backups (${backups.length})`}><div class="scrolls"><table class="rows">
    <thead><tr><th>Name</th><th>Table</th><th>Created (UTC)</th><th class="right">Size</th><th>Status</th><th></th></tr></thead>
    <tbody>${backups.map((backup) => html`<tr key=${backup.arn}>
      <td><${Text} text=${backup.name} /> ${backup.type !== "USER" && html`<small>${backup.type.toLowerCase()}</small>`}</td>
      <td>${backup.table}</td><td><${Time} at=${backup.created_at} /></td>
      <td class="right"><${Size} bytes=${backup.bytes} /></td>
      <td><span class=${`tag ${backup.status === "AVAILABLE" ? "good" : "warn"}`}>${backup.status}</span></td>
      <td class="actions">
        <${Button} disabled=${!writable} title=${why} onClick=${() => restore(backup)}>Restore…<//>
        <${Button} danger disabled=${!writable} title=${why} onClick=${() => remove(backup)}>Delete…<//>
      </td>
    </tr>`)}</tbody>
  </table></div><//>`;
}

/** @param {{backup: any, onDone: () => void}} props */
function Restore({ backup, onDone }) {
  const [into, setInto] = useState(`${backup.table}-restored`);
  const [error, setError] = useState(/** @type {any} */ (null));
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    api.post("/backups/restore", { arn: backup.arn, into }).then(onDone, setError);
  }
  return html`<form class="form" onSubmit=${submit}>
    <p>Creates a new table with the items of this backup. No table is replaced.</p>
    <${Field} label="New table" message=${error?.fields?.into ?? error?.message}>
      <input required value=${into} spellcheck=${false} autocomplete="off" onInput=${(/** @type {any} */ event) => setInto(event.currentTarget.value)} />
    <//>
    <div class="buttons"><button type="submit" class="primary">Restore</button></div>
  </form>`;
}
