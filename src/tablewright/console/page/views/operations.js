// Operations: backups, exports and imports, migrations, expiry, and the switches of the embedded engine.
import { html, useLayoutEffect, useRef, useState } from "../lib.js";
import { api } from "../parts/api.js";
import { Page, Panel, Tabs } from "../parts/layout.js";
import { href, route } from "../parts/router.js";
import { design, readOnly } from "../parts/state.js";
import { TaskList, useTasks } from "../parts/tasks.js";
import { toast } from "../parts/toast.js";
import { BackupsTab } from "./ops_backups.js";
import { ExpiryTab } from "./ops_expiry.js";
import { MigrationsTab, MigrationResult } from "./ops_migrations.js";
import { SwitchesTab } from "./ops_switches.js";
import { TransfersTab } from "./ops_transfers.js";

const TABS = [
  { id: "backups", title: "Backups and recovery", content: BackupsTab, kinds: ["backup", "restore"] },
  { id: "transfers", title: "Exports and imports", content: TransfersTab, kinds: ["export", "import"] },
  { id: "migrations", title: "Migrations", content: MigrationsTab, kinds: ["migrate"] },
  { id: "expiry", title: "Expiry", content: ExpiryTab, kinds: [] },
  { id: "switches", title: "Faults and clock", content: SwitchesTab, kinds: [] },
];

const SETTLE = 100; // milliseconds after the end of a task, or of several, before the lists are read again

/** @typedef {{title: any, content: any}} Detail */
/**
 * @typedef {object} TabProps
 * @property {boolean} writable
 * @property {string | undefined} why why nothing can be changed
 * @property {number} turn rises when a task has ended
 * @property {(detail: Detail | null) => void} show
 */

export default function View() {
  const tab = TABS.find((each) => each.id === route.value.path[0]) ?? TABS[0];
  const [detail, setDetail] = useState(/** @type {Detail | null} */ (null));
  const [turn, setTurn] = useState(0);
  const timer = useRef(/** @type {any} */ (null));
  const tasks = useTasks((task, ran) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setTurn((each) => each + 1), SETTLE);
    if (ran && task.state === "done") toast(`${task.title}: done`);
  });
  useLayoutEffect(() => setDetail(null), [tab.id]);
  const writable = Boolean(design.value?.writable);
  /** @param {any} task */
  const open = async (task) => {
    const whole = await api.get(`/tasks/${task.id}`);
    setDetail({ title: task.title, content: html`<${TaskResult} task=${whole} />` });
  };
  const tabs = TABS.map((each) => ({ id: each.id, title: each.title, href: href("operations", [each.id]) }));
  const panel = detail && html`<${Panel} title=${detail.title} onClose=${() => setDetail(null)}>${detail.content}<//>`;
  return html`<${Page} title="Operations" css="operations" panel=${panel}>
    <${Tabs} label="Operations" tabs=${tabs} selected=${tab.id} />
    ${design.value && !writable && html`<p class="notice" role="note">${readOnly()}</p>`}
    <${tab.content} key=${tab.id} writable=${writable} why=${writable ? undefined : readOnly()} turn=${turn} show=${setDetail} />
    <${TaskList} tasks=${tasks} kinds=${tab.kinds} onOpen=${open} />
  <//>`;
}

/** @param {{task: any}} props */
function TaskResult({ task }) {
  if (task.kind === "migrate") return html`<${MigrationResult} result=${task.result} />`;
  return html`<dl class="facts">${Object.entries(task.result ?? {}).map(
    ([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${typeof value === "number" ? value.toLocaleString("en") : String(value ?? "–")}</dd></div>`,
  )}</dl>`;
}
