"""Received changes: a page of another region, applied to the replica in this region, in one transaction.

The position of the reader is written in the same transaction, so a page is applied completely or not at all, however
the process ends. A change is applied only if its version is newer than that of the item: a page that is read twice
changes nothing the second time.

    "p", region   ->  the position in the feed of that region, in the space of the table's versions
"""

from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.dynamodb.values.stored_items import StoredItem, decode, encode
from tablewright.engine.core.changes import ItemChange, ItemVersion
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.features.replicas.membership import require_group
from tablewright.engine.features.replicas.replica_groups import (
    live_members,
    newest,
    version_space,
    with_member,
)
from tablewright.engine.features.replicas.settings_sync import apply_settings
from tablewright.engine.features.replicas.versions import Place, entry_of

_POSITION = b"p"

Page = Mapping[str, Any]


def place_of(tx: Reading, table: StoredTable, region: str) -> Place:
    """The position of this region in the feed of another one."""
    replication = table.definition["Replication"]
    row = tx.rows.get(replication["Space"], _POSITION + region.encode())
    stored: dict[str, Any] = decode(row.raw) if row is not None else {"Epoch": None, "Number": 0}
    own = replication["Members"][tx.state.region]
    copies = own["Status"] == "CREATING" and own["Source"] == region and not stored.get("Copied")
    return Place(
        table=table.name,
        group=replication["Group"],
        region=tx.state.region,
        epoch=stored["Epoch"],
        number=stored["Number"],
        copy_from=bytes.fromhex(stored.get("CopyFrom") or "") if copies else None,
    )


def _awaits(table: StoredTable, own: str, source: str) -> bool:
    """Whether this region is a new replica that copies a source."""
    member = table.definition["Replication"]["Members"][own]
    return bool(member["Status"] == "CREATING" and member["Source"] == source)


def is_news(table: StoredTable, place: Place, source: str, page: Page) -> bool:
    """Whether a page has anything to apply or to remember."""
    replication = table.definition["Replication"]
    return (
        bool(page["Changes"] or page["Items"])
        or _awaits(table, place.region, source)
        or (page["Epoch"], page["Number"]) != (place.epoch, place.number)
        or newest(replication["Members"], page["Members"]) != replication["Members"]
        or newest(replication["Settings"], page["Settings"]) != replication["Settings"]
    )


def receive(tx: Writing, name: str, place: Place, region: str, page: Page) -> int:
    """Apply a page; return the number of items that it changed."""
    table = tx.state.catalog.find(name)
    if table is None or (table.definition.get("Replication") or {}).get("Group") != place.group:
        return 0
    table = _merge(tx, table, page)
    changed = sum(_receive_change(tx, table, change) for change in page["Changes"])
    changed += sum(_receive_item(tx, table, item, region) for item in page["Items"])
    _save_position(tx, table, place, region, page)
    _become_active(tx, table, place, region, page)
    return changed


def _merge(tx: Writing, table: StoredTable, page: Page) -> StoredTable:
    """Merge members and settings, and apply what changed for this region."""
    replication = table.definition["Replication"]
    members = newest(replication["Members"], page["Members"])
    settings = newest(replication["Settings"], page["Settings"])
    if (members, settings) == (replication["Members"], replication["Settings"]):
        return table
    # A malformed entry would be passed on to every other region.
    require_group(members, settings)
    merged = {**replication, "Members": members, "Settings": settings}
    table = tx.state.catalog.save(tx.rows, {**table.definition, "Replication": merged})
    own = tx.state.region
    if settings != replication["Settings"] or members[own] != replication["Members"][own]:
        table = apply_settings(tx, table)
    return table


def _receive_change(tx: Writing, table: StoredTable, change: Mapping[str, Any]) -> bool:
    key, version = b64decode(change["Key"]), ItemVersion(*change["Version"])
    current = entry_of(tx.rows, version_space(table), key)
    if current is not None and current.version >= version:
        return False
    new = None if change["Item"] is None else StoredItem.of(change["Item"], item_size(change["Item"]))
    old = tx.rows.get(table.space, key)
    tx.apply(ItemChange(table, key, old, new, version=version))
    return True


def _receive_item(tx: Writing, table: StoredTable, item: dict[str, Any], source: str) -> bool:
    """Copy an item that had no version when it was read: every other version is newer."""
    key = table.keys.of_item(item)
    if entry_of(tx.rows, version_space(table), key) is not None or tx.rows.get(table.space, key) is not None:
        return False
    new = StoredItem.of(item, item_size(item))
    tx.apply(ItemChange(table, key, None, new, version=ItemVersion(0, source)))
    return True


def _save_position(tx: Writing, table: StoredTable, place: Place, region: str, page: Page) -> None:
    space = table.definition["Replication"]["Space"]
    stored: dict[str, Any] = {"Epoch": page["Epoch"], "Number": page["Number"], "Copied": True}
    if place.copy_from is not None and page["CopyNext"] is not None:
        stored |= {"Copied": False, "CopyFrom": page["CopyNext"]}
    tx.rows.put(space, _POSITION + region.encode(), StoredItem(encode(stored), 0))


def _become_active(tx: Writing, table: StoredTable, place: Place, region: str, page: Page) -> None:
    """Change the status of a new replica when everything of its source was copied."""
    own = live_members(table.definition).get(tx.state.region, {})
    is_copied = own.get("Status") == "CREATING" and own.get("Source") == region and not page["More"]
    current = tx.state.catalog.find(table.name)
    if is_copied and current is not None and "Building" not in current.definition:
        definition = with_member(
            current.definition, tx.state.region, tx.now(), tx.state.region, {"Status": "ACTIVE"}
        )
        tx.state.catalog.save(tx.rows, definition)
