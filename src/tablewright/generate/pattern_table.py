"""The pattern table: one row for each access pattern, with everything that a design document lists about it."""

from typing import Any, get_args, get_origin

from tablewright.design.fields.annotations import plain_type
from tablewright.design.layouts.field_values import type_name
from tablewright.design.plans.plans import Plan
from tablewright.dynamodb.values.capacity import read_units

HEAD = (
    "pattern",
    "description",
    "call",
    "index",
    "key condition",
    "filter",
    "order",
    "parameters",
    "returns",
    "cost",
)
_CALLS = {"get": "GetItem", "find": "Query", "query": "Query", "scan": "Scan", "batch": "BatchGetItem"}
_ASSUMED_SIZE = 1024
"""Bytes of an item whose entity declares no expected size, as `explain` assumes."""


def pattern_row(plan: Plan) -> tuple[str, ...]:
    """The row of one pattern."""
    return (
        plan.name,
        plan.description,
        _call(plan),
        plan.index.name if plan.index else "(table)",
        " AND ".join(map(str, plan.clauses)) or "all items",
        plan.filter.source if plan.filter else "",
        _order(plan),
        ", ".join(_parameters(plan)),
        _returns(plan),
        _cost(plan),
    )


def _call(plan: Plan) -> str:
    """The call; a read by a lock makes two, for the lock and for its owner."""
    call = f"{_CALLS[plan.kind]} (lock, then owner)" if plan.lock else _CALLS[plan.kind]
    return call + (", consistent" if plan.pattern.consistent else "")


def _order(plan: Plan) -> str:
    """The order of the items: by the sort key, if there is one."""
    sort = plan.index.sort if plan.index else plan.table.key[1:]
    if plan.kind != "query" or not sort:
        return ""
    return f"{', '.join(sort)} {'descending' if plan.pattern.descending else 'ascending'}"


def _parameters(plan: Plan) -> list[str]:
    return [
        f"{name}: {_type(info.annotation)}" + ("" if info.is_required() else f" = {_default(info.default)}")
        for name, info in plan.pattern.model_fields.items()
    ]


def _type(annotation: Any) -> str:
    plain, _ = plain_type(annotation)
    if get_origin(plain) in (list, set, tuple, frozenset) and get_args(plain):
        return f"{type_name(plain)} of {_type(get_args(plain)[0])}"
    return type_name(plain)


def _default(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(getattr(value, "value", value))


def _returns(plan: Plan) -> str:
    names = " or ".join(layout.entity.__name__ for layout in plan.layouts)
    fields = f" ({', '.join(plan.pattern.fields)})" if plan.pattern.fields else ""
    many = "" if plan.kind in ("get", "find") else "list of "
    return f"{many}{names}{fields}"


def _cost(plan: Plan) -> str:
    """Read units of one run, by the sizes that the entities declare."""
    consistent = plan.pattern.consistent
    size = max(layout.expect.size or _ASSUMED_SIZE for layout in plan.layouts)
    if plan.kind in ("get", "find"):
        count = 2 if plan.lock else 1
        return f"{count * read_units(size, consistent=consistent):g} RCU"
    if plan.kind == "batch":
        return f"{read_units(size, consistent=consistent):g} RCU per item"
    items = plan.pattern.page_size or plan.pattern.expected_items
    if items:
        return f"{read_units(items * size, consistent=consistent):g} RCU for {items} items"
    return f"{read_units(1, consistent=consistent):g} RCU per 4 KB"
