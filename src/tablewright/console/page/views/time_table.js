// The restore of a table to a point in time, as a new table.
import { html, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { Confirm, Field, Problem } from "../parts/layout.js";
import { design, readOnly } from "../parts/state.js";
import { toast } from "../parts/toast.js";
import { parseTime, timeText } from "./time_slider.js";

const POLL = 1000;

/** @param {{table: any, at: number | null, onClose: () => void}} props */
export function RestoreTable({ table, at, onClose }) {
  const latest = table.recovery.last;
  const [time, setTime] = useState(timeText(at ?? latest));
  const [into, setInto] = useState(`${table.name}-restored`);
  const [error, setError] = useState(/** @type {any} */ (null));

  async function restore() {
    const parsed = parseTime(time);
    if (parsed === null) {
      setError({ message: "Write the time as 2026-02-18 14:25:00, in UTC." });
      return;
    }
    try {
      await api.post(`/time/${encodeURIComponent(table.name)}/restore-table`, { at: parsed, into, confirm: table.name });
      toast(`The restore to ${into} has begun`);
      follow(into);
      onClose();
    } catch (problem) {
      setError(problem);
    }
  }

  return html`<${Confirm} title=${`Restore ${table.name}`} name=${table.name} verb="Restore" onConfirm=${restore} onCancel=${onClose}>
    <p>A new table gets the items as of a point in time. The present table stays as it is. TTL, stream, tags and recovery of the new table are off.</p>
    <${Field} label="Point in time (UTC)" hint=${`from ${timeText(table.recovery.first)}; the latest safe time is ${timeText(latest)}`}>
      <input value=${time} onInput=${(/** @type {any} */ event) => setTime(event.currentTarget.value)} spellcheck=${false} autocomplete="off" /><//>
    <${Field} label="Name of the new table" message=${error?.fields?.into}>
      <input value=${into} onInput=${(/** @type {any} */ event) => setInto(event.currentTarget.value)} spellcheck=${false} autocomplete="off" /><//>
    ${!design.value.writable && html`<p class="warn">${readOnly()}</p>`}
    <${Problem} error=${error} />
  <//>`;
}

/** Report when the new table is there. @param {string} into */
async function follow(into) {
  for (;;) {
    await new Promise((done) => setTimeout(done, POLL));
    try {
      const reply = await api.get(`/time/restored/${encodeURIComponent(into)}`);
      if (reply.status === "CREATING") continue;
      toast(`${into} is ${reply.status.toLowerCase()}: ${reply.items.toLocaleString("en")} items`);
      return;
    } catch {
      return; // the server is away, or the table was deleted
    }
  }
}
