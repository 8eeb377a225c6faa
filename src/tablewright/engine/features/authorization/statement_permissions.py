"""Statement permissions: the permissions of PartiQL statements.

A SELECT that does not name the partitions that it reads is a full table scan (`dynamodb:FullTableScan`), and has no
leading keys. EXISTS reads an item, as SELECT does.
"""

from collections.abc import Iterator
from typing import Any

from tablewright.dynamodb.expressions import ItemCondition
from tablewright.dynamodb.expressions.nodes import ConditionNode
from tablewright.dynamodb.expressions.partiql import (
    DeleteStatement,
    Exists,
    Insert,
    Select,
    Statement,
    UpdateStatement,
)
from tablewright.dynamodb.expressions.partiql.where_keys import KeyReader
from tablewright.dynamodb.policies import Permission
from tablewright.dynamodb.policies.principals import Values
from tablewright.engine.core.sessions import Reading
from tablewright.engine.features.authorization.table_permissions import Resource, key_text, partition_keys
from tablewright.errors import ServiceError, ValidationError

Request = dict[str, Any]


def execute_statement(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """The action of the statement."""
    yield statement_permission(tx, parsed.statement, returns_item=parsed.returns_item)


def execute_transaction(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """The action of each statement."""
    for entry in parsed.entries:
        yield statement_permission(
            tx, entry.statement, returns_item=entry.returns_item, EnclosingOperation="ExecuteTransaction"
        )


def batch_execute_statement(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission | None]:
    """The action of each statement; None for a statement that could not be parsed."""
    for entry in parsed.entries:
        if isinstance(entry.statement, ServiceError):
            yield None
            continue
        yield statement_permission(
            tx, entry.statement, returns_item=entry.returns_item, EnclosingOperation="BatchExecuteStatement"
        )


def statement_permission(
    tx: Reading, statement: Statement, *, returns_item: bool = False, **keys: Values
) -> Permission:
    """The permission that a statement needs; with `returns_item`, a failed condition shows the item."""
    match statement:
        case Insert():
            resource = Resource(tx, statement.table)
            return resource.permission(
                "PartiQLInsert",
                **resource.leading_keys([statement.item]),
                Attributes=list(statement.item),
                ReturnValues=_returned(None, returns_item=returns_item),
                **keys,
            )
        case Select() | Exists():
            select = statement.select if isinstance(statement, Exists) else statement
            return _read(tx, select, keys)
        case UpdateStatement():
            named = statement.update.named_attributes
            keys["ReturnValues"] = _returned(statement.returning, returns_item=returns_item)
            return _keyed(tx, "PartiQLUpdate", statement, named, keys)
        case DeleteStatement():
            keys["ReturnValues"] = _returned(statement.returning, returns_item=returns_item)
            return _keyed(tx, "PartiQLDelete", statement, (), keys)


def _read(tx: Reading, statement: Select, keys: dict[str, Values]) -> Permission:
    resource = Resource(tx, statement.table, statement.index)
    partitions = _partitions(resource, statement.where)
    try:
        projection = statement.projection()
    except ValidationError:
        projection = None  # the operation itself rejects the statement
    return resource.permission(
        "PartiQLSelect",
        **partition_keys(partitions or ()),
        Attributes=_names(projection.attributes if projection else (), _read_attributes(statement.where)),
        Select="ALL_ATTRIBUTES" if projection is None else "SPECIFIC_ATTRIBUTES",
        FullTableScan="true" if partitions is None else "false",
        **keys,
    )


def _keyed(
    tx: Reading,
    action: str,
    statement: UpdateStatement | DeleteStatement,
    named: tuple[str, ...],
    keys: dict[str, Values],
) -> Permission:
    resource = Resource(tx, statement.table, statement.index)
    return resource.permission(
        action,
        **partition_keys(_partitions(resource, statement.where) or ()),
        Attributes=_names(named, _read_attributes(statement.where)),
        **keys,
    )


def _returned(returning: str | None, *, returns_item: bool) -> list[str]:
    """The ReturnValues of a RETURNING clause such as `MODIFIED_OLD`, and of a failed condition."""
    values = {returning.replace("MODIFIED", "UPDATED")} if returning else set()
    return sorted(values | ({"ALL_OLD"} if returns_item else set())) or ["NONE"]


def _names(*groups: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(name for group in groups for name in group))


def _read_attributes(where: ConditionNode | None) -> tuple[str, ...]:
    return () if where is None else ItemCondition.of(where).attributes


def _partitions(resource: Resource, where: ConditionNode | None) -> list[list[str]] | None:
    """The partition keys that a WHERE clause names; None if it reads all partitions."""
    names = resource.key_names
    if not names:
        return None
    try:
        branches = KeyReader(names[0], None).branches(where)
    except ValidationError:
        return None  # too many branches: the operation itself rejects the statement
    if branches is None:
        return None
    return [[key_text(value)] for branch in branches for value in branch.hash_values]
