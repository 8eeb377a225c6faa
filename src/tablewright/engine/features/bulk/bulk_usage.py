"""Bulk usage: the bytes that a bulk operation wrote to a table and to each of its indexes.

Bytes are item sizes as stored: the whole item in the table, the projected part of it in an index.
"""

from typing import Any

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.index_rows import Row
from tablewright.engine.core.state.catalog import Index, Table

_MEMBERS = {"local": "LocalSecondaryIndexes", "global": "GlobalSecondaryIndexes"}


class UsageMeter(CapacityMeter):
    """Counts the bytes of each write, beside its capacity units."""

    __slots__ = ("_bytes", "_index_bytes", "_vector_bytes")

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._bytes = 0
        self._index_bytes: dict[Index, int] = {}
        self._vector_bytes: dict[str, int] = {}

    def write(self, old: StoredItem | None, new: StoredItem | None) -> None:
        """Count a write of the table."""
        super().write(old, new)
        self._bytes += new.size if new else 0

    def write_index(self, index: Index, before: Row | None, after: Row | None) -> None:
        """Count a write of an index."""
        super().write_index(index, before, after)
        self._index_bytes[index] = self._index_bytes.get(index, 0) + (after[1].size if after else 0)

    def write_vector_index(self, name: str, size: float) -> None:
        """Count a write of a vector index; its bytes are not part of `BulkPutBytes`."""
        super().write_vector_index(name, size)
        self._vector_bytes[name] = self._vector_bytes.get(name, 0) + int(size)

    def add_to(self, usage: dict[str, Any]) -> None:
        """Add the bytes to an entry of `BulkOperationUsage`."""
        _add(usage, self._bytes + sum(self._index_bytes.values()))
        _add(usage.setdefault("Table", {}), self._bytes)
        for index, size in self._index_bytes.items():
            member = usage.setdefault(_MEMBERS[index.kind], {})
            _add(member.setdefault(index.name, {}), size)
        for name, size in self._vector_bytes.items():
            entry = usage.setdefault("VectorIndexes", {}).setdefault(name, {})
            entry["BulkPutVectorBytes"] = entry.get("BulkPutVectorBytes", 0) + size


def _add(entry: dict[str, Any], size: int) -> None:
    entry["BulkPutBytes"] = entry.get("BulkPutBytes", 0) + size
