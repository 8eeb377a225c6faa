// Export of all items of a query, page by page, into a file that the browser saves.
import { html, useRef, useState } from "../lib.js";
import { api } from "./api.js";
import { Button, Select } from "./layout.js";
import { attributesOf } from "./results.js";

const FORMATS = [
  { value: "csv", title: "CSV", file: "csv", type: "text/csv" },
  { value: "jsonl", title: "JSON lines", file: "jsonl", type: "application/x-ndjson" },
  { value: "dynamodb", title: "DynamoDB JSON", file: "json", type: "application/x-ndjson" },
];

/**
 * @param {object} props
 * @param {{operation: string, request: any}} props.query
 * @param {any[]} props.rows those that were read; their attributes are the columns of CSV
 * @param {number} props.most
 */
export function Export({ query, rows, most }) {
  const [format, setFormat] = useState("csv");
  const [state, setState] = useState(/** @type {{items: number, running: boolean, text: string}} */ ({ items: 0, running: false, text: "" }));
  const cancelled = useRef(false);

  async function start() {
    cancelled.current = false;
    const kind = FORMATS.find((each) => each.value === format) ?? FORMATS[0];
    const keys = [...new Set(rows.flatMap((row) => Object.keys(row.key_parts)))];
    const columns = [...keys, ...attributesOf(rows)];
    const parts = [];
    const hidden = new Set();
    let next = null;
    let items = 0;
    let note = "";
    setState({ items, running: true, text: "" });
    try {
      do {
        const reply = await api.post("/query/export", { ...query, start: next, format, columns: columns.length ? columns : null });
        if (reply.failed) throw new Error(reply.failed.message);
        parts.push(reply.text);
        for (const each of reply.hidden) hidden.add(each);
        items += reply.items;
        next = reply.next;
        note = reply.note ?? "";
        setState({ items, running: true, text: "" });
      } while (next !== null && items < most && !cancelled.current);
    } catch (error) {
      setState({ items, running: false, text: /** @type {Error} */ (error).message });
      return;
    }
    if (cancelled.current) {
      setState({ items, running: false, text: "Cancelled; no file was saved." });
      return;
    }
    save(new Blob(parts, { type: kind.type }), `query.${kind.file}`);
    const end = next !== null ? ` The query has more; the limit is ${most.toLocaleString("en")} items.` : "";
    const secret = hidden.size ? ` Secret fields are left out: ${[...hidden].join(", ")}.` : "";
    setState({ items, running: false, text: `${items.toLocaleString("en")} items saved.${end}${secret} ${note}` });
  }

  return html`<span class="query-export">
    <${Select} label="Export" value=${format} options=${FORMATS} onChange=${setFormat} />
    ${state.running
      ? html`<${Button} onClick=${() => (cancelled.current = true)}>Cancel<//>`
      : html`<${Button} onClick=${start} title=${`Read all pages of the query, up to ${most.toLocaleString("en")} items, and save them as a file`}>Save up to ${most.toLocaleString("en")} items<//>`}
    <span class="dim" role="status">${state.running ? `${state.items.toLocaleString("en")} items…` : state.text}</span>
  </span>`;
}

/**
 * @param {Blob} content
 * @param {string} name
 */
function save(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
