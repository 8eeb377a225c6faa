"""A list that is asked for newest first does not come in the order of time.

Items come in the order of the sort key. Where a status, a type or a random id stands before the moment, they come
grouped by that; where the index has no sort key, or one without a moment, they come in no order of time at all. Put the
moment first, fix what stands before it in the pattern's key, or sort what has been read.

Ids that begin with their time (ULIDs, see `fields.new_id()`) count as moments. It is a warning for patterns with
`newest_first`, and for those that return several entities with a moment behind different texts; a note for other lists
that are grouped before they are in time.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.sort_orders import Order, orders
from tablewright.design.designs import Design
from tablewright.design.fields.markers import ulid
from tablewright.design.layouts.field_values import is_time_field
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.design.plans.plans import Plan

CODE = "TW309"
TITLE = "Order that is not the order of time"


def check(design: Design) -> Iterator[Finding]:
    """Queries whose sort key has something else before the moment."""
    for plan in design.plans:
        if plan.kind == "query" and not plan.problems:
            found = orders(plan)
            reasons = [reason for order in found if (reason := _reason(plan, order))]
            reason = next(iter(reasons), None) or _mixture(found)
            if reason:
                yield Finding(
                    CODE,
                    "warning" if plan.pattern.newest_first or len(found) > 1 else "info",
                    plan.name,
                    f"{plan.name} does not come in the order of time: {reason}",
                    "put the moment first in the sort key, fix what is before it, or sort what was read",
                    plan.pattern,
                )


def _reason(plan: Plan, order: Order) -> str | None:
    newest = plan.pattern.newest_first
    if not order.fields:
        return "nothing is left to sort it by" if newest else None
    times = [place for place, field in enumerate(order.fields) if _tells_time(field, order.layout)]
    if not times:
        return f"{order.fields[0].name} tells no time" if newest else None
    before = [field.name for field in order.fields[: times[0]]]
    return f"{', '.join(before)} is before {order.fields[times[0]].name} in the sort key" if before else None


def _mixture(found: list[Order]) -> str | None:
    """Whether several entities, each in time, stand one behind the other."""
    timed = {order.lead for order in found if order.fields and _tells_time(order.fields[0], order.layout)}
    return f"its entities are grouped by {', '.join(sorted(timed))}" if len(timed) > 1 else None


def _tells_time(field: FieldLayout, layout: Layout) -> bool:
    info = layout.entity.model_fields.get(field.name)
    return is_time_field(field) or (info is not None and info.default_factory is ulid)
