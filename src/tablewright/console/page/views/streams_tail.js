// The tail of a stream in the page: records as they arrive, paused and continued without loss.
import { useLayoutEffect, useRef, useState } from "../lib.js";
import { api, returns } from "../parts/api.js";

/** Records that are kept in the list; older ones leave it. */
export const MOST_SHOWN = 2000;
/** Records that wait in the page while it is paused; further ones wait in the stream, for up to 24 hours. */
export const MOST_WAITING = 1000;

/**
 * @typedef {object} Tail
 * @property {any[]} records oldest first
 * @property {any[]} waiting those that arrived while the list was paused
 * @property {boolean} isFull whether further records wait in the stream
 * @property {number} read records that were read, before the filter
 * @property {number} dropped records that left the list
 * @property {boolean} hasGap whether the stream has dropped records that were not read
 * @property {"opening" | "live" | "failed"} state
 * @property {any} error
 */

/** @returns {Tail} */
const empty = () => ({ records: [], waiting: [], isFull: false, read: 0, dropped: 0, hasGap: false, state: "opening", error: null });

/**
 * Follow the stream of a table.
 * @param {string | null} table null follows nothing
 * @param {string} start "now" or "oldest"
 * @param {Record<string, any>} filter
 * @param {boolean} paused
 * @returns {Tail & {clear: () => void}}
 */
export function useTail(table, start, filter, paused) {
  const [tail, setTail] = useState(empty);
  const session = useRef(newSession("", ""));
  const live = useRef(tail);
  live.current = tail;
  const isPaused = useRef(paused);
  isPaused.current = paused;
  const stream = `${table} ${start}`;
  const selected = JSON.stringify(filter);

  // Paused with a full list of waiting records, nothing is read.
  const isStopped = paused && tail.isFull;

  useLayoutEffect(() => {
    if (table === null || isStopped) return undefined;
    const mine = session.current;
    if (mine.stream !== stream) session.current = newSession(stream, selected);
    else if (mine.filter !== selected) session.current = { ...newSession(stream, selected), since: mine.since };
    const current = session.current;
    if (current !== mine) setTail(empty());
    const after = Object.keys(current.positions).length ? JSON.stringify(current.positions) : undefined;
    let frame = 0;
    /** @type {any[]} */
    let arrived = [];

    function flush() {
      frame = 0;
      const events = arrived;
      arrived = [];
      setTail((old) => events.reduce((found, event) => added(found, event, current, isPaused.current), old));
    }

    const close = api.events(
      `/streams/${encodeURIComponent(table)}/tail`,
      { ...filter, start, since: current.since, after },
      (event) => {
        arrived.push(event);
        frame ||= requestAnimationFrame(flush);
      },
      (error) => setTail((old) => ({ ...old, state: "failed", error })),
    );
    return () => {
      close();
      cancelAnimationFrame(frame);
      if (arrived.length) flush();
    };
  }, [stream, selected, isStopped, returns.value]);

  useLayoutEffect(() => {
    if (paused || !tail.waiting.length) return;
    setTail((old) => ({ ...shown(old, old.waiting), waiting: [], isFull: false }));
  }, [paused, tail.waiting.length]);

  return { ...tail, clear: () => setTail((old) => ({ ...old, records: [], dropped: 0, read: 0, hasGap: false })) };
}

/**
 * Where a tail continues: its stream, its filter, when it started, and the last record of each shard.
 * @param {string} stream
 * @param {string} filter
 */
function newSession(stream, filter) {
  return {
    stream,
    filter,
    /** @type {number | undefined} */
    since: undefined,
    /** @type {Record<string, string>} */
    positions: {},
    /** @type {Set<string>} */
    seen: new Set(),
  };
}

/**
 * The tail after an event. The browser may connect again by itself: records that were seen are left out.
 * @param {Tail} tail
 * @param {any} event
 * @param {ReturnType<typeof newSession>} session
 * @param {boolean} paused
 * @returns {Tail}
 */
function added(tail, event, session, paused) {
  if (event.type === "open") {
    session.since ??= event.since;
    return { ...tail, state: "live", error: null };
  }
  if (paused && tail.waiting.length >= MOST_WAITING) return { ...tail, isFull: true };
  const fresh = event.records.filter((/** @type {any} */ record) => !session.seen.has(record.id));
  for (const each of fresh) session.seen.add(each.id);
  session.positions = { ...session.positions, ...event.positions };
  const next = { ...tail, read: tail.read + event.read, hasGap: tail.hasGap || event.has_gap };
  if (!paused) return shown(next, fresh);
  const waiting = [...tail.waiting, ...fresh];
  return { ...next, waiting, isFull: waiting.length >= MOST_WAITING };
}

/**
 * @param {Tail} tail
 * @param {any[]} records
 * @returns {Tail}
 */
function shown(tail, records) {
  const all = [...tail.records, ...records];
  const extra = Math.max(0, all.length - MOST_SHOWN);
  return { ...tail, records: extra ? all.slice(extra) : all, dropped: tail.dropped + extra };
}
