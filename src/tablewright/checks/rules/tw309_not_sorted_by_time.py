"""A pattern returns items in an order that is not their order in time.

Items are sorted by the sort key. If a status, a type or a random id comes before the time, items are grouped by that
value; if the index has no sort key, or one without a time, they are not sorted by time at all. Put the time first, fix
the values before it in the pattern's key, or sort the result.

Ids that begin with their time (ULIDs, see `fields.new_id()`) count as times. It is a warning for patterns with
`descending`, and for those that return several entities whose times follow different texts; a note for other lists
that are grouped before they are sorted by time.

These orders are intended and not reported: by a number before the time, as in a leaderboard (`descending` then returns
the highest first); by names alone, in either direction; without `descending`, by a hierarchy of several fields
(`{country}#{city}#...`), or with an id at the end of the key.
"""

from collections.abc import Iterator
from decimal import Decimal
from uuid import UUID

from tablewright.checks.findings import Finding
from tablewright.checks.sort_orders import Order, orders
from tablewright.design.designs import Design
from tablewright.design.fields.markers import ulid
from tablewright.design.layouts.field_values import is_time_field
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.design.plans.plans import Plan

CODE = "TW309"
TITLE = "Results not sorted by time"


def check(design: Design) -> Iterator[Finding]:
    """Queries whose sort key has other values before the time."""
    for plan in design.plans:
        if plan.kind == "query" and not plan.problems:
            found = orders(plan)
            reasons = [reason for order in found if (reason := _reason(plan, order))]
            reason = next(iter(reasons), None) or _grouping(found)
            if reason:
                yield Finding(
                    CODE,
                    "warning" if plan.pattern.descending or len(found) > 1 else "info",
                    plan.name,
                    f"{plan.name} does not return items in order of time: {reason}",
                    "put the time first in the sort key, fix the values before it, or sort the result",
                    plan.pattern,
                )


def _reason(plan: Plan, order: Order) -> str | None:
    descending = plan.pattern.descending
    if not order.fields:
        return "no part of the sort key is left to sort by" if descending else None
    times = [position for position, field in enumerate(order.fields) if _is_time(field, order.layout)]
    if not times:
        first = order.fields[0]
        return f"{first.name} is not a time" if descending and _is_id(first) else None
    before = order.fields[: times[0]]
    if any(map(_is_number, before)):
        return None
    is_hierarchy = len(order.fixed) + len(before) > 1
    if not descending and (is_hierarchy or not is_time_field(order.fields[times[0]])):
        return None
    names = ", ".join(field.name for field in before)
    return f"{names} is before {order.fields[times[0]].name} in the sort key" if before else None


def _grouping(found: list[Order]) -> str | None:
    """Whether several entities, each sorted by time, are grouped by entity."""
    timed = {order.prefix for order in found if order.fields and _is_time(order.fields[0], order.layout)}
    return f"its entities are grouped by {', '.join(sorted(timed))}" if len(timed) > 1 else None


def _is_number(field: FieldLayout) -> bool:
    """Whether a field is a number that is no time: sorting by it is intended, as in a leaderboard."""
    is_number = isinstance(field.annotation, type) and issubclass(field.annotation, int | float | Decimal)
    return is_number and not is_time_field(field)


def _is_id(field: FieldLayout) -> bool:
    """Whether a field is an id; a list in descending order of random ids is not intended."""
    return field.annotation in (str, UUID) and field.name.split("_")[-1] == "id"


def _is_time(field: FieldLayout, layout: Layout) -> bool:
    info = layout.entity.model_fields.get(field.name)
    return is_time_field(field) or (info is not None and info.default_factory is ulid)
