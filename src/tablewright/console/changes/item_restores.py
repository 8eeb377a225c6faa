"""Restores of the view time: one item to an earlier version, and a table to a new one."""

from typing import Any, Literal

from pydantic import Field

from tablewright.access.items.item_values import describe_key
from tablewright.access.procedures import run_sync
from tablewright.access.writes.actions import WriteAction
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.execute import OutcomeInDoubt
from tablewright.access.writes.item_rewrites import ItemChanged, ItemRestore
from tablewright.console.changes.item_versions import VersionSource, recovery_of, version_source
from tablewright.console.changes.shown_changes import show_change
from tablewright.console.endpoints import Body, Conflict, ConsoleRequest, Forbidden
from tablewright.console.items.key_texts import whole_text_key
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import Identity, identify
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.stored_items import fingerprint
from tablewright.errors import UsageError

ABSENT = "absent"
"""The fingerprint of an item that does not exist."""
_KINDS = {"Put": "write", "Update": "change", "Delete": "delete", "ConditionCheck": "check"}


class VersionBody(Body):
    """An item and one of its versions: as of the time `at`, or before or after the change `sequence`."""

    partition: str
    sort: str | None = None
    at: float | None = None
    sequence: str | None = None
    side: Literal["before", "after"] = "after"


class RestoreBody(VersionBody):
    """`expected` is the fingerprint of the stored item, from the reply of the plan."""

    expected: str


class RestoreTableBody(Body):
    """A point in time, None for the latest; the name of the new table; and the name of the source, typed again."""

    at: float | None = None
    into: str = Field(min_length=3, max_length=255, pattern=r"^[a-zA-Z0-9_.-]+$")
    confirm: str


def plan_restore(request: ConsoleRequest) -> dict[str, Any]:
    """Show what the restore of an item would write; nothing is written."""
    body = request.parse(VersionBody)
    restore, key = _restore(request, body)
    try:
        actions = run_sync(restore.plan(), request.design.db.connection.call)
    except ItemRejected as error:
        raise _rejected(key, error) from None
    return {
        "change": show_change(request.design, restore.table, key, restore.stored, restore.desired),
        "writes": [_shown(request.design, action) for action in actions],
        "expected": _fingerprint(restore.stored),
    }


def restore_item(request: ConsoleRequest) -> dict[str, Any]:
    """Write an item as it was, with its copies and locks, if it is as the page has read it."""
    body = request.parse(RestoreBody)
    restore, key = _restore(request, body)
    if _fingerprint(restore.stored) != body.expected:
        raise _changed(key)
    try:
        actions = run_sync(restore.execute(), request.design.db.connection.call)
    except ItemChanged:
        raise _changed(key) from None
    except ItemRejected as error:
        raise _rejected(key, error) from None
    except OutcomeInDoubt as error:
        raise UsageError(
            f"the reply was lost; look whether {describe_key(key)} was restored: {error}"
        ) from None
    return {
        "change": show_change(request.design, restore.table, key, restore.stored, restore.desired),
        "writes": [_shown(request.design, action) for action in actions],
    }


def restore_table(request: ConsoleRequest) -> dict[str, Any]:
    """Restore a table to a point in time, as a new table."""
    opened, name = request.design, request.path["table"]
    opened.table(name)
    body = request.parse(RestoreTableBody)
    if body.confirm != name:
        raise UsageError(f"type the name of the table to restore it: {name}")
    if not recovery_of(opened, name).enabled:
        raise UsageError(
            f"point-in-time recovery of {name} is not enabled, so its earlier states are unknown"
        )
    time = {"UseLatestRestorableTime": True} if body.at is None else {"RestoreDateTime": body.at}
    target = {"SourceTableName": name, "TargetTableName": body.into}
    reply = opened.db.connection.call("RestoreTableToPointInTime", target | time)
    return _table(reply["TableDescription"])


def show_restored_table(request: ConsoleRequest) -> dict[str, Any]:
    """Show the state of a table that is being restored."""
    request_ = {"TableName": request.path["into"]}
    return _table(request.design.db.connection.call("DescribeTable", request_)["Table"])


def require_source(opened: OpenDesign, name: str) -> VersionSource:
    """Return the source of versions of a table; `UsageError` if it has none."""
    opened.table(name)
    source = version_source(opened, name, recovery_of(opened, name))
    if source is None:
        raise UsageError(
            f"there are no earlier versions of the items of {name}; enable point-in-time recovery on an embedded "
            "database, or a stream with old images"
        )
    return source


def _restore(request: ConsoleRequest, body: VersionBody) -> tuple[ItemRestore, Item]:
    """The restore that a request describes: the stored item, and the earlier one."""
    opened, name = request.design, request.path["table"]
    table = opened.table(name)
    if table is opened.design.key_table:
        raise Forbidden("Encryption keys are not restored here; see docs/how-to/keep-secrets.md.")
    key = whole_text_key(table, body.partition, body.sort)
    desired = _version(require_source(opened, name), key, body)
    read = {"TableName": name, "Key": key, "ConsistentRead": True}
    item: Item | None = opened.db.connection.call("GetItem", read).get("Item")
    layout = _layout(opened, table, item, desired)
    known = opened.attributes_of(table, layout)
    return ItemRestore(opened.db.context, table, layout, item, desired, known), key


def _version(source: VersionSource, key: Item, body: VersionBody) -> Item | None:
    if (body.at is None) == (body.sequence is None):
        raise UsageError("give the time of the version, at, or its change, sequence; not both")
    if body.at is not None:
        items = source.items_at(key, [body.at], None)["items"]
        return items[0][0] if items else None
    sequence = str(body.sequence)
    changes = source.changes(key, None, None, 1000)
    while True:
        for change in changes["changes"]:
            if change["sequence"] == sequence:
                version: Item | None = change[body.side]
                return version
        if changes["complete"] or not changes["changes"]:
            raise UsageError(f"{describe_key(key)} has no change {sequence}; load its versions again")
        changes = source.changes(key, None, changes["changes"][-1]["sequence"], 1000)


def _layout(opened: OpenDesign, table: Table, stored: Item | None, desired: Item | None) -> Layout | None:
    """The entity of an item; `UsageError` for copies and locks, and if it was of another entity."""
    identities: list[Identity] = [identify(opened, table, item) for item in (stored, desired) if item]
    for identity in identities:
        if identity.role in ("copy", "lock"):
            owner = identity.layout.entity.__name__ if identity.layout else "entity"
            raise UsageError(
                f"this item is a {identity.role}; restore its {owner}, and the {identity.role} follows"
            )
    if len(identities) == 2 and identities[0].layout is not identities[1].layout:
        names = [side.layout.entity.__name__ if side.layout else "unknown item" for side in identities]
        raise UsageError(f"the item was of another kind: {names[1]}, now {names[0]}; delete it first")
    return identities[0].layout if identities else None


def _fingerprint(item: Item | None) -> str:
    return ABSENT if item is None else fingerprint(item)


def _shown(opened: OpenDesign, action: WriteAction) -> dict[str, Any]:
    item = action.item or action.key
    identity = identify(opened, action.table, item)
    role = identity.role if action.item else "item"
    return {"kind": _KINDS[action.kind], "role": role, "title": describe_key(action.key)}


def _table(description: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": description["TableName"],
        "status": description["TableStatus"],
        "items": description.get("ItemCount", 0),
        "bytes": description.get("TableSizeBytes", 0),
    }


def _changed(key: Item) -> Conflict:
    return Conflict(f"{describe_key(key)} was changed meanwhile, and nothing was written; look at it again.")


def _rejected(key: Item, error: ItemRejected) -> UsageError:
    return UsageError(f"{describe_key(key)} cannot be restored: {error}")
