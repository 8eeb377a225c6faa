"""ExecuteStatement: run one PartiQL statement, a read of any size or a write of one item.

NextToken: the position where a SELECT stopped, for its next page only.

A token is opaque to clients. It holds a digest of the statement and its parameters, and the position in the
statement's reads: the number of the span, and the key of the last row.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import Any, NamedTuple

from tablewright.dynamodb.expressions.partiql import (
    DeleteStatement,
    Exists,
    Insert,
    Select,
    Statement,
    UpdateStatement,
)
from tablewright.dynamodb.values.attributes import Item, admit_item
from tablewright.dynamodb.values.capacity import read_units
from tablewright.dynamodb.values.stored_items import StoredItem, decode, encode, fingerprint
from tablewright.engine.core.consumed_capacity import CapacityMeter, meter_for
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.operations.scan import page_units
from tablewright.engine.core.partiql.select_reads import ReadPlan, plan_of, source_of_select
from tablewright.engine.core.partiql.statement_writes import (
    PARAMETERS,
    STATEMENT,
    execute_write,
    is_read,
    require_one_item,
    returning_item,
    statement_of,
    write_of,
)
from tablewright.engine.core.reads.key_ranges import Span
from tablewright.engine.core.reads.page_reader import PAGE_SIZE, RowPage, charge, read_page
from tablewright.engine.core.requests.shapes import CAPACITY, ON_FAILURE, Boolean, Number, Shape, Text
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.errors import ValidationError

NAME = "ExecuteStatement"
MODE = "by request"
SHAPE = Shape(
    Statement=STATEMENT,
    Parameters=PARAMETERS,
    ConsistentRead=Boolean(),
    NextToken=Text(shortest=1, longest=32768),
    ReturnConsumedCapacity=CAPACITY,
    Limit=Number(least=1),
    ReturnValuesOnConditionCheckFailure=ON_FAILURE,
)


class Stop(NamedTuple):
    """The position where a read stopped: the number of the span, and the key of the last row."""

    span: int
    key: Item


class ExecuteStatement(NamedTuple):
    """Parsed ExecuteStatement request."""

    statement: Statement
    raw: dict[str, Any]
    start: Stop | None
    limit: int | None
    consistent: bool
    returns_item: bool
    capacity: str | None

    @property
    def mode(self) -> str:
        """A SELECT reads from a snapshot, all other statements write."""
        return "snapshot" if is_read(self.statement) else "write"


def parse(request: dict[str, Any]) -> ExecuteStatement:
    """Parse the request."""
    statement = statement_of(request)
    if isinstance(statement, Exists):
        raise ValidationError("EXISTS can only be used in ExecuteTransaction write requests.")
    return ExecuteStatement(
        statement=statement,
        raw=request,
        start=stop_of(request),
        limit=request.get("Limit"),
        consistent=request.get("ConsistentRead") or False,
        returns_item=request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD",
        capacity=request.get("ReturnConsumedCapacity"),
    )


def run(tx: Writing, request: ExecuteStatement) -> Reply:
    """Read a page, or write an item."""
    match request.statement:
        case Select() as statement:
            return _select(tx, request, statement)
        case Insert() | UpdateStatement() | DeleteStatement() as statement:
            return _write(tx, request, statement)
        case _:
            raise AssertionError(f"not parsed: {request.statement}")


def _write(
    tx: Writing, request: ExecuteStatement, statement: Insert | UpdateStatement | DeleteStatement
) -> Reply:
    table = tx.table(statement.table)
    require_one_item(statement, table)
    write = write_of(statement, table, returns_item=request.returns_item)
    meter = meter_for(table, request.capacity)
    item = returning_item(statement, execute_write(tx, table, write, meter))
    reply: Reply = {"Items": [item] if item else []}
    if meter is not None:
        reply["ConsumedCapacity"] = meter.show(request.capacity)
    return reply


def _select(tx: Reading, request: ExecuteStatement, statement: Select) -> Reply:
    source = source_of_select(tx, statement, consistent=request.consistent)
    plan = plan_of(source, statement)
    meter = meter_for(source.table, request.capacity)
    items, stop = _read(tx, request, plan, meter)
    reply: Reply = {"Items": items}
    if stop is not None:
        reply["NextToken"] = token_for(request.raw, stop)
        reply["LastEvaluatedKey"] = stop.key
    if meter is not None:
        reply["ConsumedCapacity"] = meter.show(request.capacity)
    return reply


def _read(
    tx: Reading, request: ExecuteStatement, plan: ReadPlan, meter: CapacityMeter | None
) -> tuple[list[StoredItem | Item], Stop | None]:
    """The items of one page, and the position where it stopped if there may be more."""
    items: list[StoredItem | Item] = []
    size, left = 0, request.limit
    first = 0 if request.start is None else request.start.span
    for number, span in enumerate(plan.spans[first:], first):
        if request.start is not None and number == first:
            span = span.beyond(_resumed(request.start, plan), backward=plan.backward)
            if span.is_empty:
                continue
        page = read_page(tx, plan.source, span, plan.selection, limit=left, backward=plan.backward)
        if meter is not None:
            units = _units(plan, span, page, consistent=request.consistent)
            charge(meter, plan.source, page, units, consistent=request.consistent)
        items += page.items
        size += page.size
        left = None if left is None else left - len(page.rows)
        if page.last is not None:
            return items, Stop(number, page.last)
        if page.rows and (left == 0 or size >= PAGE_SIZE) and number + 1 < len(plan.spans):
            last = page.rows[-1][1].attributes
            return items, Stop(number, {name: last[name] for name in plan.source.key_names})
    return items, None


def _resumed(start: Stop, plan: ReadPlan) -> bytes:
    try:
        return plan.source.key_of(start.key)
    except (KeyError, TypeError, ValueError):
        raise ValidationError("Invalid NextToken") from None


def _units(plan: ReadPlan, span: Span, page: RowPage, *, consistent: bool) -> float:
    if plan.keyed:
        return read_units(page.size, consistent=consistent)
    return page_units(plan.source, span, page, consistent=consistent)


def token_for(request: Mapping[str, Any], stop: Stop) -> str:
    """The token with which the next request continues where this one stopped."""
    return urlsafe_b64encode(encode([_binding(request), stop.span, stop.key])).decode()


def stop_of(request: Mapping[str, Any]) -> Stop | None:
    """The position in the token of a request, or None without a token."""
    token = request.get("NextToken")
    if token is None:
        return None
    try:
        binding, span, key = decode(urlsafe_b64decode(token))
        stop = Stop(int(span), admit_item(key)[0])
    except (NotBase64, ValueError, TypeError, AttributeError, ValidationError):
        raise ValidationError("Invalid NextToken") from None
    if binding != _binding(request):
        raise ValidationError("NextToken does not match request")
    return stop


def _binding(request: Mapping[str, Any]) -> str:
    """A digest that ties a token to its statement; Limit and ConsistentRead may change between pages."""
    return fingerprint([request["Statement"], request.get("Parameters")])
