// Switches of the embedded engine: faults, index lag, stale reads, and the clock.
import { html, useLayoutEffect, useRef, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { Button, Code, Empty, Field, Loading, Problem, Section } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { design } from "../parts/state.js";
import { toast } from "../parts/toast.js";
import { Time } from "../parts/values.js";

const SECONDS = ["index_lag", "staleness"];
const SWITCHES = ["provisioned", "partitions"];
const PRESETS = [
  { title: "A bad day", values: { throttling: 0.05, conflicts: 0.02, internal_errors: 0.01, unprocessed: 0.1, short_pages: 0.2 } },
  { title: "Lagging indexes", values: { index_lag: 2, stale_reads: 0.5, staleness: 1 } },
  { title: "Hot partitions", values: { partitions: true, provisioned: true } },
];
const STEPS = [
  { title: "+ 1 minute", seconds: 60 },
  { title: "+ 1 hour", seconds: 3600 },
  { title: "+ 1 day", seconds: 86400 },
  { title: "+ 30 days", seconds: 30 * 86400 },
];

/** @param {import("./operations.js").TabProps} props */
export function SwitchesTab({ writable, why }) {
  const { data, error, reload, replace } = useLoad("/engine");
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const last = useRef(/** @type {Promise<any>} */ (Promise.resolve()));
  if (!data) return error ? html`<${Problem} error=${error} onRetry=${reload} />` : html`<${Loading} />`;
  if (!data.available) {
    return html`<${Empty} title="These switches need the embedded engine"><p>${data.why}</p>
      <${Code} label="Command" text=${design.value.commands.file} /><//>`;
  }
  /**
   * Send a change after the one before it: the switches end as they were pressed last.
   * @param {string} path @param {any} body @param {string} done
   * @returns {Promise<boolean>} whether it was accepted
   */
  const send = (path, body, done) => {
    last.current = last.current.then(() => api.post(path, body)).then(
      (state) => (setProblem(null), replace(state), toast(done), true),
      (error) => (setProblem(error), false),
    );
    return last.current;
  };
  return html`<${Problem} error=${problem ?? error} />
    <${ClockSwitch} clock=${data.clock} writable=${writable} why=${why} send=${send} />
    <${FaultSwitches} data=${data} writable=${writable} why=${why} send=${send} fields=${problem?.fields ?? {}} />`;
}

/** @param {{clock: {now: number, frozen: boolean}, writable: boolean, why: string | undefined, send: any}} props */
function ClockSwitch({ clock, writable, why, send }) {
  const [passed, setPassed] = useState(0);
  const [days, setDays] = useState("");
  useLayoutEffect(() => {
    setPassed(0);
    if (clock.frozen) return undefined;
    const began = Date.now();
    const timer = setInterval(() => setPassed((Date.now() - began) / 1000), 1000);
    return () => clearInterval(timer);
  }, [clock.now, clock.frozen]);
  /** @param {number} seconds */
  const move = (seconds) => send("/engine/clock", { advance: seconds }, "The clock was moved forward");
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    move(Number(days) * 86400);
  }
  return html`<${Section} title="Clock">
    <p>The time of the store is <b><${Time} at=${clock.now + passed} /></b> UTC${clock.frozen ? html`, <span class="warn">frozen</span>` : ""}.
      TTL, recovery, streams and throttling follow it. It moves forward only.</p>
    <div class="toolbar">
      ${STEPS.map((step) => html`<${Button} key=${step.title} disabled=${!writable} title=${why} onClick=${() => move(step.seconds)}>${step.title}<//>`)}
      <form class="toolbar" onSubmit=${submit}>
        <label class="select">Days <input class="short" type="number" min="0" max="3650" step="any" required value=${days} onInput=${(/** @type {any} */ event) => setDays(event.currentTarget.value)} /></label>
        <button type="submit" disabled=${!writable} title=${why}>Move forward</button>
      </form>
      ${clock.frozen
        ? html`<${Button} disabled=${!writable} title=${why} onClick=${() => send("/engine/clock", { frozen: false }, "The clock runs")}>Let it run<//>`
        : html`<${Button} disabled=${!writable} title=${why} onClick=${() => send("/engine/clock", { frozen: true }, "The clock is frozen")}>Freeze<//>`}
    </div>
  <//>`;
}

/** @param {{data: any, writable: boolean, why: string | undefined, send: any, fields: Record<string, string>}} props */
function FaultSwitches({ data, writable, why, send, fields }) {
  const [edits, setEdits] = useState(/** @type {Record<string, any>} */ ({}));
  const values = { ...Object.fromEntries(data.faults.map((/** @type {any} */ fault) => [fault.name, fault.value])), ...edits };
  const off = Object.fromEntries(data.faults.map((/** @type {any} */ fault) => [fault.name, fault.default]));
  const changed = data.faults.some((/** @type {any} */ fault) => values[fault.name] !== fault.value);
  /**
   * Send the switches. What is edited before the reply stays; no button waits for the reply: its key press would be lost.
   * @param {Record<string, any>} chosen @param {string} done
   */
  const apply = async (chosen, done) => {
    const isAccepted = await send("/engine/faults", chosen, done);
    if (isAccepted) setEdits((old) => Object.fromEntries(Object.entries(old).filter(([name, value]) => value !== chosen[name])));
  };
  const actions = html`<span class="toolbar">${PRESETS.map((preset) => html`<${Button} key=${preset.title} disabled=${!writable} title=${why}
      onClick=${() => setEdits({ ...off, ...preset.values })}>${preset.title}<//>`)}</span>`;
  return html`<${Section} title=${html`Faults ${data.are_faults_on ? html`<span class="tag warn">on</span>` : html`<span class="tag">off</span>`}`} actions=${actions}>
    <p class="dim">The ways in which a real DynamoDB fails. All requests of this process get them, those of the console too.</p>
    <form class="faults" aria-label="Faults" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), apply(values, "Faults are set"))}>
      ${data.faults.map((/** @type {any} */ fault) => html`<${Fault} key=${fault.name} fault=${fault} value=${values[fault.name]} message=${fields[fault.name]}
        disabled=${!writable} onChange=${(/** @type {any} */ value) => setEdits((old) => ({ ...old, [fault.name]: value }))} />`)}
      <div class="buttons">
        <button type="button" disabled=${!writable} title=${why} onClick=${() => (setEdits({}), apply(off, "Faults are off"))}>All off</button>
        <button type="submit" class="primary" disabled=${!writable || !changed} title=${why}>Apply</button>
      </div>
    </form>
  <//>`;
}

/** @param {{fault: any, value: any, message?: string, disabled: boolean, onChange: (value: any) => void}} props */
function Fault({ fault, value, message, disabled, onChange }) {
  const label = fault.name.replaceAll("_", " ");
  if (SWITCHES.includes(fault.name)) {
    return html`<label class="check fault"><span class="field-label">${label}</span>
      <input type="checkbox" checked=${value} disabled=${disabled} onChange=${(/** @type {any} */ event) => onChange(event.currentTarget.checked)} />
      <span class="hint">${fault.about}</span></label>`;
  }
  const number = (/** @type {any} */ event) => onChange(Number(event.currentTarget.value));
  if (fault.name === "seed" || SECONDS.includes(fault.name)) {
    const unit = fault.name === "seed" ? "" : "seconds";
    return html`<${Field} label=${label} hint=${fault.about} message=${message}>
      <span class="with-unit"><input type="number" min="0" step=${fault.name === "seed" ? "1" : "any"} value=${value} disabled=${disabled} onInput=${number} /> ${unit}</span><//>`;
  }
  return html`<${Field} label=${label} hint=${fault.about} message=${message}>
    <span class="with-unit"><input type="range" min="0" max="1" step="0.01" value=${value} disabled=${disabled} onInput=${number} />
      <output class=${`number ${value ? "warn" : "dim"}`}>${Math.round(value * 100)}%</output></span><//>`;
}
