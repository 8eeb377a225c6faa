"""Table creation: create missing tables and wait until they are active.

Missing tables: when DynamoDB finds no resource, name the tables of the design that do not exist, and the fix.
"""

import warnings
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from tablewright.access.context import Context
from tablewright.access.layout_records import (
    create_recorded,
    incomplete_parts,
    layout_parts,
    record_tags,
    tag_members,
)
from tablewright.access.procedures import Call, Pause, Procedure, Reply, with_retries
from tablewright.connections import Embedded
from tablewright.design.designs import Design
from tablewright.design.tables import Table, requests_after_creation
from tablewright.errors import ResourceInUse, ResourceNotFound, ServiceError, UnknownOperation

POLL = 0.5
PATIENCE = 240
"""The most polls for a table to become active: two minutes."""


def create_missing(
    tables: Iterable[Table], context: Context, design: Design | None = None
) -> Procedure[list[str]]:
    """Create the missing tables, with all their settings; return their names.

    The tables of a design get their layout record. For those that exist, the context gets what their items lack.
    """
    created = []
    for table in tables:
        name = context.table_name(table)
        has_record = design is not None and bool(design.entities_of(table))
        try:
            described = yield from with_retries(Call("DescribeTable", {"TableName": name}))
        except ResourceNotFound:
            definition = table.definition(context.environment)
            if design is not None and has_record:
                definition = recorded_definition(design, table, definition)
            yield from _create(table, name, definition)
            created.append(name)
            continue
        if design is not None and has_record:
            arn = described["Table"].get("TableArn", "")
            for part in (yield from incomplete_parts(design, table, name, arn)):
                context.incomplete[part.entity] = (*context.incomplete.get(part.entity, ()), part)
    return created


def recorded_definition(design: Design, table: Table, definition: dict[str, Any]) -> dict[str, Any]:
    """Return the members of CreateTable with the layout record of a table without items."""
    tags = tag_members(record_tags(design, layout_parts(design, table)))
    return definition | {"Tags": [*definition.get("Tags", ()), *tags]}


def _create(table: Table, name: str, definition: dict[str, Any]) -> Procedure[None]:
    with suppress(ResourceInUse):  # another process created it
        yield from create_recorded(definition | {"TableName": name})
    reply: Reply = {"Table": {}}
    for _ in range(PATIENCE):
        reply = yield from with_retries(Call("DescribeTable", {"TableName": name}))
        if reply["Table"]["TableStatus"] == "ACTIVE":
            break
        yield Pause(POLL)
    stored = {index["IndexName"] for index in reply["Table"].get("VectorIndexes") or ()}
    for index in table.vector_indexes:
        if index.name not in stored:
            warnings.warn(
                f"table {name}: this endpoint has no vector indexes, and has ignored {index.name}",
                stacklevel=2,
            )
    for operation, request in requests_after_creation(table, name):
        try:
            yield from with_retries(Call(operation, request))
        except UnknownOperation as error:
            warnings.warn(f"table {name}: this endpoint does not support {operation} ({error})", stacklevel=2)


def missing_tables_error(
    context: Context, tables: Iterable[Table], connection: Any, error: ResourceNotFound
) -> Procedure[ResourceNotFound]:
    """Return the error that names the missing tables; the given error when no table is known to be missing."""
    names = [context.table_name(table) for table in tables]
    missing = []
    for name in names:
        try:
            yield Call("DescribeTable", {"TableName": name})
        except ResourceNotFound:
            missing.append(name)
        except ServiceError:  # the caller may lack the permission to describe tables
            return error
    if not missing:
        return error
    place = _place(connection)
    shown = ", ".join(f"'{name}'" for name in missing)
    one = len(missing) == 1
    subject = f"table {shown} does" if one else f"tables {shown} do"
    where = f" at {place}" if place else ""
    command = f"tablewright deploy {_options(context, place)}"
    return ResourceNotFound(f"{subject} not exist{where}; create {'it' if one else 'them'} with: {command}")


def _options(context: Context, place: str) -> str:
    options = {"--on": place, "--env": context.environment, "--prefix": context.prefix}
    return " ".join(["MODULE:DESIGN", *(f"{option} {value}" for option, value in options.items() if value)])


def _place(connection: Any) -> str:
    """The location of a connection, as `--on` takes it; empty for a database in memory."""
    if isinstance(connection, Embedded):
        return str(connection.path or "")
    endpoint, region = getattr(connection, "endpoint", None), getattr(connection, "region", None)
    return endpoint or (f"aws:{region}" if region else "")
