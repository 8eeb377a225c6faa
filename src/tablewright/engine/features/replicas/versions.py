"""Versions of items: which write of an item is the newest, in a table that has replicas in other regions.

    "v", key of the item           ->  time, number, region of the last write; kept when the item is deleted
    "f", number                    ->  key of the item: the feed, which other regions read in order
    "d", time, key of the item     ->  an empty row for a deleted item, so that old ones are found
    "c"                            ->  the last number

These rows are in a space of the table. The effect `version_effect` writes them in the transaction of the change. An
item is in the feed once, with the number of its last write, so the feed is never longer than the table, and a region
that was away for long still gets everything. An item that was written before the table had replicas has no version,
which is older than any version.

The newest write wins: the greater time, then the greater region, as the names compare.

Change pages: what one region reads of a table in another region.

A page has the changes after a position in the feed, or, while the replica is created, items that have no version. It
also has the members of the group and the shared settings, which are small. Keys are the same bytes in all regions.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange, ItemVersion
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.sessions import Effect, Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.row_batches import MAX_BYTES, MAX_ROWS
from tablewright.engine.features.replicas.replica_groups import is_replicated, live_members, version_space
from tablewright.engine.features.replicas.replica_progress import links_of
from tablewright.engine.storage import ReadView, Transaction
from tablewright.errors import ResourceNotFound

VERSION, FEED, DELETED, COUNTER = b"v", b"f", b"d", b"c"
EXPIRY_DELAY = 24 * 3600
"""Seconds after which every region deletes an expired item that another region wrote."""
_EMPTY = StoredItem(b"", 0)


class VersionEntry(NamedTuple):
    """The version of an item, and its number in the feed."""

    version: ItemVersion
    number: int


class FeedRow(NamedTuple):
    """One row of the feed."""

    number: int
    key: bytes
    version: ItemVersion
    item: StoredItem | None


def version_effect(definition: Mapping[str, Any]) -> Effect | None:
    """The effect of a table with replicas: give the changed item its new version, and its number in the feed."""
    replication = definition.get("Replication")
    if not replication:
        return None
    space = replication["Space"]

    def note_version(tx: Writing, change: ItemChange, meter: CapacityMeter | None) -> None:
        record_version(tx, change, space)

    return note_version


def record_version(tx: Writing, change: ItemChange, space: int) -> None:
    """Give the changed item its new version, and the next number in the feed."""
    current = entry_of(tx.rows, space, change.key)
    version = change.version
    if version is None:
        after = current.version.time + 1 if current is not None else 0
        version = ItemVersion(max(int(tx.now() * 1_000_000), after), tx.state.region)
    if current is not None:
        tx.rows.delete(space, FEED + _eight(current.number))
        if change.old is None:
            tx.rows.delete(space, _deleted_key(current.version, change.key))
    number = last_number(tx.rows, space) + 1
    tx.rows.put(space, COUNTER, _row(_eight(number)))
    tx.rows.put(space, FEED + _eight(number), _row(change.key))
    tx.rows.put(
        space,
        VERSION + change.key,
        _row(_eight(version.time) + _eight(number) + version.region.encode()),
    )
    if change.new is None:
        tx.rows.put(space, _deleted_key(version, change.key), _EMPTY)


def entry_of(rows: ReadView, space: int, key: bytes) -> VersionEntry | None:
    """The version of the item at a key, also of a deleted one; None when it has none."""
    row = rows.get(space, VERSION + key)
    return None if row is None else _entry(row)


def last_number(rows: ReadView, space: int) -> int:
    """The last number of the feed; 0 when it is empty."""
    row = rows.get(space, COUNTER)
    return 0 if row is None else int.from_bytes(row.raw, "big")


def feed(tx: Reading, table: StoredTable, above: int, limit: int) -> list[FeedRow]:
    """Up to `limit` rows of the feed after a number, with the items as they are now."""
    space = version_space(table)
    rows: list[FeedRow] = []
    entries = tx.rows.range(space, FEED + _eight(above + 1), FEED + b"\xff" * 9)
    for place, row in list(islice(entries, limit)):
        entry = entry_of(tx.rows, space, row.raw)
        if entry is not None:
            item = tx.rows.get(table.space, row.raw)
            rows.append(FeedRow(_number(place[1:]), row.raw, entry.version, item))
    return rows


def expires_elsewhere(tx: Reading, table: StoredTable, key: bytes, expiry: int) -> bool:
    """Whether another region deletes an item that expired."""
    return is_replicated(table) and not expires_here(tx, table, key, expiry)


def expires_here(tx: Reading, table: StoredTable, key: bytes, expiry: int) -> bool:
    """Whether this region deletes an item that expired at a time: the region that wrote it last, as a rule.

    The other regions replicate the deletion: only one stream has a record by the service. If the item is still there a
    day later, because its region cannot be reached, each region deletes it.
    """
    entry = entry_of(tx.rows, version_space(table), key)
    regions = live_members(table.definition)
    if entry is None or entry.version.region == tx.state.region:
        return True
    owner = entry.version.region if entry.version.region in regions else min(regions)
    return owner == tx.state.region or tx.now() > expiry + EXPIRY_DELAY


def deleted(rows: ReadView, space: int, before: int) -> Iterator[tuple[bytes, bytes]]:
    """Deleted items whose time is before that one, oldest first: the row and the key of the item."""
    for place, _ in rows.range(space, DELETED, DELETED + _eight(before)):
        yield place, place[9:]


def forget_deleted(rows: Transaction, space: int, place: bytes, key: bytes) -> None:
    """Remove the version of a deleted item."""
    entry = entry_of(rows, space, key)
    if entry is not None:
        rows.delete(space, FEED + _eight(entry.number))
        rows.delete(space, VERSION + key)
    rows.delete(space, place)


def _entry(row: StoredItem) -> VersionEntry:
    raw = row.raw
    return VersionEntry(ItemVersion(_number(raw[:8]), raw[16:].decode()), _number(raw[8:16]))


def _deleted_key(version: ItemVersion, key: bytes) -> bytes:
    return DELETED + _eight(version.time) + key


def _eight(number: int) -> bytes:
    return number.to_bytes(8, "big")


def _number(raw: bytes) -> int:
    return int.from_bytes(raw, "big")


def _row(raw: bytes) -> StoredItem:
    return StoredItem(raw, 0)


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a reader: its region, the number up to which it has all changes, and its copy."""

    table: str
    group: str
    region: str
    epoch: str | None
    number: int
    copy_from: bytes | None
    """The key from which it copies items without a version; None when it does not copy."""


def replica_of(tx: Reading, name: str, group: str) -> StoredTable:
    """The replica of a group in this region, or ResourceNotFoundException."""
    table = tx.durable_table(name)
    replication = table.definition.get("Replication") if table is not None else None
    if table is None or replication is None or replication["Group"] != group:
        raise ResourceNotFound(f"Requested resource not found: Table: {name} not found")
    return table


def read_page(tx: Reading, place: Place) -> dict[str, Any]:
    """The page at a position."""
    table = replica_of(tx, place.table, place.group)
    replication = table.definition["Replication"]
    space = replication["Space"]
    newest = last_number(tx.rows, space)
    # A feed of another epoch, or a shorter one (the data file was restored), is read from its beginning.
    number = place.number if place.epoch == replication["Epoch"] and place.number <= newest else 0
    if place.region in replication["Members"]:  # A request may name anything.
        links_of(tx.state).progress.note_read(space, place.region, number)
    page: dict[str, Any] = {
        "Epoch": replication["Epoch"],
        "Members": replication["Members"],
        "Settings": replication["Settings"],
        "Items": [],
        "CopyNext": None,
    }
    if place.copy_from is not None:
        page["Items"], page["CopyNext"] = _items(tx, table, place.copy_from)
    page["Changes"], page["Number"] = _changes(tx, table, number, place.region)
    page["More"] = page["CopyNext"] is not None or page["Number"] < newest
    return page


def _changes(tx: Reading, table: StoredTable, number: int, reader: str) -> tuple[list[dict[str, Any]], int]:
    """The changes after a number that were not made in the reader's region, and the number of the last one."""
    changes, size = [], 0
    for row in feed(tx, table, number, MAX_ROWS):
        number = row.number
        if row.version.region != reader:
            changes.append(
                {
                    "Key": b64encode(row.key).decode(),
                    "Version": [row.version.time, row.version.region],
                    "Item": row.item,
                }
            )
            size += row.item.size if row.item is not None else 0
        if size > MAX_BYTES:
            break
    return changes, number


def _items(tx: Reading, table: StoredTable, low: bytes) -> tuple[list[StoredItem], str | None]:
    """Items without a version from a key on, and the key after them."""
    items: list[StoredItem] = []
    size = 0
    for count, (key, item) in enumerate(_rows(tx, table, low)):
        if count == MAX_ROWS or size > MAX_BYTES:
            return items, key.hex()
        if entry_of(tx.rows, version_space(table), key) is None:
            items.append(item)
            size += item.size
    return items, None


def _rows(tx: Reading, table: StoredTable, low: bytes) -> Iterator[tuple[bytes, StoredItem]]:
    return tx.rows.range(table.space, low, None)
