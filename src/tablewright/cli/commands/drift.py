"""Say how the tables that live differ from their design. Nothing is touched.

It exits with code 1 when they differ: for a job that looks every night.
"""

import argparse
import json

from tablewright.cli.arguments import design_argument, open_design, store_arguments
from tablewright.cli.output import say
from tablewright.cli.plan_output import plan_as_data, plan_for, show_plan

NAME = "drift"
SUMMARY = "say how tables differ from their design"
EPILOG = """\
examples:
  tablewright drift shop.design:design --on aws:eu-north-1 --env main
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `drift` understands."""
    design_argument(parser)
    store_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print what would have to be done, as JSON")


def run(options: argparse.Namespace) -> int:
    """Print the differences."""
    with open_design(options) as db:
        plan = plan_for(db)
    if options.json:
        say(json.dumps(plan_as_data(plan), indent=2))
    elif plan.steps:
        say(f"{len(plan.steps)} steps away from the design:\n")
        show_plan(plan)
    else:
        show_plan(plan)
    return 1 if plan.steps else 0
