"""Item collections: their size limit, and their metrics in replies.

A table with a local index limits each collection to 10 GB: a write that would make a larger one is rejected. Writes
that do not make it larger are accepted, as is everything in tables without local indexes.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LSI.html#LSI.ItemCollections.SizeLimit
"""

from collections.abc import Iterable
from typing import Any

from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.key_bytes import partition, partition_of
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.collection_sizes import collection_size
from tablewright.engine.core.index_rows import index_changes
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.errors import ItemCollectionSizeLimitExceeded

_GIGABYTE = 1 << 30


class _Collection:
    """One collection in the course of a request."""

    __slots__ = ("bound", "pending", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        """Its bytes, without the pending changes."""
        self.bound = size
        """Its bytes at most, with the pending changes."""
        self.pending: list[ItemChange] = []
        """Accepted changes whose exact growth was not needed yet."""


class CollectionLimit:
    """Checks the changes of one request, each after those before it, before any of them is applied."""

    __slots__ = ("_collections", "_tx")

    def __init__(self, tx: Reading) -> None:
        self._tx = tx
        self._collections: dict[tuple[int, bytes], _Collection] = {}

    def require(self, change: ItemChange) -> None:
        """Raise ItemCollectionSizeLimitExceeded if the change makes its collection larger than the limit."""
        table, head = change.table, partition_of(change.key)
        if not table.has_local_indexes or change.new is None:
            return
        collection = self._collections.get((table.id, head))
        if collection is None:
            collection = _Collection(collection_size(self._tx.rows, table, head))
            self._collections[table.id, head] = collection
        limit = self._tx.state.max_collection_size
        bound = collection.bound + change.new.size * (1 + len(table.indexes))
        if bound <= limit:
            collection.bound = bound
            collection.pending.append(change)
            return
        growth = _growth(change)
        collection.size += sum(map(_growth, collection.pending))
        collection.bound = collection.size
        collection.pending.clear()
        if growth > 0 and collection.size + growth > limit:
            raise ItemCollectionSizeLimitExceeded("Collection size exceeded")
        collection.size = collection.bound = collection.size + growth


def require_room(tx: Reading, change: ItemChange) -> None:
    """Reject the only change of a request if it makes its collection larger than the limit."""
    CollectionLimit(tx).require(change)


def _growth(change: ItemChange) -> int:
    """The bytes that a change adds to its collection."""
    growth = (change.new.size if change.new else 0) - (change.old.size if change.old else 0)
    for index, before, after in index_changes(change.table, change.key, change.old, change.new):
        if index.kind == "local":
            growth += (after[1].size if after else 0) - (before[1].size if before else 0)
    return growth


def collection_metrics(tx: Reading, table: StoredTable, item: Item) -> dict[str, Any]:
    """The `ItemCollectionMetrics` member: the partition key, and the size as a range of whole gigabytes."""
    size = collection_size(tx.rows, table, partition([item[name] for name in table.keys.hash]))
    whole = float(size // _GIGABYTE)
    return {
        "ItemCollectionKey": {name: item[name] for name in table.keys.hash},
        "SizeEstimateRangeGB": [whole, whole + 1.0],
    }


def collections_metrics(tx: Reading, changes: Iterable[ItemChange]) -> dict[str, list[dict[str, Any]]]:
    """The member for many changes, by table: one entry for each changed collection."""
    metrics: dict[str, list[dict[str, Any]]] = {}
    for change in changes:
        item = change.new or change.old
        if item is not None and change.table.has_local_indexes:
            entry = collection_metrics(tx, change.table, item.attributes)
            known = metrics.setdefault(change.table.name, [])
            if entry not in known:
                known.append(entry)
    return metrics
