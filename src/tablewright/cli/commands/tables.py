"""List tables with their item counts and sizes."""

import argparse
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import json_argument, location_argument
from tablewright.cli.data_locations import open_tables, table_names
from tablewright.cli.output import Column, format_bytes, print_json, print_line, print_table

if TYPE_CHECKING:
    from tablewright.engine.storage import FreeSpace

NAME = "tables"
SUMMARY = "list tables with their item counts and sizes"
EPILOG = """\
examples:
  tablewright tables --on app.db
  tablewright tables --on http://127.0.0.1:8000
  tablewright tables --on app.db --json | jq '.[].TableName'
"""
# Bytes: later writes use less free space soon.
_WORTH_SHOWING = 1_000_000


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `tables`."""
    location_argument(parser, aliases=("--data",))
    json_argument(parser, "the DescribeTable reply of each table")


def run(options: argparse.Namespace) -> int:
    """Print the tables."""
    connection = open_tables(options.on)
    try:
        tables = [_describe(connection, name) for name in table_names(connection)]
        free = _free_space(connection)
    finally:
        connection.close()
    if options.json:
        print_json(tables)
    elif not tables:
        print_line(f"{options.on} has no tables")
    else:
        columns = (Column("TABLE"), Column("ITEMS", "right"), Column("BYTES", "right"))
        print_table(columns, (_row(table) for table in tables))
    if free and not options.json:
        size, unused = map(format_bytes, free)
        print_line(f"{unused} of {size} are free; release them with: tablewright compact --on {options.on}")
    return 0


def _free_space(connection: Any) -> "FreeSpace | None":
    """The free space of a data file, if it is much of it."""
    if not hasattr(connection, "free_space"):
        return None
    free: FreeSpace = connection.free_space()
    return free if free.free_bytes >= _WORTH_SHOWING and free.free_bytes * 4 >= free.file_bytes else None


def _describe(connection: Any, name: str) -> dict[str, Any]:
    return connection.call("DescribeTable", {"TableName": name})["Table"]  # type: ignore[no-any-return]


def _row(table: dict[str, Any]) -> tuple[str, ...]:
    return table["TableName"], f"{table['ItemCount']:,}", f"{table['TableSizeBytes']:,}"
