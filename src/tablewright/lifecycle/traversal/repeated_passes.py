"""Repeated passes over a table, until a pass finds nothing to change.

So the last pass is a verification, and items that a client wrote in the old format during one pass are changed by the
next. A run can be killed at any time: the next run continues from its checkpoints.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.design.tables.tables import Table
from tablewright.errors import MigrationError
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore, Direction, State, Tally
from tablewright.lifecycle.traversal.rate_limit import Meter
from tablewright.lifecycle.traversal.table_pass import (
    SEGMENTS,
    Concurrency,
    OnProgress,
    Pass,
    Work,
    interleaved,
    no_report,
)

MOST_PASSES = 8
"""If each of so many passes found items to change, a client is still writing the old format."""


@dataclass(frozen=True, slots=True)
class TraversalOptions:
    """How passes run: their rate, their segments, the concurrency of segments, and the progress callback."""

    meter: Meter
    segments: int = SEGMENTS
    concurrency: Concurrency = interleaved
    on_progress: OnProgress = no_report
    on_pass: Callable[[int], None] = lambda number: None
    """Called with the number of each pass before it starts."""


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
) -> Procedure[State | None]:
    """Repeat passes until one changes nothing; return the final state, or None if the work was done before.

    With `passes`, stop after that number of passes, even if the last one changed items. `again` repeats finished work,
    which has changed `changed` items before.
    """
    state = yield from checkpoints.claim(name, direction, options.segments, again=again, changed=changed)
    if state is None:
        return None
    changed = state.tally.changed
    for number in range(1, (passes or MOST_PASSES) + 1):
        options.on_pass(state.pass_number)
        one = Pass(context, table, work, options.meter, options.on_progress, checkpoints, state)
        tally = yield from one.run(options.concurrency)
        changed += tally.changed
        total = Tally(tally.seen, changed, tally.rejected)
        if not tally.changed or number == passes:
            return (yield from checkpoints.finish(state, total))
        state = yield from checkpoints.next_pass(state, total)
    raise MigrationError(
        f"{name}: after {MOST_PASSES} passes, items in the old format are still being written; "
        "stop those programs and run again"
    )
