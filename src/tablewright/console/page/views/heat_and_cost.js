// Heat and cost: what a design costs, which keys throttle, and the measured load beside the declared one.
import { html, useLayoutEffect, useState } from "../lib.js";
import { Page, Panel, Select, Tabs } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { go, href, route } from "../parts/router.js";
import { CostTab } from "./load_cost.js";
import { ChangeTab } from "./load_change.js";
import { HeatTab } from "./load_heat.js";
import { MeasuredTab } from "./load_measured.js";

const TABS = [
  { id: "cost", title: "Cost", content: CostTab },
  { id: "heat", title: "Heat", content: HeatTab },
  { id: "measured", title: "Declared and measured", content: MeasuredTab },
  { id: "change", title: "Cost of a change", content: ChangeTab },
];

/** @typedef {{title: any, content: any}} Detail */

export default function View() {
  const { path, params } = route.value;
  const tab = TABS.find((each) => each.id === path[0]) ?? TABS[0];
  const [detail, setDetail] = useState(/** @type {Detail | null} */ (null));
  useLayoutEffect(() => setDetail(null), [tab.id]);
  const cost = useLoad("/cost", params);
  /** @param {Record<string, any>} changed */
  const choose = (changed) => go("heat_and_cost", [tab.id], { ...params, ...changed }, { replace: true });
  const found = cost.data;
  const toolbar = html`
    ${found && html`
      <${Select} label="Workload" value=${found.workload} onChange=${(/** @type {string} */ name) => choose({ workload: name, rates: "" })}
        options=${found.workloads.map((/** @type {string} */ name) => ({ value: name, title: name === "declared" ? "declared in the design" : name }))} />
      <${Select} label="Region" value=${found.region} onChange=${(/** @type {string} */ name) => choose({ region: name })} options=${found.regions} />`}
  `;
  const tabs = TABS.map((each) => ({ id: each.id, title: each.title, href: href("heat_and_cost", [each.id], params) }));
  const panel = detail && html`<${Panel} title=${detail.title} onClose=${() => setDetail(null)}>${detail.content}<//>`;
  return html`<${Page} title="Heat and cost" css="heat_and_cost" toolbar=${toolbar} panel=${panel} stale=${cost.stale}>
    <${Tabs} label="Heat and cost" tabs=${tabs} selected=${tab.id} />
    <${tab.content} key=${tab.id} cost=${cost} params=${params} choose=${choose} show=${setDetail} />
  <//>`;
}
