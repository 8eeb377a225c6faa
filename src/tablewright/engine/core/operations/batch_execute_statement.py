"""BatchExecuteStatement: up to 25 statements about one item each; each succeeds or fails on its own."""

from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import Projection
from tablewright.dynamodb.expressions.partiql import (
    DeleteStatement,
    Exists,
    Insert,
    Select,
    Statement,
    UpdateStatement,
)
from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.capacity import read_units
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.consumed_capacity import CapacityMeters
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.partiql.select_reads import single_key, source_of_select
from tablewright.engine.core.partiql.statement_writes import (
    PARAMETERS,
    STATEMENT,
    execute_write,
    is_read,
    require_key_types,
    require_one_item,
    returning_item,
    statement_of,
    write_of,
)
from tablewright.engine.core.reads.selections import projected
from tablewright.engine.core.requests.shapes import (
    CAPACITY,
    ON_FAILURE,
    Boolean,
    ListOf,
    Shape,
    required,
    structure,
)
from tablewright.engine.core.sessions import ByteBudget, Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.writes.item_writes import Write
from tablewright.errors import ConditionalCheckFailed, ServiceError, ValidationError

NAME = "BatchExecuteStatement"
MODE = "by request"
MAX_STATEMENTS = 25
SHAPE = Shape(
    Statements=required(
        ListOf(
            structure(
                "BatchStatementRequest",
                Statement=STATEMENT,
                Parameters=PARAMETERS,
                ConsistentRead=Boolean(),
                ReturnValuesOnConditionCheckFailure=ON_FAILURE,
            ),
            shortest=1,
            longest=MAX_STATEMENTS,
        )
    ),
    ReturnConsumedCapacity=CAPACITY,
)


class BatchStatement(NamedTuple):
    """One statement of a batch, or the error that it cannot be parsed with."""

    statement: Statement | ServiceError
    consistent: bool
    returns_item: bool


class BatchExecuteStatement(NamedTuple):
    """Parsed BatchExecuteStatement request."""

    entries: list[BatchStatement]
    capacity: str | None

    @property
    def mode(self) -> str:
        """A batch reads or writes, never both."""
        return "write" if any(_writes(entry) for entry in self.entries) else "snapshot"


def parse(request: dict[str, Any]) -> BatchExecuteStatement:
    """Parse the request."""
    entries = [_entry(member) for member in request["Statements"]]
    kinds = {_writes(entry) for entry in entries if not isinstance(entry.statement, ServiceError)}
    if len(kinds) > 1:
        raise ValidationError(
            "BatchExecuteStatement API does not support both read and write operations in the same request."
        )
    return BatchExecuteStatement(entries, request.get("ReturnConsumedCapacity"))


def _entry(member: dict[str, Any]) -> BatchStatement:
    consistent = member.get("ConsistentRead") or False
    returns_item = member.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    try:
        statement = statement_of(member)
        if isinstance(statement, Exists):
            raise ValidationError("EXISTS can only be used in ExecuteTransaction write requests.")
    except ServiceError as error:
        return BatchStatement(error, consistent, returns_item)
    return BatchStatement(statement, consistent, returns_item)


def _writes(entry: BatchStatement) -> bool:
    return not isinstance(entry.statement, ServiceError) and not is_read(entry.statement)


def run(tx: Writing, request: BatchExecuteStatement) -> Reply:
    """Execute the statements in order; return one response for each."""
    meters = CapacityMeters(request.capacity)
    budget = ByteBudget(tx)
    return meters.add_to({"Responses": [_response(tx, entry, meters, budget) for entry in request.entries]})


def _response(tx: Writing, entry: BatchStatement, meters: CapacityMeters, budget: ByteBudget) -> Reply:
    """The response to one statement; it names the table only if the statement was run."""
    if isinstance(entry.statement, ServiceError):
        return {"Error": _error(entry.statement)}
    try:
        work = _prepared(tx, entry)
    except ServiceError as error:
        return {"Error": _error(error)}
    reply: Reply = {"TableName": work.table.name}
    try:
        item = work.done(tx, meters, budget)
    except ServiceError as failure:
        reply["Error"] = _error(failure)
    else:
        if item:
            reply["Item"] = item
    return reply


class _Read(NamedTuple):
    table: StoredTable
    key: Item
    projection: Projection | None
    consistent: bool

    def done(self, tx: Writing, meters: CapacityMeters, budget: ByteBudget) -> StoredItem | Item | None:
        item = tx.get(self.table, self.table.keys.of_key(self.key))
        size = item.size if item is not None else 0
        budget.spend(size, decoded=self.projection is not None)
        meters.of(self.table).read(read_units(size, consistent=self.consistent))
        return None if item is None else projected(self.projection, item)


class _Write(NamedTuple):
    table: StoredTable
    statement: Insert | UpdateStatement | DeleteStatement
    write: Write

    def done(self, tx: Writing, meters: CapacityMeters, budget: ByteBudget) -> StoredItem | Item | None:
        return returning_item(
            self.statement, execute_write(tx, self.table, self.write, meters.of(self.table))
        )


def _prepared(tx: Reading, entry: BatchStatement) -> _Read | _Write:
    match entry.statement:
        case Select() as statement:
            source = source_of_select(tx, statement, consistent=entry.consistent)
            key = single_key(source.table, statement) if source.index is None else None
            if key is None:
                raise ValidationError(
                    "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
                )
            require_key_types(source.keys.types, key)
            return _Read(source.table, key, statement.projection(), entry.consistent)
        case Insert() | UpdateStatement() | DeleteStatement() as statement:
            table = tx.table(statement.table)
            require_one_item(statement, table)
            return _Write(table, statement, write_of(statement, table, returns_item=entry.returns_item))
        case _:
            raise AssertionError(f"not a statement of a batch: {entry.statement}")


def _error(failure: ServiceError) -> dict[str, Any]:
    code = (
        "ValidationError" if isinstance(failure, ValidationError) else failure.code.removesuffix("Exception")
    )
    item = failure.details() if isinstance(failure, ConditionalCheckFailed) else {}
    return {"Code": code, "Message": failure.message, **item}
