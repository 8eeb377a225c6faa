"""An entity's copies are more than one transaction holds.

The entity, its copies and the locks of its unique fields are written in one transaction, and DynamoDB takes 100 items
in one. A `Copy(each=...)` of a long list does not fit: the write is refused. Bound the list with
`Field(max_length=...)`, or let a stream handler write the copies.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, Severity
from tablewright.design.designs import Design
from tablewright.design.fields.annotations import max_length, nested_fields
from tablewright.design.fields.markers import Unique
from tablewright.design.layouts.layouts import Layout

CODE = "TW403"
TITLE = "Transaction of more than 100 items"

MOST_ITEMS = 100


def check(design: Design) -> Iterator[Finding]:
    """Entities whose copies, with the rest of what they write, may be too many."""
    for entity in design.entities:
        layout = entity.layout
        bounds = _bounds(layout)
        fixed = 1 + len(layout.marked(Unique)) + sum(copy.copy.each is None for copy in layout.copies)
        known = sum(bound for bound in bounds.values() if bound is not None)
        unbounded = [name for name, bound in bounds.items() if bound is None]
        if unbounded:
            room = MOST_ITEMS - fixed - known
            yield _finding(layout, unbounded[0], "warning", f"has no bound, and {room} is the most that fits")
        elif fixed + known > MOST_ITEMS:
            most = max(bounds, key=lambda name: bounds[name] or 0)
            yield _finding(layout, most, "error", f"makes a write of up to {fixed + known} items")


def _bounds(layout: Layout) -> dict[str, int | None]:
    """The lists that are copied for each element, with their bounds."""
    known = {path: max_length(metadata) for path, _, metadata in nested_fields(layout.entity)}
    return {copy.copy.each: known.get(copy.copy.each) for copy in layout.copies if copy.copy.each is not None}


def _finding(layout: Layout, name: str, severity: Severity, why: str) -> Finding:
    entity = layout.entity.__name__
    return Finding(
        CODE,
        severity,
        f"{entity}.{name}",
        f"{entity} has a copy for each of {name}, which {why}: a transaction takes {MOST_ITEMS} items",
        "bound the list with Field(max_length=...), or write the copies from the stream",
        layout.entity,
    )
