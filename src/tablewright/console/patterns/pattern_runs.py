"""Pattern runs: run an access pattern, return its items as the page shows them, and the requests it made."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tablewright.access.create_tables import missing_tables_error
from tablewright.access.items.decoding import Chooser
from tablewright.access.procedures import run_sync
from tablewright.access.reads.compiled_reads import KINDS
from tablewright.access.reads.get_read import LockRead
from tablewright.access.reads.pages import Page, page_of
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.connections import Connection
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import HIDDEN, show_item
from tablewright.design.patterns import Pattern
from tablewright.design.plans.plans import Plan
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import DesignError, ResourceNotFound, Throttling, UsageError

MEASURED = frozenset({"GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", "SearchVectors"})
"""The operations that are asked for their consumed capacity."""
PATIENCE = 3.0
"""Seconds that a request of the page waits in total before repeated attempts; then it reports the throttling."""


@dataclass(frozen=True)
class RecordedCall:
    """A request, and what its reply says about it."""

    operation: str
    request: dict[str, Any]
    examined: int | None
    """The items that DynamoDB read; None if it does not say."""
    returned: int
    capacity: dict[str, Any] | list[dict[str, Any]] | None
    seconds: float

    @property
    def units(self) -> float:
        """The consumed capacity units."""
        reported = self.capacity or []
        entries = [reported] if isinstance(reported, dict) else reported
        return float(sum(entry.get("CapacityUnits", 0) for entry in entries))

    @property
    def searched_bytes(self) -> float:
        """The bytes of a vector search, which consumes no capacity units."""
        reported = self.capacity if isinstance(self.capacity, dict) else {}
        return float(reported.get("VectorSearchRequestBytes", 0))


@dataclass
class RecordingConnection:
    """Passes requests on, and records them; a write is not passed on."""

    connection: Connection
    clock: Callable[[], float] = time.perf_counter
    calls: list[RecordedCall] = field(default_factory=list)
    waited: float = 0.0

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request."""
        if operation not in MEASURED:
            # The key that hashes values is created when a value is looked up and no value was stored before.
            raise UsageError("no secret value is stored yet, so this finds nothing")
        started = self.clock()
        reply = self.connection.call(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
        seconds = self.clock() - started
        examined, returned = _counts(operation, reply)
        capacity = reply.get("ConsumedCapacity")
        self.calls.append(RecordedCall(operation, request, examined, returned, capacity, seconds))
        return reply

    def pause(self, seconds: float) -> None:
        """Wait before a repeated attempt, up to `PATIENCE` in total."""
        self.waited += seconds
        if self.waited > PATIENCE:
            raise Throttling("DynamoDB throttles this read; wait a few seconds and run it again")
        time.sleep(seconds)


def _counts(operation: str, reply: dict[str, Any]) -> tuple[int | None, int]:
    """Return the items examined and returned."""
    if operation in ("Query", "Scan"):
        return reply.get("ScannedCount"), reply.get("Count", 0)
    if operation == "GetItem":
        return 1, int("Item" in reply)
    if operation == "SearchVectors":
        return None, len(reply.get("SearchResults", ()))
    responses = reply.get("Responses", {})
    if isinstance(responses, dict):
        count = sum(map(len, responses.values()))
    else:
        count = sum("Item" in response for response in responses)
    return None, count


_VALUES = ("Key", "Keys", "ExclusiveStartKey", "ExpressionAttributeValues", "SearchVector")
"""The members of requests that contain values."""


@dataclass(frozen=True)
class PatternRun:
    """The result of a run: its items, the cursor of the next page, and the recorded requests."""

    items: tuple[Item, ...]
    cursor: str | None
    calls: list[RecordedCall]
    scores: tuple[float, ...] = ()
    """Of a `Nearest`: the score of each item."""


def run_pattern(
    opened: OpenDesign,
    pattern: Pattern[Any],
    limit: int | None = None,
    cursor: str | None = None,
    *,
    include_expired: bool = False,
) -> PatternRun:
    """Run a pattern; items are returned as they are stored, and nothing is decrypted."""
    plan = pattern.__plan__
    recording = RecordingConnection(opened.db.connection)
    made: list[Item] = []
    read = _read(opened, plan, made)
    pages = plan.kind in ("query", "scan")
    work = read.run(pattern, limit if pages else None, cursor, include_expired)
    try:
        result = page_of(run_sync(work, recording.call, recording.pause))
    except ResourceNotFound as error:
        context, connection = opened.db.context, opened.db.connection
        missing = missing_tables_error(context, opened.design.tables, connection, error)
        raise run_sync(missing, connection.call) from error
    page: Page[Any] = result
    if plan.kind == "nearest":
        items, scores = tuple(match.entity for match in page), tuple(match.score for match in page)
        return PatternRun(items, None, recording.calls, scores)
    items = tuple(made[-1:]) if plan.lock and page.items else tuple(page.items)
    return PatternRun(items, page.cursor, recording.calls)


def _read(opened: OpenDesign, plan: Plan, made: list[Item]) -> PatternRead:
    """Return the read of a pattern that returns items; a read through a lock needs the entity, to compare its value."""
    if plan.problems:
        raise DesignError(f"{plan.name} cannot run: {plan.problems[0]}")
    context = opened.db.context
    if plan.lock is None:
        return KINDS[plan.kind](plan, context, lambda item: item, projected=bool(plan.pattern.fields))
    chooser = Chooser([context.decoder(layout) for layout in plan.layouts])

    def make(item: Item) -> Any:
        made.append(item)
        return chooser.make(item)

    return LockRead(plan, context, make)


def show_run(opened: OpenDesign, pattern: Pattern[Any], run: PatternRun) -> dict[str, Any]:
    """Describe a run for the page.

    An item that is not what the pattern returns has `expected: false`; `db.run` lists it as unknown.
    """
    plan = pattern.__plan__
    names = {layout.entity.__name__ for layout in plan.layouts}
    rows = [show_item(opened, plan.table, item, plan.index) for item in run.items]
    for row in rows:
        if plan.pattern.fields:  # such items lack fields on purpose
            row["problem"] = None
        row["expected"] = row["entity"] in names and row["role"] in ("entity", "copy") and not row["problem"]
    for row, score in zip(rows, run.scores, strict=False):
        row["score"] = score
    hides = hides_values(plan)
    return {
        "rows": rows,
        "cursor": run.cursor,
        "requests": [_show_call(call, hides, _is_of_keys(opened, call)) for call in run.calls],
        "examined": sum(call.returned if call.examined is None else call.examined for call in run.calls),
        "returned": sum(call.returned for call in run.calls),
        "units": sum(call.units for call in run.calls),
        "searched_bytes": sum(call.searched_bytes for call in run.calls),
        "seconds": sum(call.seconds for call in run.calls),
    }


def hides_values(plan: Plan) -> bool:
    """Whether the requests of a plan contain secret values: parameters, or keys that are made of secret fields."""
    for layout in plan.layouts:
        keys = (layout.primary, *layout.indexes, *(key for copy in layout.copies for key in copy.keys))
        names = {*plan.pattern.model_fields, *(name for key in keys for name in key.names)}
        if layout.secrets & names:
            return True
    return False


def _is_of_keys(opened: OpenDesign, call: RecordedCall) -> bool:
    """Whether a request reads encryption keys."""
    table = opened.design.key_table
    name = opened.db.context.table_name(table) if table else None
    return name is not None and name in call.request.get("RequestItems", {})


def _show_call(call: RecordedCall, hides: bool, of_keys: bool) -> dict[str, Any]:
    tables = call.request.get("RequestItems") or {call.request.get("TableName"): None}
    return {
        "operation": call.operation,
        "tables": list(tables),
        "index": call.request.get("IndexName"),
        "request": None if of_keys else without_values(call.request) if hides else call.request,
        "why": "reads the encryption keys of secret fields" if of_keys else None,
        "examined": call.examined,
        "returned": call.returned,
        "units": call.units,
        "searched_bytes": call.searched_bytes,
        "capacity": call.capacity,
        "seconds": call.seconds,
    }


def without_values(request: Any) -> Any:
    """Return a request with every value in it hidden.

    >>> without_values({"TableName": "t", "Key": {"PK": {"S": "secret"}}})
    {'TableName': 't', 'Key': {'PK': {'HIDDEN': True}}}
    """
    if isinstance(request, list):
        return [without_values(element) for element in request]
    if not isinstance(request, dict):
        return request
    return {
        name: _hidden(member) if name in _VALUES else without_values(member)
        for name, member in request.items()
    }


def _hidden(values: Any) -> Any:
    if isinstance(values, list):
        return [_hidden(value) for value in values]
    return dict.fromkeys(values, HIDDEN)
