"""Passes: one scan over a table, item by item, in parallel segments.

The work on an item is a procedure that takes the item and returns an outcome. A pass counts outcomes, saves
checkpoints, records rejects, and keeps to a rate.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from tablewright.access.calls.procedures import BlockingTask, Call, Procedure, Reply, run_sync
from tablewright.access.calls.retries import with_retries
from tablewright.access.context import Context
from tablewright.design.tables.tables import Table
from tablewright.errors import TablewrightError
from tablewright.lifecycle.traversal.checkpoints import LEASE, CheckpointStore, Reject, Segment, State, Tally
from tablewright.lifecycle.traversal.rate_limit import Meter, metered
from tablewright.values.attributes import Item

PAGE = 200
"""Items between two checkpoints, at most."""
SEGMENTS = 4


@dataclass(frozen=True, slots=True)
class Rejected:
    """The item stays unchanged, for this reason."""

    reason: str


Outcome: TypeAlias = Literal["same", "changed"] | Rejected
Work: TypeAlias = Callable[[Item], Procedure[Outcome]]
OnProgress: TypeAlias = Callable[[Tally], None]
Concurrency: TypeAlias = Callable[[Sequence[Procedure[None]]], Procedure[None]]
"""Runs several procedures as one: interleaved, or in threads."""


def no_report(tally: Tally) -> None:
    """Ignore the progress."""


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over a table. Without checkpoints it cannot be resumed."""

    context: Context
    table: Table
    work: Work
    meter: Meter
    on_progress: OnProgress = no_report
    checkpoints: CheckpointStore | None = None
    state: State | None = None

    def run(self, concurrency: Concurrency, segments: int = SEGMENTS) -> Procedure[Tally]:
        """Run the pass; return its counts, including those of earlier runs of the same pass."""
        waiting = [Segment(number) for number in range(segments)]
        if self.checkpoints is not None and self.state is not None:
            waiting = yield from self.checkpoints.segments(self.state)
        total = _Sum([segment.tally for segment in waiting])
        self.on_progress(total.tally)
        open_segments = [segment for segment in waiting if not segment.is_done]
        yield from concurrency(
            [
                metered(self._segment(each, len(waiting), total), self.meter, self._heartbeat)
                for each in open_segments
            ]
        )
        return total.tally

    def _heartbeat(self) -> Procedure[None]:
        if self.checkpoints is not None and self.state is not None:
            yield from self.checkpoints.renew(self.state)

    def _segment(self, segment: Segment, segments: int, total: "_Sum") -> Procedure[None]:
        request: dict[str, Any] = {
            "TableName": self.context.table_name(self.table),
            "ConsistentRead": True,
            "Limit": PAGE,
            "Segment": segment.number,
            "TotalSegments": segments,
        }
        while not segment.is_done:
            start = {"ExclusiveStartKey": segment.after} if segment.after else {}
            page = yield from with_retries(Call("Scan", request | start))
            tally = yield from self._page(page["Items"])
            after = page.get("LastEvaluatedKey")
            moved = replace(segment, after=after, is_done=after is None, tally=segment.tally + tally)
            if self.checkpoints is not None and self.state is not None:
                yield from self.checkpoints.move(self.state, segment, moved)
                yield from self._heartbeat()
            segment = moved
            if tally.seen:
                self.on_progress(total.add(tally))

    def _page(self, items: Sequence[Item]) -> Procedure[Tally]:
        tally = Tally()
        last_heartbeat = self.context.now()
        for item in items:
            outcome = yield from self.work(item)
            tally += Tally(1, outcome == "changed", isinstance(outcome, Rejected))
            if isinstance(outcome, Rejected):
                yield from self._reject(item, outcome.reason)
            if self.context.now() > last_heartbeat + LEASE / 3:
                last_heartbeat = self.context.now()
                yield from self._heartbeat()
        return tally

    def _reject(self, item: Item, reason: str) -> Procedure[None]:
        if self.checkpoints is not None and self.state is not None:
            key = {name: item[name] for name in self.table.key}
            reject = Reject(self.context.table_name(self.table), key, reason, self.state.pass_id)
            yield from self.checkpoints.reject(self.state.name, reject)


class _Sum:
    """The counts of all segments."""

    def __init__(self, tallies: Sequence[Tally]) -> None:
        self.tally = sum(tallies, Tally())
        self._lock = threading.Lock()

    def add(self, tally: Tally) -> Tally:
        with self._lock:
            self.tally += tally
            return self.tally


def interleaved(procedures: Sequence[Procedure[None]]) -> Procedure[None]:
    """Run several procedures in turns, one effect each."""
    replies: dict[int, Reply | Exception | None] = dict.fromkeys(range(len(procedures)))
    while replies:
        for place in tuple(replies):
            procedure, reply = procedures[place], replies[place]
            try:
                if isinstance(reply, Exception):
                    effect = procedure.throw(reply)
                else:
                    effect = next(procedure) if reply is None else procedure.send(reply)
            except StopIteration:
                del replies[place]
                continue
            try:
                replies[place] = yield effect
            except TablewrightError as error:
                replies[place] = error


class _Stopped(Exception):
    """Another procedure failed, so this one stops too."""


def in_threads(call: Callable[[str, dict[str, Any]], Reply], pause: Callable[[float], None]) -> Concurrency:
    """Return a function that runs procedures concurrently, each in its own thread."""

    def run_all(procedures: Sequence[Procedure[None]]) -> Procedure[None]:
        stop = threading.Event()

        def stoppable_call(operation: str, request: dict[str, Any]) -> Reply:
            if stop.is_set():
                raise _Stopped
            return call(operation, request)

        def run_one(procedure: Procedure[None]) -> None:
            try:
                run_sync(procedure, stoppable_call, pause)
            except BaseException:
                stop.set()
                raise

        def run_in_pool() -> Reply:
            with ThreadPoolExecutor(max_workers=max(len(procedures), 1)) as pool:
                try:
                    futures = [pool.submit(run_one, procedure) for procedure in procedures]
                    failures = [failure for future in futures if (failure := future.exception())]
                except BaseException:  # an interrupt: the threads stop at their next call
                    stop.set()
                    raise
            for failure in _causes(failures):
                raise failure
            return {}

        yield BlockingTask(run_in_pool)

    return run_all


def _causes(failures: Sequence[BaseException]) -> Iterator[BaseException]:
    """Return the failures; those that caused the others first."""
    return iter(sorted(failures, key=lambda failure: isinstance(failure, _Stopped)))
