// Calls of the API. Paths are relative to the open design: api.get("/items", {table: "users"}).
import { signal } from "../lib.js";
import { route } from "./router.js";

const BASE = "api/v1/designs";

/** Whether the server replies: "here", "away" (it does not), or "closed" (it does, but this browser has no session). */
export const connection = signal("here");

/** Rises each time the server is back, so that views load their data again. */
export const returns = signal(0);

/** An error that the server replied. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {{code: string, message: string, fields?: Record<string, string>}} given
   */
  constructor(status, given) {
    super(given.message);
    this.status = status;
    this.code = given.code;
    /** @type {Record<string, string>} */
    this.fields = given.fields || {};
  }
}

/**
 * @param {string} path
 * @param {Record<string, any>} [params] those that are undefined, null or "" are left out
 */
export function url(path, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${BASE}/${encodeURIComponent(route.value.design)}${path}${query ? `?${query}` : ""}`;
}

/**
 * @param {string} address
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
async function call(address, options = {}) {
  const headers = { "X-Tablewright-Console": "1", ...options.headers };
  let reply;
  try {
    reply = await fetch(address, { ...options, headers, credentials: "same-origin" });
  } catch (error) {
    if (options.signal && options.signal.aborted) throw error;
    serverIsAway();
    throw new ApiError(0, { code: "ServerAway", message: "The server does not reply." });
  }
  const text = await reply.text();
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    throw new ApiError(reply.status, { code: "NotJson", message: `The server replied ${reply.status} without JSON.` });
  }
  if (reply.status === 401) connection.value = "closed";
  if (!reply.ok) throw new ApiError(reply.status, content.error);
  return content;
}

let asking = false;

/** Ask until the server replies; then views load again. */
function serverIsAway() {
  connection.value = "away";
  if (asking) return;
  asking = true;
  const timer = setInterval(async () => {
    try {
      const reply = await fetch(BASE, { credentials: "same-origin" });
      clearInterval(timer);
      asking = false;
      connection.value = reply.status === 401 ? "closed" : "here";
      if (reply.ok) returns.value += 1;
    } catch {
      // It is still away.
    }
  }, 500);
}

export const api = {
  /** @returns {Promise<any>} the list of open designs */
  designs: () => call(BASE),

  /**
   * @param {string} path
   * @param {Record<string, any>} [params]
   * @param {AbortSignal} [abort]
   * @returns {Promise<any>}
   */
  get: (path, params, abort) => call(url(path, params), { signal: abort }),

  /**
   * @param {string} path
   * @param {any} [body]
   * @returns {Promise<any>}
   */
  post: (path, body = {}) =>
    call(url(path), { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),

  /**
   * Receive server-sent events until the returned function is called; the browser connects again by itself.
   * @param {string} path
   * @param {Record<string, any>} params
   * @param {(event: any) => void} onEvent
   * @param {(error: ApiError) => void} [onProblem]
   * @returns {() => void}
   */
  events(path, params, onEvent, onProblem = () => {}) {
    const source = new EventSource(url(path, params));
    source.onmessage = (message) => onEvent(JSON.parse(message.data));
    source.addEventListener("problem", (message) => {
      source.close();
      onProblem(new ApiError(400, JSON.parse(/** @type {MessageEvent} */ (message).data).error));
    });
    source.onerror = () => {
      if (source.readyState !== EventSource.OPEN) api.designs().catch(() => {});
    };
    return () => source.close();
  },
};
