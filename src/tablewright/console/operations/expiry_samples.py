"""Expiry samples: how many items of a table have expired and are still stored, from a bounded sample."""

import heapq
from typing import Any

from tablewright.access.items.item_values import key_of
from tablewright.connections import Embedded
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import show_item
from tablewright.design.tables import Table
from tablewright.errors import UsageError

SAMPLE_ITEMS = 1000
SAMPLE_PAGES = 4
NEXT_SHOWN = 20
NO_TTL = "The table has no TTL attribute. Declare ttl in its Table, and deploy."


def sample_expiry(opened: OpenDesign, name: str) -> dict[str, Any]:
    """Read at most 1,000 items; return how many have expired and are still stored, and which expire next."""
    table = opened.table(name)
    if table.ttl is None:
        return {"table": name, "attribute": None, "why": NO_TTL}
    items, is_complete = _sample(opened, table, name)
    now = opened.db.context.now()
    times = [(float(item[table.ttl]["N"]), item) for item in items if "N" in item.get(table.ttl, {})]
    expired = [pair for pair in times if pair[0] <= now]
    following = heapq.nsmallest(
        NEXT_SHOWN, (pair for pair in times if pair[0] > now), key=lambda pair: pair[0]
    )
    return {
        "table": name,
        "attribute": table.ttl,
        "why": None,
        "now": now,
        "sampled": len(items),
        "is_complete": is_complete,
        "with_time": len(times),
        "expired": len(expired),
        "next": [_shown(opened, table, at, item) for at, item in following],
        "oldest": [
            _shown(opened, table, at, item)
            for at, item in heapq.nsmallest(5, expired, key=lambda pair: pair[0])
        ],
        "can_sweep": isinstance(opened.db.connection, Embedded),
    }


def _sample(opened: OpenDesign, table: Table, name: str) -> tuple[list[dict[str, Any]], bool]:
    items: list[dict[str, Any]] = []
    request: dict[str, Any] = {"TableName": name, "Limit": SAMPLE_ITEMS}
    for _ in range(SAMPLE_PAGES):
        reply = opened.db.connection.call("Scan", request)
        items += reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return items, True
        if len(items) >= SAMPLE_ITEMS:
            break
        request |= {"ExclusiveStartKey": reply["LastEvaluatedKey"], "Limit": SAMPLE_ITEMS - len(items)}
    return items, False


def _shown(opened: OpenDesign, table: Table, at: float, item: dict[str, Any]) -> dict[str, Any]:
    shown = show_item(opened, table, item)
    return {
        "at": at,
        "entity": shown["entity"],
        "role": shown["role"],
        "key": key_of(table, item),
        "key_parts": shown["key_parts"],
    }


def sweep(opened: OpenDesign) -> int:
    """Delete the expired items of an embedded engine now; return their number."""
    connection = opened.db.connection
    if not isinstance(connection, Embedded):
        raise UsageError(
            "Expired items are deleted by the store itself, within a few days on AWS; only the embedded engine can "
            "delete them on request."
        )
    return connection.sweep()
