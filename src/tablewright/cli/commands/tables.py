"""List tables with their item counts and sizes."""

import argparse
from typing import Any

from tablewright.cli.arguments import json_argument, location_argument
from tablewright.cli.data_locations import open_tables, table_names
from tablewright.cli.output import Column, print_json, print_line, print_table

NAME = "tables"
SUMMARY = "list tables with their item counts and sizes"
EPILOG = """\
examples:
  tablewright tables --on app.db
  tablewright tables --on http://127.0.0.1:8000
  tablewright tables --on app.db --json | jq '.[].TableName'
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `tables`."""
    location_argument(parser, aliases=("--data",))
    json_argument(parser, "the DescribeTable reply of each table")


def run(options: argparse.Namespace) -> int:
    """Print the tables."""
    connection = open_tables(options.on)
    try:
        tables = [_describe(connection, name) for name in table_names(connection)]
    finally:
        connection.close()
    if options.json:
        print_json(tables)
    elif not tables:
        print_line(f"{options.on} has no tables")
    else:
        columns = (Column("TABLE"), Column("ITEMS", "right"), Column("BYTES", "right"))
        print_table(columns, (_row(table) for table in tables))
    return 0


def _describe(connection: Any, name: str) -> dict[str, Any]:
    return connection.call("DescribeTable", {"TableName": name})["Table"]  # type: ignore[no-any-return]


def _row(table: dict[str, Any]) -> tuple[str, ...]:
    return table["TableName"], f"{table['ItemCount']:,}", f"{table['TableSizeBytes']:,}"
