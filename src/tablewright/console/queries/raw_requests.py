"""Raw requests: operations of DynamoDB with a JSON request, on the tables of a design.

The console knows the secret attributes of the tables of its design only, so it sends requests to no other table.
A statement is split into tokens, by the lexer of the engine, so that comments and quotes mean the same in both. What is
not understood is rejected: the console must know the table of a statement to hide its secret attributes.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tablewright.console.endpoints import MAX_LIMIT, Forbidden
from tablewright.console.items.key_texts import with_bytes
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import secret_attributes
from tablewright.design.indexes import Index
from tablewright.design.layouts.layouts import KEPT
from tablewright.design.tables import Table
from tablewright.dynamodb.expressions.partiql.statement_tokens import (
    IDENTIFIER,
    KEYWORD,
    QUOTED,
    StatementToken,
    tokenize,
)
from tablewright.errors import UsageError

_NAMES = (IDENTIFIER, QUOTED)
_BEFORE_TABLE = ("from", "insert_into", "update")
_COMPARING = ("where", "set")


@dataclass(frozen=True)
class RawStatement:
    """The parts of a statement that the console looks at."""

    text: str
    tables: tuple[str, ...]
    index: str | None
    is_read: bool
    is_whole: bool
    """Whether it selects all attributes: `SELECT * FROM ...`."""
    tokens: tuple[StatementToken, ...]

    def reads_inside(self, names: Iterable[str]) -> str | None:
        """Return the first of these attributes that the statement compares, or selects other than as a whole.

        Parts (`token.part`) have no name that can be hidden, and endpoints other than AWS know aliases and functions.
        """
        known = frozenset(names)
        texts = ("", *(token.text for token in self.tokens), "")
        compares = False
        for place, token in enumerate(self.tokens):
            compares = compares or token.keyword in _COMPARING
            before, after = texts[place], texts[place + 2]
            is_whole = before in ("select", ",", ".") and after in (",", "from")
            is_part = not is_whole if self.is_read else after in (".", "[")
            if token.kind in _NAMES and token.text in known and (compares or is_part):
                return token.text
        return None


def parse_statement(text: object) -> RawStatement:
    """Return the parts of a statement; `UsageError` if it names no table.

    >>> parse_statement('SELECT * FROM "app-main"."GSI1" WHERE x = 1').tables
    ('app-main',)
    """
    if not isinstance(text, str) or not text.strip():
        raise UsageError("a statement is text such as: SELECT * FROM \"table\" WHERE PK = 'USER#1'")
    tokens = tuple(tokenize(text)[:-1])  # the last one is the end
    tables, index = _tables(tokens)
    if not tables:
        raise UsageError('the statement names no table; write SELECT ... FROM "table"')
    is_read = tokens[0].keyword == "select"
    is_whole = is_read and [token.text for token in tokens[1:2]] == ["*"]
    return RawStatement(text, tables, index, is_read, is_whole, tokens)


def _tables(tokens: Sequence[StatementToken]) -> tuple[tuple[str, ...], str | None]:
    tables: list[str] = []
    index = None
    for place, token in enumerate(tokens):
        if token.kind != KEYWORD or token.text not in _BEFORE_TABLE:
            continue
        word = token.text.replace("_", " ").upper()
        rest = tokens[place + 1 : place + 4]
        if not rest or rest[0].kind not in _NAMES:
            raise UsageError(f'{word} must be followed by a table; write {word} "table"')
        tables.append(rest[0].text)
        if len(rest) == 3 and rest[1].text == "." and rest[2].kind in _NAMES:
            index = rest[2].text
    if len(tables) > 1:
        raise UsageError("a statement names one table; send one statement for each")
    return tuple(tables), index


READS = ("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan")
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")
STATEMENTS = ("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction")
OPERATIONS = (*READS, *WRITES, *STATEMENTS)
PAGED = ("Query", "Scan", "ExecuteStatement")
"""The operations with pages."""
_CONDITIONS = ("ScanFilter", "QueryFilter", "KeyConditions", "Expected", "AttributeUpdates")
_WORD = re.compile(r"(?<![:\w])#?\w+")
_PARTIAL = ("ProjectionExpression", "AttributesToGet")


@dataclass(frozen=True)
class RawRequest:
    """A request that the console may send."""

    opened: OpenDesign
    operation: str
    request: dict[str, Any]
    statements: tuple[RawStatement, ...]

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The tables that it names, by their names in the store."""
        names = [*self._table_names(), *(name for statement in self.statements for name in statement.tables)]
        if not names:
            raise UsageError(f"{self.operation} needs a TableName")
        return {name: self.opened.table(name) for name in names}

    @property
    def is_write(self) -> bool:
        """Whether it may change data."""
        return self.operation in WRITES or any(not statement.is_read for statement in self.statements)

    @property
    def table(self) -> Table:
        """The table of a request with one table."""
        return next(iter(self.tables.values()))

    @property
    def index(self) -> Index | None:
        """The index that it reads."""
        name = self.statements[0].index if self.statements else self.request.get("IndexName")
        return (
            self.table.index(name)
            if name and any(index.name == name for index in self.table.indexes)
            else None
        )

    @property
    def is_partial(self) -> bool:
        """Whether it reads only some attributes of its items."""
        if self.statements:
            partial = not all(statement.is_whole for statement in self.statements)
        else:
            partial = any(name in self.request for name in _PARTIAL)
        return partial or (self.index is not None and self.index.projection != "ALL")

    @property
    def secrets(self) -> frozenset[str]:
        """The attributes that are secret in one of its tables."""
        return frozenset().union(*(secret_attributes(self.opened, table) for table in self.tables.values()))

    def _table_names(self) -> Iterable[str]:
        """Return the tables in the member that the operation reads them from; a request can have others beside it."""
        request = self.request
        if self.operation in STATEMENTS:
            return []
        if self.operation in ("BatchGetItem", "BatchWriteItem"):
            return list(_mapping(request.get("RequestItems"), "RequestItems"))
        if self.operation in ("TransactGetItems", "TransactWriteItems"):
            members = [_mapping(member, "TransactItems") for member in _listed(request, "TransactItems")]
            return [
                str(_mapping(action, name).get("TableName", ""))
                for member in members
                for name, action in member.items()
            ]
        return [str(request["TableName"])] if "TableName" in request else []


def raw_request(opened: OpenDesign, operation: str, request: Mapping[str, Any]) -> RawRequest:
    """Check a request: a known operation, tables of the design, and no write to a read-only console.

    Base64 text of binary values becomes bytes. A request with pages gets a limit, and all report their capacity.
    """
    if operation not in OPERATIONS:
        raise UsageError(f"the console has no operation {operation}; it has: {', '.join(OPERATIONS)}")
    content = with_bytes(dict(request))
    if operation in PAGED:
        content["Limit"] = _limit(content.get("Limit", MAX_LIMIT))
    content.setdefault("ReturnConsumedCapacity", "INDEXES")
    raw = RawRequest(opened, operation, content, tuple(_statements(operation, content)))
    tables = raw.tables
    if raw.is_write:
        _require_writable(opened, tables.values())
    guarded = raw.secrets | {KEPT} if raw.secrets else raw.secrets  # what a copy keeps can be secret too
    for statement in raw.statements:
        if (name := statement.reads_inside(guarded)) is not None:
            raise UsageError(f"{name} is secret; select it as a whole, and it is shown as hidden")
    for name in compared_names(content, content.get("ExpressionAttributeNames")):
        if name in guarded:
            raise UsageError(f"{name} is secret; a request of the console cannot compare or copy it")
    return raw


def _require_writable(opened: OpenDesign, tables: Iterable[Table]) -> None:
    if not opened.writable:
        raise Forbidden(opened.read_only)
    if any(table is opened.design.key_table for table in tables):
        raise Forbidden("The console does not write encryption keys; use the command tablewright keys.")


def _statements(operation: str, request: Mapping[str, Any]) -> Iterable[RawStatement]:
    match operation:
        case "ExecuteStatement":
            yield parse_statement(request.get("Statement"))
        case "BatchExecuteStatement":
            members = _listed(request, "Statements")
            yield from (
                parse_statement(_mapping(member, "Statements").get("Statement")) for member in members
            )
        case "ExecuteTransaction":
            members = _listed(request, "TransactStatements")
            yield from (
                parse_statement(_mapping(member, "TransactStatements").get("Statement")) for member in members
            )


def compared_names(value: Any, aliases: Any = None) -> Iterable[str]:
    """Return the attributes in the expressions and conditions of a request, but for those that it only selects.

    >>> list(compared_names({"FilterExpression": "#t = :x", "ExpressionAttributeNames": {"#t": "token"}}))
    ['token']
    """
    if isinstance(value, list):
        for element in value:
            yield from compared_names(element, aliases)
    if not isinstance(value, dict):
        return
    own = value.get("ExpressionAttributeNames", aliases)
    names = own if isinstance(own, dict) else {}
    for member, content in value.items():
        if member in _CONDITIONS and isinstance(content, dict):
            yield from content
        elif isinstance(content, str) and member.endswith("Expression") and member != "ProjectionExpression":
            yield from (str(names.get(word, word)) for word in _WORD.findall(content))
        else:
            yield from compared_names(content, names)


def _limit(limit: object) -> int:
    if type(limit) is not int or not 1 <= limit <= MAX_LIMIT:
        raise UsageError(f"Limit is a whole number from 1 to {MAX_LIMIT}, got {limit!r}")
    return limit


def _listed(request: Mapping[str, Any], name: str) -> list[Any]:
    members = request.get(name)
    if not isinstance(members, list) or not members:
        raise UsageError(f"{name} is a list with at least one member")
    return members


def _mapping(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{name} has members in braces, got {value!r}")
    return value
