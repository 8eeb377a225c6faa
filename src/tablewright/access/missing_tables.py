"""Missing tables: when DynamoDB finds no resource, name the tables of the design that do not exist, and the fix."""

from collections.abc import Iterable
from typing import Any

from tablewright.access.calls.procedures import Call, Procedure
from tablewright.access.context import Context
from tablewright.connections import Embedded
from tablewright.design.tables.tables import Table
from tablewright.errors import ResourceNotFound, ServiceError


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
