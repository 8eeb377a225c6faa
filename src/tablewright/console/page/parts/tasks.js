// Background tasks: live progress, cancel, and results.
import { html, useLayoutEffect, useRef, useState } from "../lib.js";
import { api, returns } from "./api.js";
import { Button, Section } from "./layout.js";
import { route } from "./router.js";
import { Text, Time } from "./values.js";

/** @typedef {{id: string, kind: string, title: string, state: string, done: number, total: number | null, text: string, is_cancelling: boolean, started_at: number, ended_at: number | null, error: {message: string} | null}} Task */

/**
 * The tasks of the design, newest first, as they change.
 * @param {(task: Task, ran: boolean) => void} [onEnd] called for each task that has ended; `ran` if it was seen to run
 * @returns {Task[]}
 */
export function useTasks(onEnd = () => {}) {
  const [tasks, setTasks] = useState(/** @type {Task[]} */ ([]));
  const known = useRef(/** @type {Record<string, string>} */ ({}));
  const ended = useRef(onEnd);
  ended.current = onEnd;
  const name = route.value.design;
  useLayoutEffect(() => {
    known.current = {};
    setTasks([]);
    return api.events("/tasks/events", {}, (/** @type {Task} */ task) => {
      const before = known.current[task.id];
      known.current[task.id] = task.state;
      setTasks((old) => [task, ...old.filter((each) => each.id !== task.id)].sort((one, two) => Number(two.id) - Number(one.id)));
      // A short task has ended before its first event.
      if (before !== task.state && task.state !== "running") ended.current(task, before === "running");
    });
  }, [name, returns.value]);
  return tasks;
}

/**
 * The tasks of some kinds.
 * @param {{tasks: Task[], kinds: string[], onOpen?: (task: Task) => void}} props
 */
export function TaskList({ tasks, kinds, onOpen }) {
  const shown = tasks.filter((task) => kinds.includes(task.kind)).slice(0, 8);
  if (!shown.length) return null;
  return html`<${Section} title="Tasks">
    <ul class="tasks" aria-live="polite">${shown.map((task) => html`<${TaskRow} key=${task.id} task=${task} onOpen=${onOpen} />`)}</ul>
  <//>`;
}

const TONES = /** @type {Record<string, string>} */ ({ done: "good", failed: "bad", cancelled: "warn", running: "" });

/** @param {{task: Task, onOpen?: (task: Task) => void}} props */
function TaskRow({ task, onOpen }) {
  const running = task.state === "running";
  const share = task.total ? task.done / task.total : null;
  return html`<li class="task">
    <span class=${`tag ${TONES[task.state]}`}>${task.is_cancelling ? "cancelling" : task.state}</span>
    <b><${Text} text=${task.title} /></b>
    ${running && html`<progress aria-label=${task.title} max="1" value=${share ?? undefined}></progress>`}
    <span class=${task.error ? "bad" : "dim"}><${Text} text=${task.error?.message ?? task.text} /></span>
    <span class="task-end">
      <span class="dim"><${Time} at=${task.ended_at ?? task.started_at} /></span>
      ${running && html`<${Button} disabled=${task.is_cancelling} onClick=${() => api.post(`/tasks/${task.id}/cancel`)}>Cancel<//>`}
      ${task.state === "done" && onOpen && html`<${Button} onClick=${() => onOpen(task)}>Result<//>`}
    </span>
  </li>`;
}
