// The changes of an item, a partition or a table, loaded page by page.
import { html, useLayoutEffect, useRef, useState } from "../lib.js";
import { api, returns } from "../parts/api.js";
import { Time } from "../parts/values.js";

const PAGE = 100;

/**
 * @param {string} table
 * @param {Record<string, any>} key
 * @returns {{data: any, changes: any[], error: any, footer: any, reload: () => void, more: () => void}}
 */
export function useChanges(table, key) {
  const [data, setData] = useState(/** @type {any} */ (null));
  const [changes, setChanges] = useState(/** @type {any[]} */ ([]));
  const [error, setError] = useState(/** @type {any} */ (null));
  const [turn, setTurn] = useState(0);
  const isLoading = useRef(false);
  const path = `/time/${encodeURIComponent(table)}/changes`;
  const selected = JSON.stringify(key);

  useLayoutEffect(() => {
    const abort = new AbortController();
    isLoading.current = true;
    api
      .get(path, { ...key, limit: PAGE }, abort.signal)
      .then(
        (found) => {
          setData(found);
          setChanges(found.changes);
          setError(null);
        },
        (problem) => !abort.signal.aborted && setError(problem),
      )
      .finally(() => (isLoading.current = false));
    return () => abort.abort();
  }, [path, selected, turn, returns.value]);

  async function more() {
    if (isLoading.current || !data || data.complete || !changes.length || error) return;
    isLoading.current = true;
    try {
      const reply = await api.get(path, { ...key, limit: PAGE, before: changes[changes.length - 1].sequence });
      setData({ ...reply, complete: reply.complete || !reply.changes.length });
      setChanges([...changes, ...reply.changes]);
    } catch (problem) {
      setError(problem);
    }
    isLoading.current = false;
  }

  const footer = data && html`${data.complete ? "All changes" : "Changes"} since <${Time} at=${data.since} />`;
  return { data, changes, error, footer, reload: () => setTurn((each) => each + 1), more };
}
