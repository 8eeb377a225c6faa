"""Make the tables that live what their design wants.

It does what `tablewright plan` says, one step after the other. Nothing by which data is lost or reads fail is done
without --allow-destructive. A deployment that was interrupted is run again: what it has done stays done.
"""

import argparse
import time
from typing import TYPE_CHECKING

from tablewright.cli.arguments import design_argument, keys_argument, open_design, store_arguments
from tablewright.cli.output import Progress, green, say, yellow
from tablewright.cli.plan_output import plan_for, show_plan

if TYPE_CHECKING:
    from tablewright.access.calls.procedures import Procedure
    from tablewright.lifecycle.deploy.deployment_steps import Backfill, Step
    from tablewright.lifecycle.traversal.checkpoints import Reject, Tally

NAME = "deploy"
SUMMARY = "make tables what their design wants"
EPILOG = """\
examples:
  tablewright deploy shop.design:design                           on tablewright.db, here
  tablewright deploy shop.design:design --on aws:eu-north-1 --env main
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `deploy` understands."""
    design_argument(parser)
    store_arguments(parser)
    keys_argument(parser)
    parser.add_argument(
        "--allow-destructive", action="store_true", help="also drop and replace what the design does not want"
    )


def run(options: argparse.Namespace) -> int:
    """Plan, show, and do it."""
    from tablewright.access.calls.procedures import run_sync
    from tablewright.lifecycle.deploy.deployment import deploy
    from tablewright.lifecycle.deploy.key_backfill import fill_index
    from tablewright.lifecycle.traversal.rate_limit import Meter
    from tablewright.lifecycle.traversal.repeated_passes import TraversalOptions
    from tablewright.lifecycle.traversal.table_pass import in_threads

    with open_design(options) as db:
        plan = plan_for(db)
        show_plan(plan)
        if not plan.steps:
            return 0
        unread: list[Reject] = []
        with Progress(len(plan.steps), "steps") as progress:

            def report(step: "Step") -> None:
                progress.step(step.description)

            def fill(step: "Backfill") -> "Procedure[None]":
                def far(tally: "Tally") -> None:
                    progress.step(f"{step.description}: {tally.seen} seen, {tally.changed} written", 0)

                concurrency = in_threads(db.connection.call, time.sleep)
                traversal = TraversalOptions(Meter(), concurrency=concurrency, on_progress=far)
                return fill_index(db.design, db.context, step, traversal, unread.extend)

            work = deploy(plan, fill, report, allow_destructive=options.allow_destructive)
            done = run_sync(work, db.connection.call)
    say(green(f"{done} steps done"))
    for reject in unread:
        say(yellow(f"warning: an item of {reject.table} is not in the index, as it {reject.reason}"))
    return 0
