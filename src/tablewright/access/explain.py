"""Explain a read or a write: its request, table or index, and estimated cost, without executing it."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.reads.compiled_reads import CompiledReads
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.access.writes import single
from tablewright.access.writes.plans.write_plan import target_of_write
from tablewright.access.writes.values import Write
from tablewright.design.layouts.layouts import Layout
from tablewright.design.patterns.patterns import Pattern
from tablewright.values.attributes import admit_item, base64_text
from tablewright.values.capacity import read_units, write_units

ASSUMED_SIZE = 1024
"""Bytes of an item whose entity declares no expected size."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A request, its table or index, and its estimated cost. Print it."""

    name: str
    """The pattern, or the kind of write."""
    description: str
    operation: str
    table: str
    index: str | None
    request: dict[str, Any]
    items: int
    item_size: int
    capacity: float
    """Estimated capacity units of one run."""
    unit: Literal["read", "write"] = "read"

    def __str__(self) -> str:
        where = f"index {self.index} of {self.table}" if self.index else f"table {self.table}"
        request = json.dumps(self.request, indent=2, ensure_ascii=False, default=base64_text)
        return "\n".join(
            [
                f"{self.name}: {self.description}" if self.description else self.name,
                f"{self.operation} on {where}",
                request,
                f"about {self.capacity:g} {self.unit} units: {self.items} x {self.item_size} bytes",
            ]
        )


def explained(
    reads: CompiledReads, context: Context, subject: Pattern[Any] | Write, limit: int | None
) -> Procedure[Explanation]:
    """Explain a pattern or a write."""
    if isinstance(subject, Pattern) or (isinstance(subject, type) and issubclass(subject, Pattern)):
        read = (reads.rows_of if subject.fields else reads.of)(subject)
        return explain_read(read, subject, limit)
    return explain_write(context, subject)


def explain_read(
    read: PatternRead, pattern: Pattern[Any], limit: int | None = None
) -> Procedure[Explanation]:
    """Explain a read."""
    yield from ()
    plan = read.plan
    request = read.request(pattern)
    if limit is not None and plan.kind in ("query", "scan"):
        request["Limit"] = limit
    items = read.expected_items(pattern, limit)
    size = max((layout.expect.size or ASSUMED_SIZE) for layout in plan.layouts)
    return Explanation(
        plan.name,
        plan.description,
        read.compiled.operation,
        read.compiled.table_name,
        plan.index.name if plan.index else None,
        request,
        items,
        size,
        _capacity(read, items, size),
    )


def explain_write(context: Context, write: Write) -> Procedure[Explanation]:
    """Explain a write; planning it may read items. The cost of writing to indexes is not included."""
    call = yield from single.request(context, write)
    layout = target_of_write(write).layout
    transactional = call.operation == "TransactWriteItems"
    actions = call.request["TransactItems"] if transactional else [{call.operation: call.request}]
    sizes = [_written_size(layout, request) for action in actions for request in action.values()]
    return Explanation(
        type(write).__name__,
        f"of {layout.entity.__name__}",
        call.operation,
        context.table_name(layout.table),
        None,
        call.request,
        len(sizes),
        max(sizes),
        sum(write_units(size, transactional=transactional) for size in sizes),
        "write",
    )


def _written_size(layout: Layout, request: dict[str, Any]) -> int:
    if "Item" in request:
        return admit_item(request["Item"])[1]
    return layout.expect.size or ASSUMED_SIZE


def _capacity(read: PatternRead, items: int, size: int) -> float:
    """Read units: a query rounds the whole page up to 4 KB, other reads round each item."""
    consistent = read.plan.pattern.consistent
    if read.plan.kind in ("get", "batch"):
        return items * read_units(size, consistent=consistent)
    return read_units(items * size, consistent=consistent)
