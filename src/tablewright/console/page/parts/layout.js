// Layout: the frame of a view and its small pieces.
import { html, useLayoutEffect, useRef, useState } from "../lib.js";
import { follow } from "./router.js";

export { Code, Copy } from "./code.js";

const linked = new Set();

/**
 * Load the styles of a view.
 * @param {string} name
 */
export function linkStyles(name) {
  if (linked.has(name)) return;
  linked.add(name);
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = `page/views/${name}.css`;
  document.head.append(link);
}

/**
 * A view: its title, its toolbar, its content, and a panel with details at the right.
 * @param {{title: any, css?: string, toolbar?: any, panel?: any, stale?: boolean, children?: any}} props
 */
export function Page({ title, css, toolbar, panel, stale = false, children }) {
  if (css) linkStyles(css);
  return html`<main class=${`page ${css ? `view-${css}` : ""} ${panel ? "with-panel" : ""} ${stale ? "stale" : ""}`} aria-busy=${stale}>
    <header class="page-head"><h1>${title}</h1>${toolbar && html`<div class="toolbar">${toolbar}</div>`}</header>
    <div class="page-body">${children}</div>
    ${panel}
  </main>`;
}

/** @param {{children?: any}} props */
export const Toolbar = ({ children }) => html`<div class="toolbar">${children}</div>`;

/**
 * Details at the right; Escape closes it, unless it is pinned.
 * @param {{title: any, onClose: () => void, actions?: any, isPinned?: boolean, children?: any}} props
 */
export function Panel({ title, onClose, actions, isPinned = false, children }) {
  useLayoutEffect(() => { // not later: Escape works as soon as the panel is in sight
    if (isPinned) return undefined;
    /** @param {KeyboardEvent} event */
    const press = (event) => {
      if (event.key === "Escape" && !document.querySelector("dialog[open]")) onClose();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [onClose, isPinned]);
  return html`<aside class="panel" aria-label=${isPinned ? "Pinned item" : "Details"}>
    <header><h2>${title}</h2>${actions}<button class="icon" aria-label=${isPinned ? "Unpin" : "Close details"} title=${isPinned ? "Unpin" : "Close (Esc)"} onClick=${onClose}>×</button></header>
    <div class="panel-body">${children}</div>
  </aside>`;
}

/** @param {{title: any, actions?: any, children?: any}} props */
export const Section = ({ title, actions, children }) =>
  html`<section class="section"><header><h2>${title}</h2>${actions}</header>${children}</section>`;

/**
 * What to do where there is nothing to show.
 * @param {{title: any, children?: any}} props
 */
export const Empty = ({ title, children }) => html`<div class="empty"><h2>${title}</h2>${children}</div>`;

export const Loading = () => html`<p class="loading" role="status">Loading…</p>`;

/** @param {{error: any, onRetry?: () => void}} props */
export function Problem({ error, onRetry }) {
  if (!error) return null;
  return html`<div class="problem" role="alert">
    <span>${error.message ?? String(error)}</span>
    ${onRetry && html`<button onClick=${onRetry}>Try again</button>`}
  </div>`;
}

/**
 * @param {{label: string, tabs: {id: string, title: any, href?: string}[], selected: string, onSelect?: (id: string) => void}} props
 */
export function Tabs({ label, tabs, selected, onSelect = () => {} }) {
  /** @param {KeyboardEvent} event */
  function press(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.id === selected);
    const to = (at + by + tabs.length) % tabs.length;
    const next = tabs[to];
    if (next.href) follow(next.href);
    else onSelect(next.id);
    /** @type {HTMLElement} */ (/** @type {HTMLElement} */ (event.currentTarget).children[to]).focus();
  }
  return html`<div class="tabs" role="tablist" aria-label=${label} onKeyDown=${press}>
    ${tabs.map(
      (tab) => html`<button role="tab" key=${tab.id} aria-selected=${tab.id === selected}
        tabindex=${tab.id === selected ? 0 : -1}
        onClick=${() => (tab.href ? follow(tab.href) : onSelect(tab.id))}>${tab.title}</button>`,
    )}
  </div>`;
}

/** @param {{onClick: () => void, primary?: boolean, danger?: boolean, disabled?: boolean, title?: string, children?: any}} props */
export const Button = ({ onClick, primary, danger, disabled, title, children }) =>
  html`<button type="button" class=${primary ? "primary" : danger ? "danger" : ""} disabled=${disabled} title=${title} onClick=${onClick}>${children}</button>`;

/**
 * An input with its label, hint and message.
 * @param {{label: any, hint?: any, message?: string, children?: any}} props
 */
export const Field = ({ label, hint, message, children }) =>
  html`<div class=${`field ${message ? "wrong" : ""}`}>
    <label><span class="field-label">${label}</span>${children}</label>
    ${hint && html`<span class="hint">${hint}</span>`}
    ${message && html`<span class="message" role="alert">${message}</span>`}
  </div>`;

/**
 * @param {{label: string, value: string, options: (string | {value: string, title: string})[], onChange: (value: string) => void, hidden?: boolean}} props
 */
export function Select({ label, value, options, onChange, hidden = false }) {
  const list = options.map((option) => (typeof option === "string" ? { value: option, title: option } : option));
  return html`<label class="select"><span class=${hidden ? "for-readers" : ""}>${label}</span>
    <select value=${value} onChange=${(/** @type {any} */ event) => onChange(event.currentTarget.value)}>
      ${list.map((each) => html`<option key=${each.value} value=${each.value} selected=${each.value === value}>${each.title}</option>`)}
    </select></label>`;
}

/**
 * A question before something is destroyed: the name must be typed.
 * @param {{title: string, name: string, verb: string, onConfirm: () => void, onCancel: () => void, children?: any}} props
 */
export function Confirm({ title, name, verb, onConfirm, onCancel, children }) {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [typed, setTyped] = useState("");
  useLayoutEffect(() => box.current?.showModal(), []);
  return html`<dialog class="confirm" ref=${box} onClose=${onCancel} aria-label=${title}>
    <form method="dialog" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), typed === name && onConfirm())}>
      <h2>${title}</h2>
      ${children}
      <${Field} label=${html`Type <code>${name}</code> to confirm`}>
        <input autofocus value=${typed} onInput=${(/** @type {any} */ event) => setTyped(event.currentTarget.value)} autocomplete="off" spellcheck=${false} />
      <//>
      <div class="buttons">
        <button type="button" onClick=${onCancel}>Cancel</button>
        <button type="submit" class="danger" disabled=${typed !== name}>${verb}</button>
      </div>
    </form>
  </dialog>`;
}
