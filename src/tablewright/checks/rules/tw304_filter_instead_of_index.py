"""A filter selects items that an index could select.

A filter is applied after reading: the items it removes have been read and paid for, and a page may be empty although
more pages follow. If a pattern always reads one value of a field, put the field into a key: at the beginning of the
sort key, or into an index.

Small partitions are fine: `expect=Expect(per_partition=50)` makes this a note.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.plans.plans import Plan

CODE = "TW304"
TITLE = "Filter instead of an index"

_SMALL = 100


def check(design: Design) -> Iterator[Finding]:
    """Queries whose filter compares a field for equality."""
    for plan in design.plans:
        names = plan.filter.equalities if plan.filter else ()
        if plan.kind in ("query", "find") and names:
            yield Finding(
                CODE,
                "info" if _is_small(plan) else "warning",
                plan.name,
                f"{plan.name} reads {_what_is_read(plan)} and filters by {' and '.join(names)}",
                f"put {' and '.join(names)} into the key that it reads",
                plan.pattern,
            )


def _what_is_read(plan: Plan) -> str:
    return "a whole partition" if len(plan.clauses) == 1 else "all items that match its key condition"


def _is_small(plan: Plan) -> bool:
    sizes = [layout.expect.per_partition for layout in plan.layouts]
    return all(size is not None and size <= _SMALL for size in sizes)
