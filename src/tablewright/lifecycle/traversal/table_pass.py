"""Passes: one scan over a table, item by item, in parallel segments.

The work on an item is a procedure that takes the item and returns an outcome. A pass counts outcomes, saves
checkpoints, records rejects, and keeps to a rate.
"""

import gc
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from tablewright.access.context import Context
from tablewright.access.procedures import (
    BlockingTask,
    Call,
    Pause,
    Procedure,
    Reply,
    advance,
    run_sync,
    with_retries,
)
from tablewright.access.reads.item_reads import item_at
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ConditionalCheckFailed, TablewrightError
from tablewright.lifecycle.traversal.checkpoint_records import PassSegment, Reject, State, Tally
from tablewright.lifecycle.traversal.checkpoints import LEASE, CheckpointStore, SegmentLost
from tablewright.lifecycle.traversal.joined_reads import in_step
from tablewright.lifecycle.traversal.rate_limit import Meter, metered, pause_for

if TYPE_CHECKING:
    from tablewright.lifecycle.traversal.bulk_pages import BulkPages

PAGE = 200
"""Items between two checkpoints, at most."""
STEP = 50
"""Items that are worked on in step, so that they share reads."""
SEGMENTS = 4
WORKERS = 4
"""Segments that one runner works on at the same time, at most."""
WAIT = 1.0
"""Seconds between two looks at segments that other runners work on."""


class SharedPass(NamedTuple):
    """A pass that is over."""

    tally: Tally | None
    """The counts of all runners; None when another runner has ended the pass."""
    pages: int
    """The pages that this runner has read."""
    is_whole: bool = False
    """Whether the pass began while this runner worked on it."""


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


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector while a page is worked on: it would visit the objects of the page many times.

    That is a fifth of the work, for nothing: these objects have no cycles, and are freed with the page.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over a table. Without checkpoints it cannot be resumed, nor shared with other runners."""

    context: Context
    table: Table
    work: Work
    meter: Meter
    on_progress: OnProgress = no_report
    checkpoints: CheckpointStore | None = None
    state: State | None = None
    bulk: "BulkPages | None" = None
    """Work on whole pages, where the connection is to an embedded database."""

    def run(self, concurrency: Concurrency, segments: int = SEGMENTS) -> Procedure[Tally]:
        """Run the pass without checkpoints; return its counts."""
        total = _Sum()
        self.on_progress(total.tally)
        listed = [PassSegment(number) for number in range(segments)]
        yield from concurrency(
            [metered(self._segment(number, segments, total), self.meter) for number in listed]
        )
        return total.tally

    def share(self, concurrency: Concurrency, workers: int = WORKERS) -> Procedure[SharedPass]:
        """Work on the segments that no other runner works on, until all are done."""
        assert self.checkpoints is not None
        assert self.state is not None
        total, state = _Sum(), self.state
        is_whole: bool | None = None
        while True:
            current = yield from self.checkpoints.state(state.name)
            if current is None or current.revision != state.revision:
                return SharedPass(None, total.pages)
            segments = yield from self.checkpoints.segments(state)
            if is_whole is None:
                is_whole = not any(segment.runner for segment in segments)
            total.begin([segment.tally for segment in segments])
            self.on_progress(total.tally)
            if all(segment.is_done for segment in segments):
                return SharedPass(total.tally, total.pages, is_whole)
            free = list(self.checkpoints.free(segments))
            if free:
                workers_here = min(workers, len(free))
                yield from concurrency([self._worker(free, total) for _ in range(workers_here)])
            else:
                yield Pause(WAIT)

    def _worker(self, free: list[PassSegment], total: "_Sum") -> Procedure[None]:
        """Take free segments, one after the other. A segment that another runner took over is left to it."""
        assert self.checkpoints is not None
        assert self.state is not None
        while True:
            try:
                candidate = free.pop(0)
            except IndexError:  # another worker took the last one
                return
            segment = yield from self.checkpoints.take(self.state, candidate)
            if segment is None:
                continue
            with suppress(SegmentLost):
                if self.bulk is not None:
                    yield from self._bulk_segment(self.bulk, segment, total)
                else:
                    work = self._segment(segment, self.state.segments, total)
                    yield from metered(work, self.meter, partial(self._heartbeat, segment))

    def verify(self, bulk: "BulkPages") -> Procedure[SharedPass]:
        """Work again on what another writer has written since the pass before, and on its rejects.

        As every other item is as that pass has left it, this is a pass over the whole table.
        """
        assert self.checkpoints is not None
        assert self.state is not None
        assert bulk.watch is not None
        self.on_progress(Tally())
        rows = bulk.rows(sorted(bulk.watch.take()))
        items = {str(bulk.key_of(row)): bulk.item_of(row) for row in rows}
        for reject in (yield from self.checkpoints.rejects(self.state.name)):
            if reject.pass_id != self.state.pass_id and str(reject.key) not in items:
                item = yield from item_at(self.context, self.table, reject.key)
                items |= {} if item is None else {str(reject.key): item}
        tally = Tally()
        for item in items.values():
            tally += yield from self._single(item)
        counted = Tally(bulk.count(), tally.changed, tally.rejected)
        self.on_progress(counted)
        return SharedPass(counted, 0, True)

    def _bulk_segment(self, bulk: "BulkPages", segment: PassSegment, total: "_Sum") -> Procedure[None]:
        """Work on a segment page by page."""
        while not segment.is_done:
            before = segment.tally
            with collector_paused():
                segment, units = yield from self._bulk_page(bulk, segment)
            total.pages += 1
            if segment.tally.seen > before.seen:
                self.on_progress(total.add(segment.tally - before))
            yield from pause_for(self.meter.charge(units), partial(self._heartbeat, segment))

    def _bulk_page(self, bulk: "BulkPages", segment: PassSegment) -> Procedure[tuple[PassSegment, float]]:
        """Work on a page of a segment; return the segment after it, and the capacity units.

        The checkpoint is part of the commit of the page.
        """
        assert self.checkpoints is not None
        assert self.state is not None
        page = yield from bulk.plan(segment, self.state.segments)
        tally = Tally(page.seen, len(page.groups))
        for row in page.unusual:
            tally += replace((yield from self._single(bulk.item_of(row))), seen=0)
        after = page.after
        moved = replace(segment, after=after, is_done=after is None, tally=segment.tally + tally)
        moved = self.checkpoints.leased(moved)
        request = self.checkpoints.move_request(self.state, segment, moved)
        try:
            written = bulk.write([group for _, group in page.groups], ("PutItem", request))
        except ConditionalCheckFailed:
            raise SegmentLost from None
        failed = [row for (row, _), is_done in zip(page.groups, written.groups, strict=True) if not is_done]
        corrected = Tally(0, -len(failed))
        for row in failed:
            corrected += replace((yield from self._single(bulk.item_of(row))), seen=0)
        if corrected != Tally():
            fixed = replace(moved, tally=moved.tally + corrected)
            moved = yield from self.checkpoints.move(self.state, moved, fixed)
        return moved, page.units + written.units

    def _single(self, item: Item) -> Procedure[Tally]:
        """Work on one item by itself."""
        outcome = yield from metered(self.work(item), self.meter)
        if isinstance(outcome, Rejected):
            yield from self._reject(item, outcome.reason)
        return Tally(1, outcome == "changed", isinstance(outcome, Rejected))

    def _heartbeat(self, segment: PassSegment) -> Procedure[None]:
        if self.checkpoints is not None and self.state is not None:
            yield from self.checkpoints.renew(self.state, segment)

    def _segment(self, segment: PassSegment, segments: int, total: "_Sum") -> Procedure[None]:
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
            tally = yield from self._page(page["Items"], segment)
            after = page.get("LastEvaluatedKey")
            moved = replace(segment, after=after, is_done=after is None, tally=segment.tally + tally)
            if self.checkpoints is not None and self.state is not None:
                moved = yield from self.checkpoints.move(self.state, segment, moved)
            segment = moved
            total.pages += 1
            if tally.seen:
                self.on_progress(total.add(tally))

    def _page(self, items: Sequence[Item], segment: PassSegment) -> Procedure[Tally]:
        heartbeat = _Heartbeat(self, segment)
        tallies = []
        for start in range(0, len(items), STEP):
            work = [self._counted(item, heartbeat) for item in items[start : start + STEP]]
            tallies += yield from in_step(work)
        return sum(tallies, Tally())

    def _counted(self, item: Item, heartbeat: "_Heartbeat") -> Procedure[Tally]:
        """Work on one item of a page."""
        outcome = yield from self.work(item)
        if isinstance(outcome, Rejected):
            yield from self._reject(item, outcome.reason)
        yield from heartbeat.renew()
        return Tally(1, outcome == "changed", isinstance(outcome, Rejected))

    def _reject(self, item: Item, reason: str) -> Procedure[None]:
        if self.checkpoints is not None and self.state is not None:
            key = {name: item[name] for name in self.table.key}
            reject = Reject(self.context.table_name(self.table), key, reason, self.state.pass_id)
            yield from self.checkpoints.reject(self.state.name, reject)


class _Heartbeat:
    """Renews the lease of a segment when a third of it is over."""

    def __init__(self, one: Pass, segment: PassSegment) -> None:
        self._pass = one
        self._segment = segment
        self._last = one.context.now()

    def renew(self) -> Procedure[None]:
        now = self._pass.context.now()
        if now > self._last + LEASE / 3:
            self._last = now
            yield from self._pass._heartbeat(self._segment)


class _Sum:
    """The counts of all segments."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.pages = 0
        """The pages that this runner has read."""
        self._lock = threading.Lock()

    def begin(self, tallies: Sequence[Tally]) -> None:
        self.tally = sum(tallies, Tally())

    def add(self, tally: Tally) -> Tally:
        with self._lock:
            self.tally += tally
            return self.tally


def interleaved(procedures: Sequence[Procedure[None]]) -> Procedure[None]:
    """Run several procedures in turns, one effect each."""
    replies: dict[int, Reply | Exception | None] = dict.fromkeys(range(len(procedures)))
    while replies:
        for place in tuple(replies):
            try:
                effect = advance(procedures[place], replies[place])
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
