"""A pattern reads an index for items that the table returns by the same key.

The index has the partition key of the table, and the pattern uses no more of its sort key than the beginning of the
table's own sort key. The table returns the same items, consistently if required, without the cost of an index. The
index adds only its sort order; remove it if no pattern needs that.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.sort_orders import Order, orders, sort_templates
from tablewright.design.designs import Design
from tablewright.design.layouts.field_values import is_time_field
from tablewright.design.layouts.layouts import Layout
from tablewright.design.plans.plans import Plan

CODE = "TW310"
TITLE = "Index read instead of the table"


def check(design: Design) -> Iterator[Finding]:
    """Queries of a global index that could read the table, unless the index sorts by time."""
    for plan in design.plans:
        if plan.kind == "query" and plan.index is not None and not (plan.index.local or plan.problems):
            found = orders(plan)
            if found and all(_table_has_same(plan, order) for order in found):
                yield Finding(
                    CODE,
                    "info",
                    plan.name,
                    f"{plan.name} reads {plan.index.name}, but {plan.table.name} has the same items under the same "
                    f"partition key",
                    "read the table, which allows consistent reads; keep the index only for its sort order",
                    plan.pattern,
                )


def _table_has_same(plan: Plan, order: Order) -> bool:
    key = order.layout.key_for(plan.index)
    if key is None or plan.index is None or len(plan.index.partition) > 1 or key.sparse is not None:
        return False
    if _ranges(plan) or any(is_time_field(field) for field in order.fields):
        return False
    same_partition = key.parts[0][1] == order.layout.primary.parts[0][1]
    return same_partition and order.fixed == _sorted_by(order.layout)[: len(order.fixed)]


def _ranges(plan: Plan) -> bool:
    return any(clause.operator not in ("=", "begins_with") for clause in plan.clauses)


def _sorted_by(layout: Layout) -> tuple[str, ...]:
    return tuple(name for _, template in sort_templates(layout.primary) for name in template.names)
