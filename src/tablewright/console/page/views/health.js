// Health: findings of `check`, drift, and the integrity check with its repairs.
import { html } from "../lib.js";
import { Page, Tabs } from "../parts/layout.js";
import { href, route } from "../parts/router.js";
import { Drift } from "./health_drift.js";
import { Findings } from "./health_findings.js";
import { Integrity } from "./health_integrity.js";

/** @type {{id: string, title: string, view: any}[]} */
const PARTS = [
  { id: "findings", title: "Findings", view: Findings },
  { id: "drift", title: "Drift", view: Drift },
  { id: "integrity", title: "Integrity", view: Integrity },
];

export default function View() {
  const chosen = PARTS.find((part) => part.id === route.value.path[0]) ?? PARTS[0];
  const tabs = html`<${Tabs} label="Health" selected=${chosen.id}
    tabs=${PARTS.map((part) => ({ id: part.id, title: part.title, href: href("health", [part.id]) }))} />`;
  return html`<${chosen.view} key=${chosen.id} tabs=${tabs} />`;
}

/**
 * The frame of each part.
 * @param {{tabs: any, toolbar?: any, panel?: any, stale?: boolean, children?: any}} props
 */
export const HealthPage = ({ tabs, toolbar, panel, stale = false, children }) =>
  html`<${Page} title="Health" css="health" toolbar=${toolbar} panel=${panel} stale=${stale}>${tabs}${children}<//>`;
