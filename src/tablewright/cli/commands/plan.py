"""Compare a design with the tables that live, and say what a deployment would do. Nothing is touched.

Steps come in the order in which they would be done. It exits with code 0, whether there is something to do or not.
"""

import argparse
import json

from tablewright.cli.arguments import design_argument, open_design, store_arguments
from tablewright.cli.output import say
from tablewright.cli.plan_output import plan_as_data, plan_for, show_plan

NAME = "plan"
SUMMARY = "say what a deployment of a design would do"
EPILOG = """\
examples:
  tablewright plan shop.design:design                             on tablewright.db, here
  tablewright plan shop.design:design --on aws:eu-north-1 --env main
  tablewright plan shop.design:design --json | jq '.steps[].does'
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `plan` understands."""
    design_argument(parser)
    store_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print the steps with their requests, as JSON")


def run(options: argparse.Namespace) -> int:
    """Print the plan."""
    with open_design(options) as db:
        plan = plan_for(db)
    if options.json:
        say(json.dumps(plan_as_data(plan), indent=2))
    else:
        show_plan(plan)
    return 0
