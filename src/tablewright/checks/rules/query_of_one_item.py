"""A query fixes the whole primary key, so that it finds one item at most.

A Get says so: its result is the item or None, not a page; it can be batched, and read consistently at the same price.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.plans.plans import Plan

CODE = "TW313"
TITLE = "Query of one item"


def check(design: Design) -> Iterator[Finding]:
    """Queries of a table that say what every key attribute equals."""
    for plan in design.plans:
        if plan.kind == "query" and _is_whole_key(plan):
            yield Finding(
                CODE,
                "info",
                plan.name,
                f"{plan.name} fixes {' and '.join(plan.table.key)}, and finds one item at most",
                f"class {plan.name}(Get[{plan.layouts[0].entity.__name__}])",
                plan.pattern,
            )


def _is_whole_key(plan: Plan) -> bool:
    fixed = {clause.attribute for clause in plan.clauses if clause.operator == "="}
    return plan.index is None and set(plan.table.key) <= fixed
