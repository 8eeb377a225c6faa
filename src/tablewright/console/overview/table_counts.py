"""Table counts: items and bytes of tables and indexes, as DescribeTable reports them."""

from typing import Any

from tablewright.connections import Embedded
from tablewright.console.open_designs import OpenDesign
from tablewright.errors import ResourceNotFound

COUNTED_BY_AWS = "as DescribeTable reports; AWS updates it about every six hours"
COUNTED_HERE = "as DescribeTable reports; exact at this time"
COUNTED_THERE = "as DescribeTable of this endpoint reports"


def counting(opened: OpenDesign) -> str:
    """Say where the counts come from, and how old they may be."""
    if isinstance(opened.db.connection, Embedded):
        return COUNTED_HERE
    return COUNTED_BY_AWS if opened.location.startswith("aws") else COUNTED_THERE


def table_counts(opened: OpenDesign, name: str) -> dict[str, Any]:
    """Count a table and its indexes; the counts of a table that does not exist are None."""
    try:
        found = opened.db.connection.call("DescribeTable", {"TableName": name})["Table"]
    except ResourceNotFound:
        return {"table": name, "exists": False, "status": None, "items": None, "bytes": None, "indexes": {}}
    indexes = (*(found.get("GlobalSecondaryIndexes") or ()), *(found.get("LocalSecondaryIndexes") or ()))
    return {
        "table": name,
        "exists": True,
        "status": found.get("TableStatus"),
        "items": found.get("ItemCount"),
        "bytes": found.get("TableSizeBytes"),
        "indexes": {
            each["IndexName"]: {
                "items": each.get("ItemCount"),
                "bytes": each.get("IndexSizeBytes"),
                "status": each.get("IndexStatus"),
            }
            for each in indexes
        },
    }
