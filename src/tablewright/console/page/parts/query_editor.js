// An editor for queries with completion: words of the language, tables, indexes and attributes.
import { html, useId, useLayoutEffect, useRef, useState } from "../lib.js";

const MOST = 8;
const LINE = 18;
const WORD = /["#:]?[A-Za-z_][A-Za-z0-9_.-]*$/;

/**
 * @typedef {object} Word
 * @property {string} text what is inserted
 * @property {string} [about] what it is
 * @property {string} [match] the text that it is found by, if another
 */

/**
 * The words that continue a text.
 * @param {string} before the text before the caret
 * @param {Word[]} words
 * @returns {{prefix: string, found: Word[]}}
 */
export function complete(before, words) {
  const prefix = (before.match(WORD) ?? [""])[0];
  const typed = bare(prefix);
  if (!typed) return { prefix, found: [] };
  const found = words.filter((word) => bare(word.match ?? word.text).startsWith(typed) && bare(word.text) !== typed);
  return { prefix, found: found.slice(0, MOST) };
}

/** @param {string} text */
const bare = (text) => text.replace(/^["#:]|"$/g, "").toLowerCase();

/**
 * Where the completions are shown: below the caret, as far as lines are not wrapped.
 * @param {HTMLTextAreaElement | null} area
 */
function belowCaret(area) {
  if (!area) return {};
  const lines = area.value.slice(0, area.selectionStart).split("\n");
  const top = Math.min(lines.length * LINE + 6 - area.scrollTop, area.clientHeight);
  return { top: `${top}px`, left: `min(${lines[lines.length - 1].length}ch, 100% - 300px)` };
}

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.text
 * @param {(text: string) => void} props.onChange
 * @param {() => void} props.onRun Ctrl+Enter
 * @param {Word[]} props.words
 * @param {string} [props.message] what is wrong with the text
 * @param {number} [props.rows]
 */
export function QueryEditor({ label, text, onChange, onRun, words, message = "", rows = 5 }) {
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const [hints, setHints] = useState(/** @type {{prefix: string, found: Word[]}} */ ({ prefix: "", found: [] }));
  const [at, setAt] = useState(-1);
  const id = useId();
  const open = hints.found.length > 0;

  useLayoutEffect(() => close(), [label]);

  function close() {
    setHints({ prefix: "", found: [] });
    setAt(-1);
  }

  /** @param {number} least characters of the word at the caret */
  function suggest(least) {
    const element = area.current;
    if (!element || element.selectionStart !== element.selectionEnd) return close();
    const next = complete(element.value.slice(0, element.selectionStart), words);
    if (bare(next.prefix).length < least) return close();
    setHints(next);
    setAt(-1);
    return undefined;
  }

  /** @param {Word} word */
  function accept(word) {
    const element = area.current;
    if (!element) return;
    const caret = element.selectionStart;
    const begin = caret - hints.prefix.length;
    let after = element.value.slice(caret);
    if (word.text.endsWith('"') && after.startsWith('"')) after = after.slice(1);
    const value = element.value.slice(0, begin) + word.text + after;
    // At once, and not with the next render: the next key may be pressed before it.
    element.value = value;
    element.focus();
    element.setSelectionRange(begin + word.text.length, begin + word.text.length);
    onChange(value);
    close();
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      close();
      onRun();
    } else if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      suggest(0);
    } else if (!open) {
      return;
    } else if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (event.key === "Tab" && !event.shiftKey) {
      event.preventDefault();
      accept(hints.found[Math.max(0, at)]);
    } else if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      accept(hints.found[at]);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const count = hints.found.length;
      setAt((at + (event.key === "ArrowDown" ? 1 : -1) + count) % count);
    }
  }

  return html`<div class=${`query-editor ${message ? "wrong" : ""}`}>
    <textarea class="mono" ref=${area} aria-label=${label} rows=${rows} value=${text} spellcheck=${false} autocomplete="off" autocapitalize="off"
      aria-autocomplete="list" aria-controls=${open ? id : undefined} aria-activedescendant=${open && at >= 0 ? `${id}-${at}` : undefined}
      aria-invalid=${Boolean(message)}
      onInput=${(/** @type {any} */ event) => (onChange(event.currentTarget.value), suggest(2))}
      onKeyDown=${press} onBlur=${close} onClick=${close}></textarea>
    ${open && html`<ul class="completions mono" id=${id} role="listbox" aria-label="Completions" style=${belowCaret(area.current)}>
      ${hints.found.map((each, index) => html`<li key=${each.text + (each.about ?? "")} id=${`${id}-${index}`} role="option" aria-selected=${index === Math.max(0, at)}
        onMouseDown=${(/** @type {Event} */ event) => (event.preventDefault(), accept(each))}><code>${each.text}</code><small>${each.about}</small></li>`)}
    </ul>`}
    ${message && html`<p class="message" role="alert">${message}</p>`}
  </div>`;
}
