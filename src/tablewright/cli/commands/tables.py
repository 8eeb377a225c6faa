"""List the tables in a data file, with how many items they hold and how large they are."""

import argparse
import json
from pathlib import Path
from typing import Any

from tablewright.cli.output import bold, say
from tablewright.errors import UsageError

NAME = "tables"
SUMMARY = "list the tables in a data file"
EPILOG = """\
examples:
  tablewright tables --data app.db
  tablewright tables --data app.db --json | jq '.[].TableName'
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `tables` understands."""
    parser.add_argument(
        "--data", metavar="FILE", default="tablewright.db", help="the file (tablewright.db, here)"
    )
    parser.add_argument("--json", action="store_true", help="print what DescribeTable shows of each, as JSON")


def run(options: argparse.Namespace) -> int:
    """Print the tables."""
    if not Path(options.data).expanduser().exists():
        raise UsageError(f"{options.data} does not exist; give the path of a data file with --data")
    from tablewright.connections import embedded

    with embedded(options.data) as database:
        found = [database.call("DescribeTable", {"TableName": name})["Table"] for name in _names(database)]
    if options.json:
        say(json.dumps(found, indent=2, default=str))
    elif not found:
        say(f"{options.data} holds no tables yet")
    else:
        _print_columns(found)
    return 0


def _names(database: Any) -> list[str]:
    names: list[str] = []
    page: dict[str, Any] = {}
    while True:
        page = database.call("ListTables", {"ExclusiveStartTableName": names[-1]} if names else {})
        names.extend(page["TableNames"])
        if "LastEvaluatedTableName" not in page:
            return names


def _print_columns(found: list[dict[str, Any]]) -> None:
    width = max(len("TABLE"), *(len(table["TableName"]) for table in found))
    say(bold(f"{'TABLE':<{width}}  {'ITEMS':>10}  {'BYTES':>14}"))
    for table in found:
        say(f"{table['TableName']:<{width}}  {table['ItemCount']:>10,}  {table['TableSizeBytes']:>14,}")
