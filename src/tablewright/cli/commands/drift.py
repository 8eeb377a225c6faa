"""Show differences between tables and their design. Nothing is changed.

The exit code is 1 if there are differences, for example for a nightly job.
"""

import argparse

from tablewright.cli.arguments import design_argument, json_argument, location_argument, table_name_arguments
from tablewright.cli.commands.plan import plan_for, show_plan
from tablewright.cli.data_locations import open_for_comparison
from tablewright.cli.output import count, print_json, print_line

NAME = "drift"
SUMMARY = "show differences between tables and their design"
EPILOG = """\
examples:
  tablewright drift shop.design:design --on aws:eu-north-1 --env main
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `drift`."""
    design_argument(parser)
    location_argument(parser)
    table_name_arguments(parser)
    json_argument(parser, "the steps that would remove the differences")


def run(options: argparse.Namespace) -> int:
    """Print the differences; the exit code is 1 if there are any."""
    with open_for_comparison(options) as db:
        plan = plan_for(db)
    if options.json:
        print_json(plan.as_data())
    else:
        if plan.steps:
            print_line(f"The tables differ from the design; {count(len(plan.steps), 'step')} to deploy:\n")
        show_plan(plan)
    return 1 if plan.steps or plan.obstacles else 0
