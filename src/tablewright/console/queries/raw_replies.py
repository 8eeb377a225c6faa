"""Raw replies: replies of DynamoDB without secret values, and their items as the page shows them."""

import time
from collections.abc import Iterator
from typing import Any

from tablewright.access.procedures import consumed_units
from tablewright.console.open_designs import OpenDesign
from tablewright.console.queries.raw_requests import RawRequest
from tablewright.console.service_messages import service_message
from tablewright.console.shown_items import HIDDEN, show_item, visible
from tablewright.design.indexes import Index
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.errors import ServiceError, UsageError

_START = {"Query": "ExclusiveStartKey", "Scan": "ExclusiveStartKey", "ExecuteStatement": "NextToken"}
_NEXT = {"Query": "LastEvaluatedKey", "Scan": "LastEvaluatedKey", "ExecuteStatement": "NextToken"}


def masked(secrets: frozenset[str], value: Any) -> Any:
    """Return a reply without secret values: every member with the name of a secret attribute is hidden.

    This holds for every place of a reply: items, keys, old values, unprocessed items, items in errors.

    >>> masked(frozenset({"token"}), {"Attributes": {"id": {"S": "1"}, "token": {"B": b"x"}}})
    {'Attributes': {'id': {'S': '1'}, 'token': {'HIDDEN': True}}}
    """
    if isinstance(value, dict):
        return {
            name: HIDDEN if name in secrets else masked(secrets, member) for name, member in value.items()
        }
    if isinstance(value, list | tuple):
        return [masked(secrets, element) for element in value]
    return value


def has_hidden(value: Any) -> bool:
    """Whether something in a masked value is hidden."""
    if isinstance(value, dict):
        return value == HIDDEN or any(map(has_hidden, value.values()))
    return isinstance(value, list) and any(map(has_hidden, value))


def send(raw: RawRequest, start: Any = None) -> dict[str, Any]:
    """Send a request; return its reply for the page. An error reply of DynamoDB is a result too: `failed`."""
    request = raw.request if start is None else raw.request | {_start_member(raw): start}
    began = time.perf_counter()
    try:
        reply = raw.opened.db.connection.call(raw.operation, request)
    except ServiceError as error:
        details = masked(raw.secrets, error.details())
        failed = {"code": error.code, "message": service_message(error), "details": details}
        return _result(raw, {}, time.perf_counter() - began) | {"failed": failed}
    return _result(raw, reply, time.perf_counter() - began)


def _result(raw: RawRequest, reply: dict[str, Any], seconds: float) -> dict[str, Any]:
    following, note = next_start(raw, reply)
    rows = [
        show_row(raw.opened, table, item, raw.index, partial=raw.is_partial)
        for table, item in items_of(raw, reply)
    ]
    if not raw.opened.reveal:
        rows = [row | {"item": masked(raw.secrets, row["item"])} for row in rows]
    return {
        "reply": masked(raw.secrets, reply),
        "rows": rows,
        "examined": reply.get("ScannedCount"),
        "units": consumed_units(reply),
        "seconds": seconds,
        "next": following,
        "note": note,
        "failed": None,
    }


def _start_member(raw: RawRequest) -> str:
    if raw.operation not in _START:
        raise UsageError(f"{raw.operation} has one page; leave out the start")
    return _START[raw.operation]


def next_start(raw: RawRequest, reply: dict[str, Any]) -> tuple[Any, str | None]:
    """Return where the next page starts, or None; and a sentence if there is one that the browser may not get."""
    following = reply.get(_NEXT.get(raw.operation, ""))
    shown = masked(raw.secrets, following)
    if has_hidden(shown):
        return None, "There are more items, but the position in this table is a secret value."
    return shown, None


def items_of(raw: RawRequest, reply: dict[str, Any]) -> Iterator[tuple[Table, Item]]:
    """Return the items of a reply with their tables."""
    match raw.operation:
        case "GetItem" if "Item" in reply:
            yield raw.table, reply["Item"]
        case "Query" | "Scan" | "ExecuteStatement":
            yield from ((raw.table, item) for item in reply.get("Items", ()))
        case "PutItem" | "UpdateItem" | "DeleteItem" if "Attributes" in reply:
            yield raw.table, reply["Attributes"]
        case "BatchGetItem":
            for name, items in reply.get("Responses", {}).items():
                yield from ((raw.tables[name], item) for item in items)
        case "TransactGetItems":
            names = [item["Get"]["TableName"] for item in raw.request["TransactItems"]] if reply else []
            yield from _in_order(raw, names, reply)
        case "BatchExecuteStatement" | "ExecuteTransaction":
            names = [statement.tables[0] for statement in raw.statements] if reply else []
            yield from _in_order(raw, names, reply)


def _in_order(raw: RawRequest, names: list[str], reply: dict[str, Any]) -> Iterator[tuple[Table, Item]]:
    """The items of replies in the order of their requests; some endpoints leave out those that found nothing."""
    replies = reply.get("Responses", ())
    if len(replies) != len(names):
        if len(set(names)) > 1:
            return
        names = names[:1] * len(replies)
    for name, part in zip(names, replies, strict=True):
        if "Item" in part:
            yield raw.tables[name], part["Item"]


def show_row(
    opened: OpenDesign, table: Table, item: Item, index: Index | None = None, *, partial: bool = False
) -> dict[str, Any]:
    """Describe an item of a result; one without its primary key has no entity."""
    if all(name in item for name in table.key):
        row = show_item(opened, table, item, index)
        return row | {"problem": None} if partial else row
    return {
        "table": opened.db.context.table_name(table),
        "role": "unknown",
        "entity": None,
        "title": "",
        "key": {},
        "key_parts": {},
        "item": visible(opened, table, item),
        "attributes": {},
        "owner": None,
        "problem": None,
        "size": item_size(item),
    }
