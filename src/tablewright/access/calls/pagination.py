"""Pagination: all pages of a Query or Scan, for the small tables that Tablewright keeps itself."""

from typing import Any

from tablewright.access.calls.procedures import Call, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.dynamodb.values.attributes import Item


def all_items(operation: str, request: dict[str, Any]) -> Procedure[list[Item]]:
    """Read every page of a Query or Scan; return all items."""
    items: list[Item] = []
    start: dict[str, Any] = {}
    while True:
        reply = yield from with_retries(Call(operation, request | start))
        items += reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return items
        start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}
