"""The view time: the versions of items, items as of a point in time, and restores.

    GET  /time                          the tables: what of the past is known
    GET  /time/{table}/changes          the changes of an item, a partition or the table, newest first
    GET  /time/{table}/items            a partition or an item at two points in time, `from` and `to`
    POST /time/{table}/restore-plan     what the restore of an item would write
    POST /time/{table}/restore-item     write an item as it was
    POST /time/{table}/restore-table    restore the table to a point in time, as a new table
    GET  /time/restored/{into}          the state of that new table

Items are named by the texts of their keys, `partition` and `sort`; times are seconds since 1970.
"""

from typing import Any

from tablewright.connections import Embedded
from tablewright.console.changes.item_restores import (
    plan_restore,
    require_source,
    restore_item,
    restore_table,
    show_restored_table,
)
from tablewright.console.changes.item_versions import RecoveryState, recovery_of, version_source
from tablewright.console.changes.shown_changes import show_change
from tablewright.console.command_lines import command_line
from tablewright.console.endpoints import ConsoleRequest, ConsoleRoute, get, post
from tablewright.console.items.key_texts import text_key, text_of
from tablewright.console.open_designs import OpenDesign
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.errors import UsageError

MAX_SIZE = 1024 * 1024
"""Bytes of the items of one reply, about."""


def list_tables(request: ConsoleRequest) -> dict[str, Any]:
    """Describe for each table what of its past is known, and what enables more."""
    opened = request.design
    tables = [_describe(opened, name, table) for name, table in opened.tables.items()]
    return {"tables": tables, "now": opened.db.context.now()}


def list_changes(request: ConsoleRequest) -> dict[str, Any]:
    """Return changes, newest first; without `partition`, those of the whole table.

    If the reply is not `complete`, pass the `sequence` of its last change as `before`.
    """
    opened, name = request.design, request.path["table"]
    source = require_source(opened, name)
    table, key = opened.table(name), _key(request, opened.table(name))
    limit = request.number("limit", 100)
    changes = source.changes(key, request.time("until"), request.query.get("before"), limit)
    shown: list[dict[str, Any]] = []
    size = 0
    for change in changes["changes"]:
        size += sum(item_size(change[side]) for side in ("before", "after") if change[side])
        if size > MAX_SIZE and shown:
            break
        described = show_change(opened, table, change["key"], change["before"], change["after"])
        shown.append(described | {"at": change["at"], "sequence": change["sequence"]})
    is_complete = changes["complete"] and len(shown) == len(changes["changes"])
    return {
        "source": source.name,
        "first": source.first,
        "now": opened.db.context.now(),
        "changes": shown,
        "complete": is_complete,
        "since": shown[-1]["at"] if shown and not is_complete else changes["since"],
    }


def compare_items(request: ConsoleRequest) -> dict[str, Any]:
    """Return the items of a partition, or one item, at two times; `next` is the `start` of the next items."""
    opened, name = request.design, request.path["table"]
    source = require_source(opened, name)
    table = opened.table(name)
    key = _key(request, table)
    if not key:
        raise UsageError("the parameter partition is missing")
    start = request.query.get("start")
    after = None if start is None else text_key(table, request.text("partition"), start)
    times = [_required_time(request, parameter) for parameter in ("from", "to")]
    items = source.items_at(key, times, after)
    rows = [_row(opened, table, *states) for states in items["items"]]
    following = items["next"]
    return {
        "rows": rows,
        "next": None if following is None or table.sort is None else text_of(following[table.sort]),
        "changed": sum(row["kind"] != "same" for row in rows),
    }


def _row(opened: OpenDesign, table: Table, before: Item | None, after: Item | None) -> dict[str, Any]:
    item = after or before or {}
    return show_change(opened, table, {name: item[name] for name in table.key}, before, after)


def _describe(opened: OpenDesign, name: str, table: Table) -> dict[str, Any]:
    recovery = recovery_of(opened, name)
    source = version_source(opened, name, recovery)
    return {
        "name": name,
        "exists": recovery.exists,
        "designed": table.point_in_time_recovery,
        "recovery": {
            member: getattr(recovery, member) for member in ("enabled", "first", "last", "days", "problem")
        },
        "versions": {
            "source": source.name if source else None,
            "first": source.first if source else None,
            "why": _why(opened, recovery, source.name if source else None),
        },
        "remedy": {
            "design": f'Table("{table.name}", ..., point_in_time_recovery=True)',
            "stream": f'Table("{table.name}", ..., stream="NEW_AND_OLD_IMAGES")',
            "command": command_line(opened, "deploy"),
        },
    }


def _why(opened: OpenDesign, recovery: RecoveryState, source: str | None) -> str:
    """Say which versions of items there are, and why not more."""
    is_embedded = isinstance(opened.db.connection, Embedded)
    if not recovery.exists:
        return "The table does not exist."
    if source == "journal":
        return "Every change is kept by point-in-time recovery."
    if source == "stream":
        more = (
            "Point-in-time recovery keeps them for up to 35 days."
            if is_embedded
            else "Point-in-time recovery of this endpoint restores whole tables only."
        )
        return f"Versions are those of the stream: the last 24 hours. {more}"
    if is_embedded:
        return "Point-in-time recovery is off, so earlier versions are not kept."
    if recovery.enabled:
        return (
            "This endpoint restores whole tables to a point in time, and does not show versions of items. A stream "
            "with old images has those of the last 24 hours."
        )
    return recovery.problem or "Point-in-time recovery and a stream with old images are off."


def _key(request: ConsoleRequest, table: Table) -> Item:
    partition = request.query.get("partition")
    if partition is None:
        if "sort" in request.query:
            raise UsageError("the parameter partition is missing")
        return {}
    return text_key(table, partition, request.query.get("sort"))


def _required_time(request: ConsoleRequest, name: str) -> float:
    request.text(name)
    return request.time(name) or 0.0


ROUTES: list[ConsoleRoute] = [
    get("/time", list_tables),
    get("/time/restored/{into}", show_restored_table),
    get("/time/{table}/changes", list_changes),
    get("/time/{table}/items", compare_items),
    post("/time/{table}/restore-plan", plan_restore, writes=False),
    post("/time/{table}/restore-item", restore_item, writes=True),
    post("/time/{table}/restore-table", restore_table, writes=True),
]
