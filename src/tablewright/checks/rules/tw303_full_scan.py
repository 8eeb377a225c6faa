"""A pattern reads a whole table.

A scan reads, and pays for, every item; its duration grows with the table. Use it for exports and small catalogues, but
not for requests that a user waits for. Give the pattern a key: an index whose partition key it knows. If the table
stays small, declare it: `expect=Expect(items=200)` makes this a note.

A key condition that fits neither the table nor an index has the same effect. It raises `DesignError` when the class is
defined; for tables declared with `literal=True` it is reported here.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, Severity, recorded_problems
from tablewright.design.designs import Design
from tablewright.design.plans.plans import Plan

CODE = "TW303"
TITLE = "Pattern that needs a scan"

_SMALL = 1000
"""The number of items that fit in a few pages."""


def check(design: Design) -> Iterator[Finding]:
    """Scans, and key conditions without an index."""
    yield from recorded_problems(design, CODE)
    for plan in design.plans:
        if plan.kind == "scan":
            yield _finding(plan, _items(design, plan))


def _items(design: Design, plan: Plan) -> int | None:
    expected = [entity.layout.expect.items for entity in design.entities_of(plan.table)]
    return None if None in expected or not expected else sum(items for items in expected if items is not None)


def _finding(plan: Plan, items: int | None) -> Finding:
    severity: Severity = "info" if items is not None and items <= _SMALL else "warning"
    read = "every item" if items is None else f"all {items:,} items"
    return Finding(
        CODE,
        severity,
        plan.name,
        f"{plan.name} reads {read} of {plan.index.name if plan.index else plan.table.name} at every run",
        "read an index whose partition key the pattern knows",
        plan.pattern,
    )
