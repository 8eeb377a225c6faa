// Heat: which tables, indexes and keys throttle with 1, 10 and 1,000 times the users.
import { html, useLayoutEffect, useState } from "../lib.js";
import { api, returns } from "../parts/api.js";
import { Bar, amountText, shareText } from "../parts/figures.js";
import { Loading, Problem, Section } from "../parts/layout.js";
import { TemplateText } from "../parts/values.js";
import { NoRates } from "./load_cost.js";

const FACTORS = [1, 10, 1000];
const VERDICTS = /** @type {Record<string, {tone: string, text: string}>} */ ({
  cool: { tone: "good", text: "ok" },
  settles: { tone: "warn", text: "until split" },
  throttles: { tone: "bad", text: "throttles" },
});

/**
 * Simulate one number of users; a long simulation continues as a task, which is cancelled when the user leaves.
 * @param {number} users
 * @param {Record<string, string>} params
 * @param {AbortSignal} abort
 */
async function simulate(users, params, abort) {
  const reply = await api.get("/heat", { ...params, users }, abort);
  if (reply.task === null) return reply.resources;
  const cancel = () => void api.post(`/tasks/${reply.task}/cancel`).catch(() => {}); // it ends by itself otherwise
  abort.addEventListener("abort", cancel);
  while (!abort.aborted) {
    const task = await api.get(`/tasks/${reply.task}`, {}, abort);
    if (task.state !== "running") abort.removeEventListener("abort", cancel);
    if (task.state === "done") return task.result;
    if (task.state !== "running") throw new Error(task.error?.message ?? "The simulation was cancelled.");
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  return [];
}

/** @param {import("./load_cost.js").TabProps} props */
export function HeatTab({ cost, params, choose, show }) {
  const [found, setFound] = useState(/** @type {Record<number, any[]>} */ ({}));
  const [error, setError] = useState(/** @type {any} */ (null));
  const [turn, setTurn] = useState(0);
  const { workload, rates, assume } = params;
  const again = returns.value; // the server was away, and what it simulated has ended
  const declared = cost.data && (cost.data.is_declared || cost.data.assumption);
  useLayoutEffect(() => {
    if (!declared) return undefined;
    const abort = new AbortController();
    setError(null);
    (async () => {
      for (const users of FACTORS) {
        const resources = await simulate(users, { workload, rates, assume }, abort.signal);
        if (abort.signal.aborted) return;
        setFound((old) => ({ ...old, [users]: resources }));
      }
    })().catch((problem) => !abort.signal.aborted && setError(problem));
    return () => abort.abort();
  }, [workload, rates, assume, declared, turn, again]);
  if (!cost.data) return html`<${Loading} />`;
  if (!declared) return html`<${NoRates} found=${cost.data} choose=${choose} />`;
  const names = [...new Set(Object.values(found).flatMap((list) => list.map((each) => each.resource)))];
  return html`
    <${Problem} error=${error} onRetry=${() => setTurn(turn + 1)} />
    ${cost.data.assumption && html`<p class="notice" role="note">${cost.data.assumption}</p>`}
    <${Section} title="Which keys throttle as the number of users grows">
      <p class="dim">Simulated partitions, each with 3,000 read and 1,000 write units a second. “Until split” throttles for some minutes, until DynamoDB has split the partition. Open a cell to see its keys.</p>
      <table class="heat">
        <thead><tr><th>Table or index</th>${FACTORS.map((users) => html`<th key=${users}>${users.toLocaleString("en")} × the users</th>`)}</tr></thead>
        <tbody>${names.map((name) => html`<tr key=${name}>
          <th scope="row">${name}</th>
          ${FACTORS.map((users) => html`<td key=${users}><${Cell} users=${users} name=${name} list=${found[users]} show=${show} /></td>`)}
        </tr>`)}</tbody>
      </table>
      ${!names.length && html`<${Loading} />`}
    <//>`;
}

/** @param {{users: number, name: string, list: any[] | undefined, show: any}} props */
function Cell({ users, name, list, show }) {
  const found = list?.find((each) => each.resource === name);
  if (!list) return html`<span class="dim">simulating…</span>`;
  if (!found) return html`<span class="absent">no load</span>`;
  const { tone, text } = VERDICTS[found.verdict];
  const hottest = found.keys[0];
  const title = `${name}, ${users.toLocaleString("en")} × the users`;
  const open = () => show({ title, content: html`<${Resource} found=${found} />` });
  return html`<button class=${`cell ${tone}`} onClick=${open} title="Show its keys">
    <span><span class="for-readers">${`${title}: `}</span>${text}${found.verdict === "throttles" ? ` ${shareText(found.throttled)}` : ""}</span>
    <${Bar} share=${hottest?.heat ?? 0} tone=${tone} />
    <small>${hottest ? `hottest key: ${shareText(hottest.heat)}` : "even over all keys"}</small>
  </button>`;
}

/** @param {{found: any}} props */
function Resource({ found }) {
  const advice = /** @type {Record<string, string>} */ ({
    throttles: "A hot key stays hot however many partitions there are. Spread its writes with a shard in the key, or read a copy.",
    settles: "DynamoDB splits the partition; until then, clients repeat their requests.",
    cool: "No partition reaches its limit.",
  })[found.verdict];
  return html`
    <dl class="facts">
      <div><dt>Load</dt><dd>${amountText(found.read)} read and ${amountText(found.write)} write units a second</dd></div>
      <div><dt>Partitions</dt><dd>${found.partitions.toLocaleString("en")}, ${found.splits.toLocaleString("en")} of them by splits</dd></div>
      <div><dt>Rejected</dt><dd>${shareText(found.throttled_at_first)} at first, ${shareText(found.throttled)} in the end</dd></div>
    </dl>
    <p>${advice}</p>
    ${found.over_quota && html`<p class="warn">More than 40,000 units a second: request a higher table quota from AWS.</p>`}
    <h3>Hottest keys${found.hot_keys ? html`, <span class="bad">${found.hot_keys.toLocaleString("en")} of them throttle</span>` : ""}</h3>
    <ol class="keys">${found.keys.map((/** @type {any} */ key) => html`<li key=${`${key.key} ${key.rank}`}>
      <div><${TemplateText} template=${key.key} /> ${key.key.includes("{") && html`<small>rank ${key.rank}</small>`}
        <span class=${`right number ${key.throttled ? "bad" : ""}`}>${key.throttled ? `${shareText(key.throttled)} rejected` : shareText(key.heat)}</span></div>
      <${Bar} share=${key.heat} tone=${key.throttled ? "bad" : key.heat > 0.5 ? "warn" : "good"} />
      <small>${key.calculation}</small>
    </li>`)}</ol>`;
}
