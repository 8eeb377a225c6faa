"""Pattern costs: the capacity of a pattern, what it costs a month, and the IAM statements that it needs."""

from typing import Any

from tablewright.console.open_designs import OpenDesign
from tablewright.console.patterns.request_code import region_of
from tablewright.design.indexes import VectorIndex
from tablewright.design.plans.plans import Plan
from tablewright.errors import UsageError
from tablewright.generate.iam.grants import TableArns
from tablewright.generate.iam.role_policies import Role, role_policies
from tablewright.planning.capacity_demand import total
from tablewright.planning.cost_estimate import on_demand
from tablewright.planning.prices import DEFAULT_REGION, MILLION, Prices, load_prices
from tablewright.planning.request_demand import demand_of_run
from tablewright.planning.vector_demand import bytes_of_search
from tablewright.planning.workloads import Workload

ACCOUNT = "123456789012"
"""Stands for the account in ARNs; the console does not look up the account of its credentials."""
_KEY_NOTE = " To decrypt secret fields, also allow kms:Decrypt on the master key."


def pattern_cost(opened: OpenDesign, plan: Plan) -> dict[str, Any]:
    """Return the expected units of one run, and dollars for a million runs and for the declared rate."""
    workload = Workload()
    prices = prices_of(opened)
    of_class = prices.of_class(plan.table.table_class)
    units = total(demand_of_run(opened.design, plan, workload))
    times = workload.times_of(plan)
    searched = bytes_of_search(plan, plan.index, workload) if isinstance(plan.index, VectorIndex) else 0.0
    return {
        "units": units.read + units.write,
        "searched_bytes": searched,
        "times": times,
        "rate": str(plan.pattern.rate) if plan.pattern.rate is not None else None,
        "month": None if times is None else on_demand(units * times, of_class),
        "million": on_demand(units * MILLION, of_class),
        "region": prices.region,
        "prices_as_of": prices.as_of,
        "advice": None
        if times is not None
        else f"{plan.name} declares no rate. Declare one in its class: rate = fields.PerSecond(20)",
    }


def prices_of(opened: OpenDesign) -> Prices:
    """Return the prices of the region of a store; of us-east-1 if they are not known."""
    try:
        return load_prices(region_of(opened))
    except UsageError:
        return load_prices(DEFAULT_REGION)


def pattern_policy(opened: OpenDesign, plan: Plan) -> dict[str, Any]:
    """Return the IAM policy that a program needs to run a pattern, and nothing else."""
    context = opened.db.context
    try:
        arns = TableArns(region_of(opened), ACCOUNT, context.environment, context.prefix)
    except UsageError:  # an endpoint other than AWS may have any region
        arns = TableArns(DEFAULT_REGION, ACCOUNT, context.environment, context.prefix)
    documents = role_policies(opened.design, arns, Role(only=(plan.name,)))
    has_secrets = any(layout.secrets for layout in plan.layouts)
    return {
        "account": ACCOUNT,
        "documents": documents,
        "note": f"Replace {ACCOUNT} by your account." + (_KEY_NOTE if has_secrets else ""),
    }
