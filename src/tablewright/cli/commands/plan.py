"""Show what a deployment would do: compare a design with the existing tables. Nothing is changed.
A data file that does not exist is not created.

Steps are listed in the order in which `tablewright deploy` runs them. The exit code is 0, with or without steps.
"""

import argparse
from typing import TYPE_CHECKING

from tablewright.cli.arguments import design_argument, json_argument, location_argument, table_name_arguments
from tablewright.cli.data_locations import open_for_comparison
from tablewright.cli.output import green, print_json, print_line, red, yellow

if TYPE_CHECKING:
    from tablewright.access.repository import Repository
    from tablewright.lifecycle.deploy.deployment import DeploymentPlan


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


def plan_for(db: "Repository") -> "DeploymentPlan":
    """Return what a deployment would do."""
    from tablewright.access.procedures import run_sync
    from tablewright.lifecycle.deploy.deployment import plan_of

    return run_sync(plan_of(db.design, db.context), db.connection.call)


def show_plan(plan: "DeploymentPlan") -> None:
    """Print the steps and the warnings."""
    if not plan.steps and not plan.obstacles:
        print_line(green("The tables match the design."))
    for number, step in enumerate(plan.steps, 1):
        cost = f"  about {step.units:,} write units" if step.units else ""
        print_line(f"{number:>3}  {step.description}{cost}")
        if step.is_destructive:
            print_line(f"     {red('destructive')}: {step.loss}")
    for obstacle in plan.obstacles:
        print_line(red(f"not possible: {obstacle}"))
    for warning in plan.warnings:
        print_line(yellow(f"warning: {warning}"))
