"""Explain a read or a write: its request, table or index, and estimated cost, without executing it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from tablewright.access.context import Context
from tablewright.access.procedures import Procedure
from tablewright.access.reads.combined import Chained, CombinedRead, Merged
from tablewright.access.reads.compiled_reads import CompiledReads, Readable, batch_requests, keyed_gets
from tablewright.access.reads.item_reads import items_at
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.access.writes import entity_writes
from tablewright.access.writes.values import Write
from tablewright.access.writes.write_capacity import item_change, requested_key, units_by_place
from tablewright.access.writes.write_plan import target_of_write
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.indexes import VectorIndex
from tablewright.design.patterns import Get, Pattern
from tablewright.dynamodb.values.attributes import base64_text
from tablewright.dynamodb.values.capacity import read_units
from tablewright.dynamodb.values.vectors import search_bytes
from tablewright.errors import UsageError

ASSUMED_SIZE = 1024
"""Bytes of an item whose entity declares no expected size."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A request, its table or index, and its estimated cost. Print it."""

    name: str
    """The pattern, or the kind of write and its entity: `Update of User`."""
    description: str
    operation: str
    table: str
    index: str | None
    request: dict[str, Any]
    items: int
    item_size: int
    capacity: float
    """Estimated capacity units of one run."""
    unit: Literal["read", "write", "search"] = "read"
    """The capacity of a search is in bytes, as AWS meters it."""
    units: Mapping[str, float] = field(default_factory=dict)
    """The units of a write, by table and index."""

    def __str__(self) -> str:
        where = f"index {self.index} of {self.table}" if self.index else f"table {self.table}"
        request = json.dumps(_shortened(self.request), indent=2, ensure_ascii=False, default=base64_text)
        return "\n".join(
            [
                f"{self.name}: {self.description}" if self.description else self.name,
                f"{self.operation} on {where}",
                request,
                f"about {self._cost}: {self._amount}",
                *(f"  {place} {units:g}" for place, units in self.units.items() if len(self.units) > 1),
            ]
        )

    @property
    def _cost(self) -> str:
        if self.unit == "search":
            return f"{self.capacity:,.0f} bytes of vector search"
        return f"{self.capacity:g} {self.unit} units"

    @property
    def _amount(self) -> str:
        if self.unit != "write":
            return f"{self.items} x {self.item_size} bytes"
        return f"{self.items} item{'s' if self.items > 1 else ''}, up to {self.item_size} bytes"


def explained(
    reads: CompiledReads, context: Context, subject: Readable | Sequence[Get[Any]] | Write, limit: int | None
) -> Procedure[Explanation]:
    """Explain a pattern, combined patterns, several `Get`, or a write."""
    if isinstance(subject, Sequence):
        return explain_gets(reads, subject)
    if isinstance(subject, Merged | Chained):
        return explain_combined(reads, subject, limit)
    if isinstance(subject, Pattern) or (isinstance(subject, type) and issubclass(subject, Pattern)):
        read = (reads.rows_of if subject.fields else reads.of)(subject)
        assert isinstance(read, PatternRead)  # the read of one pattern
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
    if limit is not None and plan.kind == "nearest":
        request["TopK"] = limit
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
        "search" if plan.kind == "nearest" else "read",
    )


def explain_combined(
    reads: CompiledReads, combined: Merged[Any] | Chained[Any], limit: int | None
) -> Procedure[Explanation]:
    """Explain a first page of combined queries: of merged ones a share of each, of chained ones the first."""
    read = reads.of(combined)
    assert isinstance(read, CombinedRead)
    yield from read.source(combined, include_expired=False)  # checks the order
    queries = read.queries(combined)
    if not queries:
        raise UsageError(f"{type(combined).__name__} has no queries to explain")
    count = len(queries) if isinstance(combined, Merged) else 1
    share = None if limit is None else min(limit, -(-limit // count) + (count > 1))
    explanation = yield from explain_read(*queries[0], share)
    return replace(
        explanation,
        name=f"{type(combined).__name__} of {len(queries)} {explanation.name}",
        description="the first query",
        items=explanation.items * count,
        capacity=explanation.capacity * count,
    )


def explain_gets(reads: CompiledReads, patterns: Sequence[Get[Any]]) -> Procedure[Explanation]:
    """Explain the first request of `get_all`, and the cost of all its requests."""
    yield from ()
    gets = list({get.identity: get for get in keyed_gets(reads, patterns, masked=True)}.values())
    if not gets:
        raise UsageError("get_all has no patterns to explain")
    sizes = [max((layout.expect.size or ASSUMED_SIZE) for layout in get.read.plan.layouts) for get in gets]
    request = next(batch_requests(gets))
    return Explanation(
        "get_all",
        f"{len(gets)} different keys",
        "BatchGetItem",
        ", ".join(request["RequestItems"]),
        None,
        request,
        len(gets),
        max(sizes),
        sum(_capacity(get.read, 1, size) for get, size in zip(gets, sizes, strict=True)),
    )


def explain_write(context: Context, write: Write) -> Procedure[Explanation]:
    """Explain a write; the items that it would write are read first, as their sizes and index keys decide the cost."""
    call = yield from entity_writes.request(context, write)
    layout = target_of_write(write).layout
    table, name = layout.table, context.table_name(layout.table)
    transactional = call.operation == "TransactWriteItems"
    members = (
        [member for action in call.request["TransactItems"] for member in action.items()]
        if transactional
        else [(call.operation.removesuffix("Item"), call.request)]
    )
    keys = [requested_key(table, request) for _, request in members]
    stored = yield from items_at(context, table, keys)
    changes = [item_change(table, kind, request, stored) for kind, request in members]
    units = units_by_place(table, changes, transactional=transactional)
    return Explanation(
        f"{type(write).__name__} of {layout.entity.__name__}",
        "",
        call.operation,
        name,
        None,
        call.request,
        len(changes),
        max(change.size for change in changes),
        sum(units.values()),
        "write",
        {name if place == table.name else place: used for place, used in units.items()},
    )


def _capacity(read: PatternRead, items: int, size: int) -> float:
    """Read units: a query rounds the whole page up to 4 KB, other reads round each item; bytes of a search."""
    if isinstance(read.plan.index, VectorIndex):
        return search_bytes(read.plan.index.dimensions, items * size)
    consistent = read.plan.pattern.consistent
    if read.plan.kind in ("get", "batch"):
        return items * read_units(size, consistent=consistent)
    return read_units(items * size, consistent=consistent)


SHOWN_NUMBERS = 3
"""The numbers of a vector that are printed."""


def _shortened(request: dict[str, Any]) -> dict[str, Any]:
    """The request with the first numbers of its vector."""
    vector = request.get("SearchVector", ())
    if len(vector) <= SHOWN_NUMBERS:
        return request
    return {**request, "SearchVector": [*vector[:SHOWN_NUMBERS], f"and {len(vector) - SHOWN_NUMBERS} more"]}
