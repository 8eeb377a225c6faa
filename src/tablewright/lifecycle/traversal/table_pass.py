"""Passes: one way over a table, item by item, in segments that go side by side.

What is done to an item is a work's business: a procedure that is given the item and says what came of it. A pass
counts, sets checkpoints, notes rejects, and keeps to a rate.
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
    """The item stays as it is, for this reason."""

    reason: str


Outcome: TypeAlias = Literal["same", "changed"] | Rejected
Work: TypeAlias = Callable[[Item], Procedure[Outcome]]
OnProgress: TypeAlias = Callable[[Tally], None]
Concurrency: TypeAlias = Callable[[Sequence[Procedure[None]]], Procedure[None]]
"""How several procedures are held as one."""


def no_report(tally: Tally) -> None:
    """For those who do not want to know."""


@dataclass(frozen=True, slots=True)
class Pass:
    """One way over a table. Without a journal nothing is kept, and nothing can be taken up again."""

    context: Context
    table: Table
    work: Work
    meter: Meter
    on_progress: OnProgress = no_report
    checkpoints: CheckpointStore | None = None
    state: State | None = None
    rejects: list[Reject] | None = None
    """Where rejects go when there is no journal."""

    def run(self, concurrency: Concurrency, segments: int = SEGMENTS) -> Procedure[Tally]:
        """Go over the table; what was done, also by those who began this pass."""
        waiting = [Segment(number) for number in range(segments)]
        if self.checkpoints is not None and self.state is not None:
            waiting = yield from self.checkpoints.segments(self.state)
        total = _Sum([segment.tally for segment in waiting])
        self.on_progress(total.tally)
        open_ones = [segment for segment in waiting if not segment.is_done]
        yield from concurrency(
            [
                metered(self._segment(each, len(waiting), total), self.meter, self._sign_of_life)
                for each in open_ones
            ]
        )
        return total.tally

    def _sign_of_life(self) -> Procedure[None]:
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
                yield from self._sign_of_life()
            segment = moved
            self.on_progress(total.add(tally))

    def _page(self, items: Sequence[Item]) -> Procedure[Tally]:
        tally = Tally()
        alive = self.context.now()
        for item in items:
            outcome = yield from self.work(item)
            tally += Tally(1, outcome == "changed", isinstance(outcome, Rejected))
            if isinstance(outcome, Rejected):
                yield from self._reject(item, outcome.reason)
            if self.context.now() > alive + LEASE / 3:
                alive = self.context.now()
                yield from self._sign_of_life()
        return tally

    def _reject(self, item: Item, reason: str) -> Procedure[None]:
        key = {name: item[name] for name in self.table.key}
        reject = Reject(
            self.context.table_name(self.table), key, reason, self.state.turn if self.state else ""
        )
        if self.checkpoints is not None and self.state is not None:
            yield from self.checkpoints.reject(self.state.name, reject)
        elif self.rejects is not None:
            self.rejects.append(reject)


class _Sum:
    """What all segments have done."""

    def __init__(self, tallies: Sequence[Tally]) -> None:
        self.tally = sum(tallies, Tally())
        self._lock = threading.Lock()

    def add(self, tally: Tally) -> Tally:
        with self._lock:
            self.tally += tally
            return self.tally


def interleaved(procedures: Sequence[Procedure[None]]) -> Procedure[None]:
    """Hold several procedures in turns, one effect each."""
    answers: dict[int, Reply | Exception | None] = dict.fromkeys(range(len(procedures)))
    while answers:
        for place in tuple(answers):
            procedure, answer = procedures[place], answers[place]
            try:
                if isinstance(answer, Exception):
                    effect = procedure.throw(answer)
                else:
                    effect = next(procedure) if answer is None else procedure.send(answer)
            except StopIteration:
                del answers[place]
                continue
            try:
                answers[place] = yield effect
            except TablewrightError as refusal:
                answers[place] = refusal


class _Stopped(Exception):
    """Another of the procedures failed, so this one ends too."""


def in_threads(call: Callable[[str, dict[str, Any]], Reply], pause: Callable[[float], None]) -> Concurrency:
    """A way to hold procedures together, each in a thread of its own."""

    def concurrency(procedures: Sequence[Procedure[None]]) -> Procedure[None]:
        stop = threading.Event()

        def guarded(operation: str, request: dict[str, Any]) -> Reply:
            if stop.is_set():
                raise _Stopped
            return call(operation, request)

        def one(procedure: Procedure[None]) -> None:
            try:
                run_sync(procedure, guarded, pause)
            except BaseException:
                stop.set()
                raise

        def all_of_them() -> Reply:
            with ThreadPoolExecutor(max_workers=max(len(procedures), 1)) as pool:
                try:
                    futures = [pool.submit(one, procedure) for procedure in procedures]
                    failures = [failure for future in futures if (failure := future.exception())]
                except BaseException:  # an interrupt: the threads end at their next call
                    stop.set()
                    raise
            for failure in _causes(failures):
                raise failure
            return {}

        yield BlockingTask(all_of_them)

    return concurrency


def _causes(failures: Sequence[BaseException]) -> Iterator[BaseException]:
    """Failures, those first that are the reason of the others."""
    return iter(sorted(failures, key=lambda failure: isinstance(failure, _Stopped)))
