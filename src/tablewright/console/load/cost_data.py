"""Cost data: an estimate for the page, in which each number has its calculation."""

from collections.abc import Callable
from inspect import getsourcefile, getsourcelines
from pathlib import Path
from typing import Any

from tablewright.design.designs import Design
from tablewright.design.tables import Table
from tablewright.planning.capacity_demand import CapacityResource, Units, total
from tablewright.planning.cost_estimate import (
    HOURS,
    CostDifference,
    Estimate,
    Line,
    TableEstimate,
    break_even,
)
from tablewright.planning.prices import GB, MILLION, ClassPrices
from tablewright.planning.workloads import Workload

Step = dict[str, Any]
"""A step of a calculation: its text, and dollars."""


TableName = Callable[[Table], str]


def resource_name(table_name: TableName, resource: CapacityResource) -> str:
    """Return the name of a table, or of an index with its table, in the store."""
    name = table_name(resource.table)
    return f"{name}.{resource.index.name}" if resource.index else name


def estimate_data(estimate: Estimate, table_name: TableName) -> dict[str, Any]:
    """Describe an estimate: dollars a month by pattern and write, and by table."""
    even = break_even(estimate.prices.standard)
    return {
        "region": estimate.prices.region,
        "prices_as_of": estimate.prices.as_of,
        "cost": estimate.cost,
        "lines": [line_data(line, table_name) for line in estimate.lines],
        "tables": [table_data(table, table_name) for table in estimate.tables],
        "break_even": None if even is None else {"read": even.read, "write": even.write},
        "notes": list(estimate.notes),
    }


def line_data(line: Line, table_name: TableName) -> dict[str, Any]:
    """Describe the cost of a pattern, or of a kind of write of an entity."""
    units = line.units * line.times
    return {
        "name": line.name,
        "kind": line.kind,
        "subject": line.name if line.kind == "read" else line.name.partition(" ")[2],
        "table": table_name(line.table),
        "times": line.times,
        "each": _units(line.units),
        "units": _units(units),
        "cost": line.cost,
        "calculation": _line_steps(line, table_name),
    }


def _line_steps(line: Line, table_name: TableName) -> list[Step]:
    what = "runs" if line.kind == "read" else "writes"
    steps: list[Step] = []
    for resource, units in line.each.items():
        for number, kind, price in (
            (units.read, "read", line.prices.read),
            (units.write, "write", line.prices.write),
        ):
            if number:
                text = (
                    f"{resource_name(table_name, resource)}: {_counted(number, kind)} x "
                    f"{_number(line.times)} {what} = {_number(number * line.times)} units, at ${price:g} a million"
                )
                steps.append(_step(text, number * line.times * price / MILLION))
    return steps


def table_data(table: TableEstimate, table_name: TableName) -> dict[str, Any]:
    """Describe the cost of a table: requests, storage, recovery and copies."""
    use = table.utilisation
    return {
        "name": table_name(table.table),
        "items": table.items,
        "item_bytes": table.item_bytes,
        "bytes": table.bytes,
        "billing": "on demand" if table.declared_capacity is None else "provisioned",
        "cost": table.cost,
        "request_cost": table.request_cost,
        "on_demand_cost": table.on_demand_cost,
        "provisioned_cost": table.provisioned_cost,
        "storage_cost": table.storage_cost,
        "utilisation": {"read": use.read, "write": use.write},
        "extras": [{"name": one.name, "amount": one.amount, "cost": one.cost} for one in table.extras],
        "short": [resource_name(table_name, resource) for resource in table.short],
        "calculations": {
            "on_demand": _on_demand_steps(total(table.demand), table.prices),
            "provisioned": _provisioned_steps(table, table_name),
            "storage": _storage_steps(table),
        },
    }


def _on_demand_steps(units: Units, prices: ClassPrices) -> list[Step]:
    return [
        _step(f"{_counted(number, kind)}, at ${price:g} a million", number * price / MILLION)
        for number, kind, price in ((units.read, "read", prices.read), (units.write, "write", prices.write))
    ]


def _provisioned_steps(table: TableEstimate, table_name: TableName) -> list[Step]:
    prices = table.prices
    if prices.read_hour is None or prices.write_hour is None:
        return []
    steps = []
    for resource, units in (table.declared_capacity or table.capacity).items():
        for number, kind, price in (
            (units.read, "read", prices.read_hour),
            (units.write, "write", prices.write_hour),
        ):
            name = resource_name(table_name, resource)
            text = f"{name}: {_counted(number, kind)} x {HOURS:g} hours, at ${price:g} an hour"
            steps.append(_step(text, number * HOURS * price))
    return steps


def _storage_steps(table: TableEstimate) -> list[Step]:
    size = table.bytes / GB
    whole = size * table.prices.storage
    text = f"{_number(table.items)} items and their index rows: {size:,.3g} GB, at ${table.prices.storage:g} a GB"
    steps = [_step(text, whole)]
    if table.storage_cost < whole:
        steps.append(_step("within the storage that is free in each region", table.storage_cost - whole))
    return steps


def difference_data(difference: CostDifference) -> dict[str, Any]:
    """Describe what became more or less expensive."""
    return {
        "what": difference.what,
        "name": difference.name,
        "before": difference.before,
        "after": difference.after,
        "by": difference.by,
        "why": difference.why,
    }


def undeclared(design: Design, workload: Workload) -> list[dict[str, Any]]:
    """List the patterns and entities without rates: where they are declared, and the line to add there."""
    patterns = [
        _missing(plan.pattern, "pattern", "rate = fields.PerSecond(20)")
        for plan in design.plans
        if workload.times_of(plan) is None
    ]
    entities = [
        _missing(entity, "entity", "expect=fields.Expect(items=100_000, writes=fields.PerSecond(5))")
        for entity in design.entities
        if not workload.writes_of(entity.layout)
    ]
    return [*patterns, *entities]


def _missing(declared: type, kind: str, line: str) -> dict[str, Any]:
    try:
        file = getsourcefile(declared)
        lines, number = getsourcelines(declared)
    # A class without source, such as one from an interactive shell. SystemError: before Python 3.12, two threads that
    # parse sources at the same time disturb each other.
    except (OSError, TypeError, SystemError):
        return {
            "kind": kind,
            "name": declared.__name__,
            "add": line,
            "file": None,
            "line": None,
            "source": "",
        }
    return {
        "kind": kind,
        "name": declared.__name__,
        "add": line,
        "file": Path(file).name if file else None,
        "line": number,
        "source": lines[0].rstrip(),
    }


def _units(units: Units) -> dict[str, float]:
    return {"read": units.read, "write": units.write}


def _step(text: str, cost: float) -> Step:
    return {"text": text, "cost": cost}


def _counted(number: float, kind: str) -> str:
    return f"{_number(number)} {kind} unit" + ("" if number == 1 else "s")


def _number(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 or number == round(number) else f"{number:,.3g}"
