// Loading: data of the API in a view. Old data stays visible until the new has arrived.
import { useLayoutEffect, useRef, useState } from "../lib.js";
import { api, returns } from "./api.js";

/**
 * @param {string | null} path null loads nothing
 * @param {Record<string, any>} [params]
 * @returns {{data: any, error: any, stale: boolean, reload: () => void, replace: (data: any) => void}}
 *   `stale` while newer data is on its way; `replace` takes what a change has replied instead of loading it again
 */
export function useLoad(path, params = {}) {
  const [found, setFound] = useState(/** @type {{data: any, error: any, of: string | null}} */ ({ data: null, error: null, of: null }));
  const [turn, setTurn] = useState(0);
  const key = path === null ? null : `${path} ${JSON.stringify(params)} ${turn} ${returns.value}`;
  const last = useRef(/** @type {string | null} */ (null));
  useLayoutEffect(() => {
    if (path === null || key === null) return undefined;
    const abort = new AbortController();
    last.current = key;
    api.get(path, params, abort.signal).then(
      (data) => last.current === key && setFound({ data, error: null, of: key }),
      (error) => !abort.signal.aborted && last.current === key && setFound((old) => ({ data: old.data, error, of: key })),
    );
    return () => abort.abort();
  }, [key]);
  /** @param {any} data */
  const replace = (data) => setFound((old) => ({ ...old, data, error: null }));
  return { data: found.data, error: found.error, stale: found.of !== key, reload: () => setTurn((each) => each + 1), replace };
}
