"""Repeated passes over a table, until a pass finds nothing to change.

So the last pass is a verification, and items that a client wrote in the old format during one pass are changed by the
next. A run can be killed at any time: the next run continues from its checkpoints.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tablewright.access.context import Context
from tablewright.access.procedures import Procedure
from tablewright.design.tables import Table
from tablewright.errors import MigrationError
from tablewright.lifecycle.traversal.checkpoint_records import Direction, State, Tally
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore
from tablewright.lifecycle.traversal.rate_limit import Meter
from tablewright.lifecycle.traversal.table_pass import (
    SEGMENTS,
    WORKERS,
    Concurrency,
    OnProgress,
    Pass,
    Work,
    interleaved,
    no_report,
)

if TYPE_CHECKING:
    from tablewright.lifecycle.traversal.bulk_pages import BulkPages

MOST_PASSES = 8
"""If each of so many passes found items to change, a client is still writing the old format."""


@dataclass(frozen=True, slots=True)
class TraversalOptions:
    """How passes run: their rate, their segments, the concurrency of segments, and the progress callback."""

    meter: Meter
    segments: int = SEGMENTS
    concurrency: Concurrency = interleaved
    on_progress: OnProgress = no_report
    workers: int = WORKERS
    on_pass: Callable[[int], None] = lambda number: None
    """Called with the number of each pass before it starts."""


class Ended(NamedTuple):
    """Work that is done."""

    state: State
    ran_here: bool
    """Whether this runner has done a part of it."""


def run_passes(
    checkpoints: CheckpointStore,
    context: Context,
    table: Table,
    name: str,
    work: Work,
    options: TraversalOptions,
    direction: Direction = "up",
    *,
    again: bool = False,
    changed: int = 0,
    passes: int | None = None,
    bulk: "BulkPages | None" = None,
) -> Procedure[Ended | None]:
    """Repeat passes until one changes nothing; return the final state, or None if the work was done before.

    Other runners may share the passes.

    With `passes`, stop after that number of passes, even if the last one changed items. `again` repeats finished work,
    which has changed `changed` items before.
    """
    with nullcontext() if bulk is None else bulk.watching():
        state = yield from checkpoints.join(name, direction, options.segments, again=again, changed=changed)
        pages, is_whole = 0, False
        first = state.pass_number if state is not None else 1
        while state is not None and state.pass_number < first + MOST_PASSES:
            options.on_pass(state.pass_number)
            one = Pass(context, table, work, options.meter, options.on_progress, checkpoints, state, bulk)
            if bulk is not None and bulk.watch is not None and is_whole:
                done = yield from one.verify(bulk)
            else:
                workers = options.workers if bulk is None else bulk.workers
                done = yield from one.share(options.concurrency, workers)
            pages += done.pages
            is_whole = done.is_whole
            moved: State | None = None
            if done.tally is not None:
                total = Tally(done.tally.seen, state.tally.changed + done.tally.changed, done.tally.rejected)
                is_last = not done.tally.changed or state.pass_number - first + 1 == passes
                moved = yield from (checkpoints.finish if is_last else checkpoints.next_pass)(state, total)
            if moved is None:  # another runner has ended the pass
                is_whole = False
                moved = yield from checkpoints.state(name)
            if moved is None or moved.is_done or moved.attempt != state.attempt:
                return None if moved is None else Ended(moved, ran_here=pages > 0)
            state = moved
        if state is None:
            return None
        raise MigrationError(
            f"{name}: after {MOST_PASSES} passes, items in the old format are still being written; "
            "stop those programs and run again"
        )
