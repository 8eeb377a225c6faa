"""Change pages: what one region reads of a table in another region.

A page has the changes after a position in the feed, or, while the replica is created, items that have no version. It
also has the members of the group and the shared settings, which are small. Keys are the same bytes in all regions.
"""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import Table
from tablewright.engine.core.state.row_batches import MAX_BYTES, MAX_ROWS
from tablewright.engine.features.replicas.replica_progress import links_of
from tablewright.engine.features.replicas.versions import entry_of, feed, last_number
from tablewright.errors import ResourceNotFound


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


def replica_of(tx: Reading, name: str, group: str) -> Table:
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


def _changes(tx: Reading, table: Table, number: int, reader: str) -> tuple[list[dict[str, Any]], int]:
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


def _items(tx: Reading, table: Table, low: bytes) -> tuple[list[StoredItem], str | None]:
    """Items without a version from a key on, and the key after them."""
    assert table.replica_space is not None
    items: list[StoredItem] = []
    size = 0
    for count, (key, item) in enumerate(_rows(tx, table, low)):
        if count == MAX_ROWS or size > MAX_BYTES:
            return items, key.hex()
        if entry_of(tx.rows, table.replica_space, key) is None:
            items.append(item)
            size += item.size
    return items, None


def _rows(tx: Reading, table: Table, low: bytes) -> Iterator[tuple[bytes, StoredItem]]:
    return tx.rows.range(table.space, low, None)
