"""ExecuteTransaction: run up to 100 PartiQL statements, all or none."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from tablewright.dynamodb.expressions.partiql import DeleteStatement, Select, Statement, UpdateStatement, bind
from tablewright.dynamodb.expressions.partiql.binding import parameters_of
from tablewright.dynamodb.values.attributes import AttributeValue
from tablewright.dynamodb.values.item_sizes import value_size
from tablewright.dynamodb.values.stored_items import fingerprint
from tablewright.engine.core.operations import Reply, transact_get_items, transact_write_items
from tablewright.engine.core.operations.transact_get_items import GetOfTransaction, TransactGetItems
from tablewright.engine.core.operations.transact_write_items import TransactWriteItems
from tablewright.engine.core.partiql.select_reads import single_key
from tablewright.engine.core.partiql.statement_writes import (
    PARAMETERS,
    STATEMENT,
    Insertion,
    is_read,
    write_of,
)
from tablewright.engine.core.requests.shapes import (
    CAPACITY,
    ON_FAILURE,
    ListOf,
    Shape,
    Text,
    required,
    structure,
)
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.key_schema import EmptyKey
from tablewright.engine.core.writes.item_writes import Write
from tablewright.engine.core.writes.transactions import MAX_ACTIONS, Action, Token, canceled, require_size
from tablewright.errors import ResourceNotFound, ServiceError, ValidationError

NAME = "ExecuteTransaction"
MODE = "by request"
SHAPE = Shape(
    TransactStatements=required(
        ListOf(
            structure(
                "ParameterizedStatement",
                Statement=STATEMENT,
                Parameters=PARAMETERS,
                ReturnValuesOnConditionCheckFailure=ON_FAILURE,
            ),
            shortest=1,
            longest=MAX_ACTIONS,
        )
    ),
    ClientRequestToken=Text(shortest=1, longest=36),
    ReturnConsumedCapacity=CAPACITY,
)

T = TypeVar("T")
U = TypeVar("U")


class TransactionStatement(NamedTuple):
    """One statement of a transaction."""

    statement: Statement
    parameters_size: int
    returns_item: bool


class ExecuteTransaction(NamedTuple):
    """Parsed ExecuteTransaction request."""

    entries: list[TransactionStatement]
    token: Token | None
    capacity: str | None

    @property
    def mode(self) -> str:
        """A transaction reads or writes, never both."""
        return "snapshot" if is_read(self.entries[0].statement) else "write"


def parse(request: dict[str, Any]) -> ExecuteTransaction:
    """From the request to its value: the parameters of all statements first, then the statements."""
    members = request["TransactStatements"]
    parameters = [parameters_of(member.get("Parameters")) for member in members]
    entries = _each(list(zip(members, parameters, strict=True)), _entry)
    if len({is_read(entry.statement) for entry in entries}) > 1:
        raise ValidationError(
            "ExecuteTransaction API does not support both read and write operations in the same request."
        )
    token = request.get("ClientRequestToken")
    return ExecuteTransaction(
        entries=entries,
        token=None if token is None else Token(token, fingerprint(members)),
        capacity=request.get("ReturnConsumedCapacity"),
    )


def _entry(member: tuple[dict[str, Any], list[AttributeValue]]) -> TransactionStatement:
    request, parameters = member
    returns_item = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    size = sum(map(value_size, parameters))
    return TransactionStatement(bind(request["Statement"], parameters), size, returns_item)


def _each(things: Sequence[T], make: Callable[[T], U]) -> list[U]:
    """Apply `make` to each thing; an error names the index of its statement."""
    made = []
    for number, thing in enumerate(things):
        try:
            made.append(make(thing))
        except ValidationError as error:
            raise ValidationError(
                f"Validation failed in TransactStatements[{number}]: {error.message}"
            ) from None
    return made


def run(tx: Writing, request: ExecuteTransaction) -> Reply:
    """Check the statements against their tables, then run as TransactGetItems or TransactWriteItems does."""
    missing: dict[int, ServiceError] = {}
    tables: list[StoredTable | None] = []
    for number, entry in enumerate(request.entries):
        try:
            tables.append(tx.table(entry.statement.table))
        except ResourceNotFound as error:
            tables.append(None)
            missing[number] = error
    located = list(zip(request.entries, tables, strict=True))
    if request.mode == "snapshot":
        gets = _present(_each(located, _get), missing)
        _require_fit(tx, gets)
        return transact_get_items.run(tx, TransactGetItems(gets, request.capacity))
    writes = _present(_each(located, _write), missing)
    require_size(sum(map(_size, request.entries, writes)))
    _require_fit(tx, writes)
    transaction = TransactWriteItems(writes, request.token, request.capacity, metrics=False)
    return {"Responses": [], **transact_write_items.run(tx, transaction)}


def _size(entry: TransactionStatement, write: Write) -> int:
    """The bytes that a statement adds to a transaction: an inserted item, or the parameters."""
    return write.item.size if isinstance(write, Insertion) else entry.parameters_size


def _present(actions: list[T | None], missing: dict[int, ServiceError]) -> list[T]:
    """All actions, if all their tables exist."""
    if missing:
        raise canceled(len(actions), missing)
    return [action for action in actions if action is not None]


def _require_fit(tx: Reading, actions: Sequence[Action]) -> None:
    """Cancel with a reason for every action whose key does not match its table, not only the first."""
    misfits: dict[int, ServiceError] = {}
    for number, action in enumerate(actions):
        try:
            action.locate(tx.table(action.table))
        except EmptyKey:
            raise
        except ValidationError as misfit:
            misfits[number] = misfit
    if misfits:
        raise canceled(len(actions), misfits)


def _get(located: tuple[TransactionStatement, StoredTable | None]) -> GetOfTransaction | None:
    entry, table = located
    statement = entry.statement
    if table is None or not isinstance(statement, Select):
        return None
    if statement.index is not None:
        raise ValidationError("Reads on indices are not supported within transactions.")
    key = single_key(table, statement)
    if key is None:
        raise ValidationError(
            "Select statements within ExecuteTransaction must specify the primary key in the where clause."
        )
    return GetOfTransaction(statement.table, key, statement.projection())


def _write(located: tuple[TransactionStatement, StoredTable | None]) -> Write | None:
    entry, table = located
    statement = entry.statement
    if table is None or isinstance(statement, Select):
        return None
    if isinstance(statement, UpdateStatement | DeleteStatement):
        if statement.returning is not None:
            raise ValidationError("RETURNING clause is not supported in ExecuteTransaction.")
        if statement.index is not None:
            raise ValidationError("This operation is not supported on an index")
    return write_of(statement, table, returns_item=entry.returns_item)
