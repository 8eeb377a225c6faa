// Figures: money, rates and bars; a number can be clicked to see its calculation.
import { html } from "../lib.js";

/**
 * Dollars: two digits, or four for small sums.
 * @param {number | null | undefined} sum
 */
export function moneyText(sum) {
  if (sum === null || sum === undefined) return "–";
  const digits = Math.abs(sum) >= 10 || sum === 0 ? 2 : 4;
  const text = Math.abs(sum).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${sum < 0 ? "−" : ""}$${text}`;
}

/**
 * A number with three significant digits below 100.
 * @param {number | null | undefined} value
 */
export function amountText(value) {
  if (value === null || value === undefined) return "–";
  if (value >= 1e9) return `${(value / 1e9).toLocaleString("en", { maximumSignificantDigits: 3 })} billion`;
  if (value >= 1e6) return `${(value / 1e6).toLocaleString("en", { maximumSignificantDigits: 3 })} million`;
  if (value >= 100 || Number.isInteger(value)) return value.toLocaleString("en", { maximumFractionDigits: 0 });
  return value.toLocaleString("en", { maximumSignificantDigits: 3 });
}

/** @param {number} share */
export const shareText = (share) =>
  share > 0 && share < 0.001 ? "< 0.1%" : `${(share * 100).toLocaleString("en", { maximumFractionDigits: share < 0.1 ? 1 : 0 })}%`;

/**
 * A number that shows its calculation when it is clicked.
 * @param {{text: string, label: string, onOpen: () => void, tone?: string}} props
 */
export const Figure = ({ text, label, onOpen, tone = "" }) =>
  html`<button class=${`figure number ${tone}`} aria-label=${`${label}: ${text}. Show the calculation`}
    title="Show the calculation" onClick=${onOpen}>${text}</button>`;

/**
 * A bar of a share of the whole, at most the full width.
 * @param {{share: number, tone?: string}} props
 */
export const Bar = ({ share, tone = "" }) =>
  html`<span class=${`bar ${tone}`} aria-hidden="true"><span style=${{ width: `${Math.min(1, Math.max(0, share)) * 100}%` }}></span></span>`;

/**
 * The steps of a calculation, and their sum.
 * @param {{steps: {text: string, cost: number}[], total: number, unit?: string}} props
 */
export function Calculation({ steps, total, unit = "a month" }) {
  return html`<table class="calculation">
    <tbody>
      ${steps.map((step) => html`<tr><td>${step.text}</td><td class="right number">${moneyText(step.cost)}</td></tr>`)}
    </tbody>
    <tfoot><tr><th scope="row">${unit}</th><td class="right number">${moneyText(total)}</td></tr></tfoot>
  </table>`;
}
