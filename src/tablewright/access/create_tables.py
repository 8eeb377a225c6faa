"""Table creation: create missing tables and wait until they are active."""

import warnings
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from tablewright.access.calls.procedures import Call, Pause, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.access.context import Context
from tablewright.design.tables.setting_requests import requests_after_creation
from tablewright.design.tables.tables import Table
from tablewright.errors import ResourceInUse, ResourceNotFound, UnknownOperation

POLL = 0.5
PATIENCE = 240
"""The most polls for a table to become active: two minutes."""


def create_missing(tables: Iterable[Table], context: Context) -> Procedure[list[str]]:
    """Create the missing tables, with all their settings; return their names."""
    created = []
    for table in tables:
        name = context.table_name(table)
        try:
            yield from with_retries(Call("DescribeTable", {"TableName": name}))
        except ResourceNotFound:
            yield from _create(table, name, table.definition(context.environment))
            created.append(name)
    return created


def _create(table: Table, name: str, definition: dict[str, Any]) -> Procedure[None]:
    with suppress(ResourceInUse):  # another process created it
        yield from with_retries(Call("CreateTable", definition | {"TableName": name}))
    for _ in range(PATIENCE):
        reply = yield from with_retries(Call("DescribeTable", {"TableName": name}))
        if reply["Table"]["TableStatus"] == "ACTIVE":
            break
        yield Pause(POLL)
    for operation, request in requests_after_creation(table, name):
        try:
            yield from with_retries(Call(operation, request))
        except UnknownOperation as error:
            warnings.warn(f"table {name}: this endpoint does not support {operation} ({error})", stacklevel=2)
