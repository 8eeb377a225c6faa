"""A pattern returns items without a meaningful order.

An index without a sort key, or with one that the pattern fixes, returns its items in any order; a sort key of random
ids sorts them randomly. That is fine for a set, or if the result is sorted later. For a list that users page through,
sort by what they expect: a time, a name, or an id that sorts by time.

    Index("ownerId-index", "ownerId", "createdAt")
    board_id: str = fields.new_id()                    # a ULID: later ids sort later
"""

from collections.abc import Iterator
from uuid import UUID

from tablewright.checks.findings import Finding
from tablewright.checks.sort_orders import Order, orders
from tablewright.design.designs import Design
from tablewright.design.plans.plans import Plan

CODE = "TW311"
TITLE = "List without a defined order"


def check(design: Design) -> Iterator[Finding]:
    """Queries of several items whose sort key is fixed or random."""
    for plan in design.plans:
        if plan.kind == "query" and not plan.problems:
            reason = next(filter(None, (_reason(plan, order) for order in orders(plan))), None)
            if reason is not None:
                yield Finding(
                    CODE,
                    "info",
                    plan.name,
                    f"{plan.name} returns its items in no defined order: {reason}",
                    "sort the index by the order that users expect",
                    plan.pattern,
                )


def _reason(plan: Plan, order: Order) -> str | None:
    place = plan.index.name if plan.index else plan.table.name
    if order.fields:
        first = order.fields[0]
        return f"{first.name} is random" if first.annotation is UUID else None
    if plan.index is None:
        return None  # a whole primary key matches one item
    return f"{place} does not sort the items of one {' and '.join(plan.index.partition)}"
