"""Explanations: what a run would ask and cost, without asking."""

import json
from dataclasses import dataclass
from typing import Any

from tablewright.access.reads import Read
from tablewright.design.patterns import Pattern
from tablewright.values.attributes import base64_text
from tablewright.values.capacity import read_units

ASSUMED_SIZE = 1024
"""Bytes of an item whose entity does not say what is expected."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A pattern's request, where it goes, and what it is reckoned to cost; print it."""

    pattern: str
    description: str
    operation: str
    table: str
    index: str | None
    request: dict[str, Any]
    items: int
    item_size: int
    capacity: float
    """Estimated read units of one run."""

    def __str__(self) -> str:
        where = f"index {self.index} of {self.table}" if self.index else f"table {self.table}"
        request = json.dumps(self.request, indent=2, ensure_ascii=False, default=base64_text)
        return "\n".join(
            [
                f"{self.pattern}: {self.description}" if self.description else self.pattern,
                f"{self.operation} on {where}",
                request,
                f"about {self.capacity:g} read units: {self.items} x {self.item_size} bytes",
            ]
        )


def explain(read: Read, pattern: Pattern[Any], limit: int | None = None) -> Explanation:
    """What a run of this pattern would do."""
    plan = read.plan
    request = read.request(pattern)
    if limit is not None and plan.kind in ("query", "scan"):
        request["Limit"] = limit
    items = _items(read, pattern, limit)
    size = max((layout.expect.size or ASSUMED_SIZE) for layout in plan.layouts)
    return Explanation(
        plan.name,
        plan.description,
        read.draft.operation,
        read.draft.table_name,
        plan.index.name if plan.index else None,
        request,
        items,
        size,
        _capacity(read, items, size),
    )


def _items(read: Read, pattern: Pattern[Any], limit: int | None) -> int:
    """How many items a run reads: one, as many as there are keys, the limit, or what the pattern expects."""
    match read.plan.kind:
        case "get" | "find":
            return 1
        case "batch":
            return read.key_count(pattern)
        case _:
            return limit or pattern.page_size or pattern.items or 1


def _capacity(read: Read, items: int, size: int) -> float:
    """A query rounds the whole page up to 4 KB, other reads each item."""
    consistent = read.plan.pattern.consistent
    if read.plan.kind in ("get", "batch"):
        return items * read_units(size, consistent=consistent)
    return read_units(items * size, consistent=consistent)
