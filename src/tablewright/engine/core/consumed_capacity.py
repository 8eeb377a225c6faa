"""Consumed capacity: the units that a request used, by table and index, as ConsumedCapacity shows them."""

from typing import Any

from tablewright.dynamodb.values.capacity import write_units
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.index_rows import Row
from tablewright.engine.core.state.catalog import StoredIndex, StoredTable


class CapacityMeter:
    """The capacity that one request consumed on one table."""

    __slots__ = ("_indexes", "_other_indexes", "_read", "_table", "_transactional", "_write")

    def __init__(self, table: StoredTable, *, transactional: bool = False) -> None:
        self._table = table
        self._transactional = transactional
        self._read = 0.0
        self._write = 0.0
        self._indexes: dict[StoredIndex, float] = {}
        self._other_indexes: dict[str, dict[str, dict[str, float]]] | None = None

    @property
    def table(self) -> StoredTable:
        """The table of this meter."""
        return self._table

    @property
    def total(self) -> float:
        """All units, of the table and its indexes."""
        return self._read + self._write + sum(self._indexes.values())

    def read(self, units: float, index: StoredIndex | None = None) -> None:
        """Charge a read to the table, or to an index."""
        if index is None:
            self._read += units
        else:
            self._indexes[index] = self._indexes.get(index, 0.0) + units

    def write(self, old: StoredItem | None, new: StoredItem | None) -> None:
        """Charge a write of the table by the larger size of the item, before or after."""
        size = max(old.size if old else 0, new.size if new else 0)
        self._write += write_units(size, transactional=self._transactional)

    def write_index(self, index: StoredIndex, before: Row | None, after: Row | None) -> None:
        """Charge a write of an index: one for a row that is added, deleted or changed, two when its key changes."""
        units = 0.0
        if before and after and before[0] == after[0]:
            units = write_units(max(before[1].size, after[1].size), transactional=self._transactional)
        else:
            for row in (before, after):
                if row:
                    units += write_units(row[1].size, transactional=self._transactional)
        self._indexes[index] = self._indexes.get(index, 0.0) + units

    def write_other_index(self, member: str, name: str, unit: str, amount: float) -> None:
        """Charge a write of an index of another kind, in a unit of its own, which is not part of the total."""
        charged = self._other_indexes = self._other_indexes or {}
        units = charged.setdefault(member, {}).setdefault(name, {})
        units[unit] = units.get(unit, 0.0) + amount

    def show(self, detail: str | None) -> dict[str, Any]:
        """The `ConsumedCapacity` member."""
        shown: dict[str, Any] = {"TableName": self._table.name, "CapacityUnits": self.total}
        if self._transactional:
            self._split(shown, self._read, self._write + sum(self._indexes.values()))
        if detail == "INDEXES":
            shown["Table"] = {"CapacityUnits": self._read + self._write}
            if self._transactional:
                self._split(shown["Table"], self._read, self._write)
            for member, kind in (("LocalSecondaryIndexes", "local"), ("GlobalSecondaryIndexes", "global")):
                charged = {
                    index.name: self._index_units(units)
                    for index, units in self._indexes.items()
                    if index.kind == kind
                }
                if charged:
                    shown[member] = charged
            shown |= self._other_indexes or {}
        return shown

    def _index_units(self, units: float) -> dict[str, float]:
        shown = {"CapacityUnits": units}
        if self._transactional:
            self._split(shown, 0.0, units)
        return shown

    @staticmethod
    def _split(shown: dict[str, Any], read: float, write: float) -> None:
        """Transactions show reads and writes separately."""
        if read:
            shown["ReadCapacityUnits"] = read
        if write:
            shown["WriteCapacityUnits"] = write


class CapacityMeters:
    """The meters of one request, one for each table."""

    def __init__(self, detail: str | None, *, transactional: bool = False) -> None:
        self._detail = detail
        self._transactional = transactional
        self._meters: dict[str, CapacityMeter] = {}

    def of(self, table: StoredTable) -> CapacityMeter:
        """The meter of a table."""
        meter = self._meters.get(table.name)
        if meter is None:
            meter = self._meters[table.name] = CapacityMeter(table, transactional=self._transactional)
        return meter

    @property
    def total(self) -> float:
        """All units, of all tables."""
        return sum(meter.total for meter in self._meters.values())

    def requested(self, table: StoredTable) -> CapacityMeter | None:
        """The meter of a table, if the request has ReturnConsumedCapacity."""
        return self.of(table) if self._detail in ("TOTAL", "INDEXES") else None

    def add_to(self, reply: dict[str, Any]) -> dict[str, Any]:
        """The reply with its `ConsumedCapacity`, if the request has ReturnConsumedCapacity."""
        if self._detail in ("TOTAL", "INDEXES"):
            reply["ConsumedCapacity"] = [meter.show(self._detail) for meter in self._meters.values()]
        return reply


def meter_for(table: StoredTable, detail: str | None) -> CapacityMeter | None:
    """A meter, if the request has ReturnConsumedCapacity."""
    return CapacityMeter(table) if detail in ("TOTAL", "INDEXES") else None
