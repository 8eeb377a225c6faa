"""A list comes in no order that means anything.

An index without a sort key, or with one that the pattern fixes, returns its items in any order; a sort key of random
ids sorts them by chance. That is right for what is shown as a set or sorted later. For a list that people page through,
sort by what they expect: a moment, a name, or an id that sorts by its time.

    Index("ownerId-index", "ownerId", "createdAt")
    board_id: str = fields.new_id()                    # a ULID: ids made later sort later
"""

from collections.abc import Iterator
from uuid import UUID

from tablewright.checks.findings import Finding
from tablewright.checks.sort_orders import Order, orders
from tablewright.design.designs import Design
from tablewright.design.plans.plans import Plan

CODE = "TW311"
TITLE = "List in no order"


def check(design: Design) -> Iterator[Finding]:
    """Queries of several items whose sort key leaves nothing to sort by, or ids of chance."""
    for plan in design.plans:
        if plan.kind == "query" and not plan.problems:
            reason = next(filter(None, (_reason(plan, order) for order in orders(plan))), None)
            if reason is not None:
                yield Finding(
                    CODE,
                    "info",
                    plan.name,
                    f"{plan.name} returns its items in no order: {reason}",
                    "sort the index by what the list is expected to be sorted by",
                    plan.pattern,
                )


def _reason(plan: Plan, order: Order) -> str | None:
    place = plan.index.name if plan.index else plan.table.name
    if order.fields:
        first = order.fields[0]
        return f"{first.name} is random" if first.annotation is UUID else None
    if plan.index is None:
        return None  # the whole primary key is one item
    return f"in {place} nothing sorts those of one {' and '.join(plan.index.partition)}"
