"""An entity has more copies than fit in one transaction.

The entity, its copies and the locks of its unique fields are written in one transaction, and DynamoDB allows 100 items
in a transaction. With a `Copy(each=...)` of a long list the write fails. Limit the list with `Field(max_length=...)`,
or write the copies in a stream handler.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, Severity
from tablewright.design.designs import Design
from tablewright.design.fields.annotations import max_length, nested_fields
from tablewright.design.fields.markers import Unique
from tablewright.design.layouts.layouts import Layout
from tablewright.dynamodb.limits import MAX_TRANSACTION

CODE = "TW403"
TITLE = "Transaction with more than 100 items"


def check(design: Design) -> Iterator[Finding]:
    """Entities whose writes may have too many items."""
    for entity in design.entities:
        layout = entity.layout
        limits = _limits(layout)
        fixed = 1 + len(layout.marked(Unique)) + sum(copy.copy.each is None for copy in layout.copies)
        known = sum(limit for limit in limits.values() if limit is not None)
        unlimited = [name for name, limit in limits.items() if limit is None]
        if unlimited:
            available = MAX_TRANSACTION - fixed - known
            yield _finding(
                layout, unlimited[0], "warning", f"has no limit, and at most {available} elements fit"
            )
        elif fixed + known > MAX_TRANSACTION:
            most = max(limits, key=lambda name: limits[name] or 0)
            yield _finding(layout, most, "error", f"makes a write of up to {fixed + known} items")


def _limits(layout: Layout) -> dict[str, int | None]:
    """The lists that are copied for each element, with their limits."""
    known = {path: max_length(metadata) for path, _, metadata in nested_fields(layout.entity)}
    return {copy.copy.each: known.get(copy.copy.each) for copy in layout.copies if copy.copy.each is not None}


def _finding(layout: Layout, name: str, severity: Severity, why: str) -> Finding:
    entity = layout.entity.__name__
    return Finding(
        CODE,
        severity,
        f"{entity}.{name}",
        f"{entity} has a copy for each element of {name}, which {why}: a transaction allows {MAX_TRANSACTION} items",
        "limit the list with Field(max_length=...), or write the copies in a stream handler",
        layout.entity,
    )
