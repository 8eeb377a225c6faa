"""Create or update tables to match a design.

The command runs the steps that `tablewright plan` shows. Steps that lose data, or that make reads fail for a time, need
--allow-destructive. After an interruption, run the command again: finished steps are not repeated.
"""

import argparse
import time
from typing import TYPE_CHECKING

from tablewright.cli.arguments import design_argument, keys_argument, location_argument, table_name_arguments
from tablewright.cli.commands.plan import plan_for, show_plan
from tablewright.cli.data_locations import open_design
from tablewright.cli.output import count, green, grouped_lines, print_line, yellow
from tablewright.cli.progress import Progress

if TYPE_CHECKING:
    from tablewright.access.procedures import Procedure
    from tablewright.lifecycle.deploy.deployment_steps import Backfill, DeploymentStep, LayoutCompletion
    from tablewright.lifecycle.traversal.checkpoint_records import Reject, Tally

NAME = "deploy"
SUMMARY = "create or update tables to match a design"
EPILOG = """\
examples:
  tablewright deploy shop.design:design                           deploy to tablewright.db
  tablewright deploy shop.design:design --on aws:eu-north-1 --env main
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `deploy`."""
    design_argument(parser)
    location_argument(parser)
    table_name_arguments(parser)
    keys_argument(parser)
    parser.add_argument(
        "--allow-destructive",
        action="store_true",
        help="also run steps that lose data, or that make reads fail for a time",
    )


def run(options: argparse.Namespace) -> int:
    """Show the plan, and run it."""
    from tablewright.access.items.item_values import describe_key
    from tablewright.access.procedures import run_sync
    from tablewright.lifecycle.deploy.deployment import deploy, fill_index
    from tablewright.lifecycle.traversal.rate_limit import Meter
    from tablewright.lifecycle.traversal.repeated_passes import TraversalOptions
    from tablewright.lifecycle.traversal.table_pass import in_threads

    with open_design(options) as db:
        plan = plan_for(db)
        show_plan(plan)
        if not plan.steps and not plan.obstacles:
            return 0
        rejects: list[Reject] = []
        skipped: list[str] = []
        with Progress(len(plan.steps), "steps") as progress:

            def begin(step: "DeploymentStep") -> None:
                progress.reach(plan.steps.index(step), step.description)

            def fill(step: "Backfill | LayoutCompletion") -> "Procedure[None]":
                def page_done(tally: "Tally") -> None:
                    progress.advance(f"{step.description}: {tally.seen} seen, {tally.changed} written", 0)

                concurrency = in_threads(db.connection.call, time.sleep)
                traversal = TraversalOptions(Meter(), concurrency=concurrency, on_progress=page_done)
                return fill_index(db.design, db.context, step, traversal, rejects.extend)

            def skip(step: "DeploymentStep", reason: str) -> None:
                skipped.append(f"skipped: {step.description}; this endpoint does not support it ({reason})")

            work = deploy(plan, fill, begin, skip, allow_destructive=options.allow_destructive)
            done = run_sync(work, db.connection.call)
            progress.reach(done)
    print_line(green(f"{count(done - len(skipped), 'step')} done"))
    for line in skipped:
        print_line(yellow(line))
    for line in grouped_lines(
        rejects,
        lambda reject: f"not complete, as each {reject.reason}",
        lambda reject: f"{reject.table}: {describe_key(reject.key)}",
        lambda reject: f"an item of {reject.table} is not complete, as it {reject.reason}",
    ):
        print_line(yellow(f"warning: {line}"))
    return 0
