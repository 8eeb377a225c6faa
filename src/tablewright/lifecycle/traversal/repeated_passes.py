"""Runs: passes over a table, one after the other, until one finds nothing to do.

So the last pass is the verification, and what was written in the old way while an earlier one was under way is met by
the next. A run can be killed at any moment: the next one goes on from its checkpoints.
"""

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
"""After so many that each found something to do, somebody must be writing in the old way."""


@dataclass(frozen=True, slots=True)
class TraversalOptions:
    """How passes are made: in how many segments, held together how, how fast, and who hears of it."""

    meter: Meter
    segments: int = SEGMENTS
    concurrency: Concurrency = interleaved
    on_progress: OnProgress = no_report


def run(
    checkpoints: CheckpointStore,
    context: Context,
    table: Table,
    name: str,
    work: Work,
    options: TraversalOptions,
    direction: Direction = "up",
    *,
    again: bool = False,
    passes: int | None = None,
) -> Procedure[State | None]:
    """Pass after pass, until one changes nothing; None when that was done before.

    `passes` are enough, whatever the last of them found; without a number, one must find nothing.
    """
    state = yield from checkpoints.claim(name, direction, options.segments, again=again)
    if state is None:
        return None
    changed = state.tally.changed
    for number in range(1, (passes or MOST_PASSES) + 1):
        one = Pass(context, table, work, options.meter, options.on_progress, checkpoints, state)
        tally = yield from one.run(options.concurrency)
        changed += tally.changed
        total = Tally(tally.seen, changed, tally.rejected)
        if not tally.changed or number == passes:
            return (yield from checkpoints.finish(state, total))
        state = yield from checkpoints.next_round(state, total)
    raise MigrationError(
        f"{name}: after {MOST_PASSES} passes there is still something to do, so somebody writes in the old way; "
        "let the programs that do so end, and run it again"
    )
