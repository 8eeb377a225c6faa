"""Show what a deployment would do: compare a design with the existing tables. Nothing is changed.
A data file that does not exist is not created.

Steps are listed in the order in which `tablewright deploy` runs them. The exit code is 0, with or without steps.
"""

import argparse

from tablewright.cli.arguments import design_argument, json_argument, location_argument, table_name_arguments
from tablewright.cli.data_locations import open_for_comparison
from tablewright.cli.output import print_json
from tablewright.cli.plan_output import plan_for, show_plan

NAME = "plan"
SUMMARY = "show what a deployment would do"
EPILOG = """\
examples:
  tablewright plan shop.design:design                             compare with tablewright.db
  tablewright plan shop.design:design --on aws:eu-north-1 --env main
  tablewright plan shop.design:design --json | jq '.steps[].does'
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `plan`."""
    design_argument(parser)
    location_argument(parser)
    table_name_arguments(parser)
    json_argument(parser, "the steps and their requests")


def run(options: argparse.Namespace) -> int:
    """Print the plan."""
    with open_for_comparison(options) as db:
        plan = plan_for(db)
    if options.json:
        print_json(plan.as_data())
    else:
        show_plan(plan)
    return 0
