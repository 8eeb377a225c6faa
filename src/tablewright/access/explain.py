"""Explanations: what a run or a write would ask and cost, without doing it."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.reads.compiled_reads import CompiledReads
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.access.writes import single
from tablewright.access.writes.plans.write_plan import address_of_write
from tablewright.access.writes.values import Write
from tablewright.design.layouts.layouts import Layout
from tablewright.design.patterns.patterns import Pattern
from tablewright.values.attributes import admit_item, base64_text
from tablewright.values.capacity import read_units, write_units

ASSUMED_SIZE = 1024
"""Bytes of an item whose entity does not say what is expected."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A request, where it goes, and what it is reckoned to cost; print it."""

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
    """Estimated units of one run."""
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
    reads: CompiledReads, context: Context, asked: Pattern[Any] | Write, limit: int | None
) -> Procedure[Explanation]:
    """What a run or a write would do."""
    if isinstance(asked, Pattern) or (isinstance(asked, type) and issubclass(asked, Pattern)):
        read = (reads.rows_of if asked.fields else reads.of)(asked)
        return explain_read(read, asked, limit)
    return explain_write(context, asked)


def explain_read(
    read: PatternRead, pattern: Pattern[Any], limit: int | None = None
) -> Procedure[Explanation]:
    """What a run of this pattern would do."""
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
    """What a write would do; what it is worked out from is read. Indexes are written besides, at their own cost."""
    call = yield from single.request(context, write)
    layout = address_of_write(write).layout
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
    """A query rounds the whole page up to 4 KB, other reads each item."""
    consistent = read.plan.pattern.consistent
    if read.plan.kind in ("get", "batch"):
        return items * read_units(size, consistent=consistent)
    return read_units(items * size, consistent=consistent)
