"""Deployment plans, as `plan`, `deploy` and `drift` print them."""

from typing import TYPE_CHECKING

from tablewright.cli.output import green, print_line, red, yellow

if TYPE_CHECKING:
    from tablewright.access.repository import Repository
    from tablewright.lifecycle.deploy.deployment import DeploymentPlan


def plan_for(db: "Repository") -> "DeploymentPlan":
    """Return what a deployment would do."""
    from tablewright.access.calls.procedures import run_sync
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
