"""Contributors: the most accessed and throttled keys of a table or index, as attribute values."""

from collections.abc import Callable, Iterable
from typing import Any

from tablewright.dynamodb.values.key_bytes import after
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import Index, Table
from tablewright.engine.features.insights.access_counts import SpaceCounts, TopKeys
from tablewright.engine.features.insights.insight_settings import counts_of, insights_table
from tablewright.errors import ValidationError

Contributor = dict[str, Any]
Contributors = dict[str, list[Contributor]]


def contributors(tx: Reading, name: str, index_name: str | None = None) -> Contributors:
    """The keys with their counts, the most frequent first; keys whose items are gone are left out."""
    table = insights_table(tx, name, index_name)
    space: Table | Index = table
    if index_name is not None:
        found = table.index(index_name)
        assert found is not None
        space = found
    all_counts = counts_of(tx.state)
    counts = all_counts.of(space.space) if all_counts else None
    if counts is None:
        raise ValidationError(
            f"contributor insights of {index_name or table.name} are not enabled; "
            "enable them with UpdateContributorInsights"
        )
    return _shown(tx, space, counts)


def _shown(tx: Reading, space: Table | Index, counts: SpaceCounts) -> Contributors:
    def in_partition(prefix: bytes) -> StoredItem | None:
        rows = tx.rows.range(space.space, prefix, after(prefix))
        return next((row for _, row in rows), None)

    def at_key(key: bytes) -> StoredItem | None:
        return tx.rows.get(space.space, key)

    hash_names = space.keys.hash
    return {
        "accessed_partitions": _named(counts.accessed_partitions, hash_names, in_partition),
        "accessed_keys": _named(counts.accessed_keys, space.keys.names, at_key),
        "throttled_partitions": _named(counts.throttled_partitions, hash_names, in_partition),
    }


def _named(
    top: TopKeys, names: Iterable[str], find: Callable[[bytes], StoredItem | None]
) -> list[Contributor]:
    found = ((find(key), count) for key, count in top.most_frequent())
    return [
        {"key": {name: row.attributes[name] for name in names}, "count": count}
        for row, count in found
        if row is not None
    ]
