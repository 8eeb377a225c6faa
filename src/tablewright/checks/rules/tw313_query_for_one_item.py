"""A query gives the whole primary key, so it returns one item at most.

Use `Get`: its result is the item or None instead of a page. It can be batched, and a consistent read has the same
price.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.plans.plans import Plan

CODE = "TW313"
TITLE = "Query for one item"


def check(design: Design) -> Iterator[Finding]:
    """Queries of a table with equality for every key attribute."""
    for plan in design.plans:
        if plan.kind == "query" and _is_whole_key(plan):
            yield Finding(
                CODE,
                "info",
                plan.name,
                f"{plan.name} gives {' and '.join(plan.table.key)}, so it returns one item at most",
                f"class {plan.name}(Get[{plan.layouts[0].entity.__name__}])",
                plan.pattern,
            )


def _is_whole_key(plan: Plan) -> bool:
    fixed = {clause.attribute for clause in plan.clauses if clause.operator == "="}
    return plan.index is None and set(plan.table.key) <= fixed
