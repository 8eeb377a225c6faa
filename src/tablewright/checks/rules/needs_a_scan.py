"""A pattern reads a whole table, or would have to.

A scan reads, and pays for, every item that there is; its time grows with the table. It is right for exports and small
catalogues, and wrong for anything a user waits for. Give the pattern a key: an index whose partition key it knows. For
a table that stays small, say so: `expect=Expect(items=200)` makes it a note.

A key line that is the key of no index comes to the same; it is refused when the class is defined, or reported here for
tables declared with `literal=True`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, Severity, problems
from tablewright.design.designs import Design
from tablewright.design.plans.plans import Plan

CODE = "TW303"
TITLE = "Pattern that needs a scan"

_SMALL = 1000
"""Items that one page or a few hold."""


def check(design: Design) -> Iterator[Finding]:
    """Scans, and key lines without an index."""
    yield from problems(design, CODE)
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
        f"{plan.name} reads {read} of {plan.index.name if plan.index else plan.table.name} each time",
        "give it a key: an index whose partition key it knows",
        plan.pattern,
    )
