"""Item collections: all rows of one partition key, in a table with local indexes and in those indexes."""

from collections.abc import Iterable
from typing import Any

from tablewright.engine.changes import Change
from tablewright.engine.sessions import Reading
from tablewright.engine.state.catalog import Table
from tablewright.values.attributes import Item
from tablewright.values.key_bytes import after, partition

_GIGABYTE = 1 << 30


def collection_metrics(tx: Reading, table: Table, item: Item) -> dict[str, Any]:
    """The `ItemCollectionMetrics` member: the partition key, and the size as a range of whole gigabytes."""
    low = partition([item[name] for name in table.keys.hash])
    spaces = [table.space, *(index.space for index in table.indexes if index.kind == "local")]
    size = sum(tx.rows.totals(space, low, after(low))[1] for space in spaces)
    whole = float(size // _GIGABYTE)
    return {
        "ItemCollectionKey": {name: item[name] for name in table.keys.hash},
        "SizeEstimateRangeGB": [whole, whole + 1.0],
    }


def collections_metrics(tx: Reading, changes: Iterable[Change]) -> dict[str, list[dict[str, Any]]]:
    """The member for many changes, by table: one entry for each changed collection."""
    metrics: dict[str, list[dict[str, Any]]] = {}
    for change in changes:
        item = change.new or change.old
        if item is not None and change.table.has_local_indexes:
            found = collection_metrics(tx, change.table, item.attributes)
            known = metrics.setdefault(change.table.name, [])
            if found not in known:
                known.append(found)
    return metrics
