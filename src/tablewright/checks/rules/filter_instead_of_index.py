"""A filter does the work of an index.

A filter is applied after reading: what it throws away has been read and paid for, and a page may come back empty with
more to follow. Where a pattern always asks for one value of a field, put that field into a key: the sort key's
beginning, or an index.

Small partitions are fine: `expect=Expect(per_partition=50)` makes it a note.
"""

import re
from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.plans.plans import Plan

CODE = "TW304"
TITLE = "Filter that does an index's work"

_EQUALITY = re.compile(r"([A-Za-z_]\w*)\s*=\s*:(\w+)|:(\w+)\s*=\s*([A-Za-z_]\w*)")
_SMALL = 100


def check(design: Design) -> Iterator[Finding]:
    """Queries whose filter asks for one value of a field."""
    for plan in design.plans:
        names = [match[1] or match[4] for match in _EQUALITY.finditer(plan.pattern.filter or "")]
        if plan.kind in ("query", "find") and names:
            yield Finding(
                CODE,
                "info" if _is_small(plan) else "warning",
                plan.name,
                f"{plan.name} reads all of a partition to find those with one {' and '.join(names)}",
                f"put {' and '.join(names)} into the key it reads by",
                plan.pattern,
            )


def _is_small(plan: Plan) -> bool:
    sizes = [layout.expect.per_partition for layout in plan.layouts]
    return all(size is not None and size <= _SMALL for size in sizes)
