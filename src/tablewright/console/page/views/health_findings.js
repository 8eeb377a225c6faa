// Findings of `tablewright check`, by rule, with the lines of the design.
import { html } from "../lib.js";
import { Code, Copy, Empty, Loading, Problem, Select } from "../parts/layout.js";
import { useLoad } from "../parts/load.js";
import { go, href, route } from "../parts/router.js";
import { design } from "../parts/state.js";
import { HealthPage } from "./health.js";

const NOUNS = { error: "error", warning: "warning", info: "note" };
const TONES = { error: "bad", warning: "warn", info: "" };

/** @param {{tabs: any}} props */
export function Findings({ tabs }) {
  const { data, error, stale, reload } = useLoad("/health/check");
  const shown = route.value.params.show ?? "";
  const options = data && [
    { value: "", title: "All severities" },
    ...Object.entries(NOUNS).map(([value, noun]) => ({ value, title: `${noun}s (${data.counts[value]})` })),
    { value: "suppressed", title: `accepted (${data.counts.suppressed})` },
  ];
  const choose = (/** @type {string} */ show) => go("health", ["findings"], { show }, { replace: true });
  return html`<${HealthPage} tabs=${tabs} stale=${stale && data !== null}
    toolbar=${data && html`<${Select} label="Show" hidden value=${shown} options=${options} onChange=${choose} />`}>
    <${Problem} error=${error} onRetry=${reload} />
    ${!data && !error && html`<${Loading} />`}
    ${data && (shown === "suppressed" ? html`<${Suppressed} findings=${data.suppressed} />` : html`<${Rules} data=${data} severity=${shown} />`)}
  <//>`;
}

/** @param {{data: any, severity: string}} props */
function Rules({ data, severity }) {
  const rules = data.rules
    .map((/** @type {any} */ rule) => ({ ...rule, findings: rule.findings.filter((/** @type {any} */ finding) => !severity || finding.severity === severity) }))
    .filter((/** @type {any} */ rule) => rule.findings.length);
  if (!rules.length) {
    return html`<${Empty} title=${severity ? `No ${NOUNS[/** @type {keyof typeof NOUNS} */ (severity)]}s` : "No findings"}>
      <p>The same checks run in a terminal and in CI:</p><${Code} text=${design.value.commands.check} label="Command" />
    <//>`;
  }
  return rules.map((/** @type {any} */ rule) => html`<${Rule} key=${rule.code} rule=${rule} />`);
}

/** @param {{rule: any}} props */
function Rule({ rule }) {
  return html`<section class="card rule" aria-label=${`${rule.code} ${rule.title}`}>
    <header>
      <h2>${rule.title}</h2><${Severity} of=${rule.severity} /><span class="dim mono">${rule.code}</span>
      <span class="dim">${rule.findings.length} ${rule.findings.length === 1 ? "finding" : "findings"}</span>
    </header>
    <details class="manual"><summary>What this check means</summary><pre>${rule.manual}</pre></details>
    ${rule.findings.map((/** @type {any} */ finding) => html`<${Finding} key=${finding.where} finding=${finding} open=${rule.findings.length === 1} />`)}
  </section>`;
}

/** @param {{of: string}} props */
const Severity = ({ of }) => html`<span class=${`tag ${TONES[/** @type {keyof typeof TONES} */ (of)]}`}>${NOUNS[/** @type {keyof typeof NOUNS} */ (of)]}</span>`;

/** @param {{finding: any, open?: boolean, children?: any}} props */
function Finding({ finding, open = false, children }) {
  const { source, suppress } = finding;
  return html`<details class="finding" open=${open}>
    <summary><b class="mono">${finding.where}</b> <span>${afterName(finding.why, finding.where)}</span></summary>
    <div class="finding-body">
      ${children}
      <p><b>Fix:</b> ${finding.fix}</p>
      ${source && html`<${Excerpt} source=${source} />`}
      <p class="dim accept">To accept it, write ${suppress.place}: <code>${suppress.line}</code> <${Copy} text=${suppress.line} /></p>
      <${Related} where=${finding.where} />
    </div>
  </details>`;
}

/**
 * A sentence without its first word, if that is the name that stands before it already.
 * @param {string} text
 * @param {string} name
 */
const afterName = (text, name) => (text.startsWith(`${name} `) ? text.slice(name.length + 1) : text);

/** @param {{source: any}} props */
function Excerpt({ source }) {
  return html`<figure class="excerpt">
    <figcaption><span class="mono">${source.file}:${source.line}</span> <${Copy} text=${`${source.file}:${source.line}`} title="Copy location" /></figcaption>
    <pre tabindex="0" aria-label=${`Lines of ${source.file}`}>${source.excerpt.map(
      (/** @type {string} */ line, /** @type {number} */ place) => html`<span class=${source.first + place === source.line ? "line at" : "line"}><span class="line-number">${source.first + place}</span>${line}${"\n"}</span>`,
    )}</pre>
  </figure>`;
}

/**
 * Links to what a finding is about: the items of an entity, or a pattern.
 * @param {{where: string}} props
 */
function Related({ where }) {
  const name = where.split(".")[0];
  const entity = design.value.entities.find((/** @type {any} */ each) => each.name === name);
  const pattern = design.value.patterns.find((/** @type {any} */ each) => each.name === name);
  if (entity) return html`<p><a href=${href("items", [entity.table], { entity: name, role: "entity" })}>Items of ${name}</a></p>`;
  if (pattern) return html`<p><a href=${href("patterns", [name])}>Pattern ${name}</a></p>`;
  return null;
}

/** @param {{findings: any[]}} props */
function Suppressed({ findings }) {
  if (!findings.length) return html`<${Empty} title="No accepted findings"><p>A finding that is known and accepted has its reason in the design.</p><//>`;
  return html`<section class="card rule" aria-label="Accepted findings">
    <header><h2>Accepted findings</h2><span class="dim">each with its reason in the design</span></header>
    ${findings.map(
      (finding, place) => html`<${Finding} key=${place} finding=${finding}><p><b>Reason:</b> ${finding.reason} <span class="dim mono">${finding.code} ${finding.title}</span></p><//>`,
    )}
  </section>`;
}
