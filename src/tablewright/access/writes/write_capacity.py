"""Write capacity: the units that DynamoDB charges for the actions of a write, on the table and on its indexes.

- The table: the larger size of the item, before or after. A condition check costs as much as a write of its item.
- An index: nothing when its row stays as it is; one row when it is added, deleted or changed; two when its key changes.
- In a transaction, all of it twice.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from tablewright.access.items.footprint import ComparableKey, comparable_key
from tablewright.access.items.item_values import key_of
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.indexes import Index
from tablewright.design.tables import Table
from tablewright.dynamodb.expressions.placeholders import Scope
from tablewright.dynamodb.expressions.update import update
from tablewright.dynamodb.values.attributes import Item, admit_item
from tablewright.dynamodb.values.capacity import write_units
from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.errors import ValidationError


@dataclass(frozen=True, slots=True)
class MeteredChange:
    """One item before and after a write; None where there is none."""

    before: Item | None
    after: Item | None

    @property
    def size(self) -> int:
        """The larger size, in bytes."""
        return max(item_size(self.before or {}), item_size(self.after or {}))


def requested_key(table: Table, member: Mapping[str, Any]) -> Item:
    """The primary key of the item that one action writes."""
    return key_of(table, member["Item"]) if "Item" in member else member["Key"]


def item_change(
    table: Table, kind: str, member: Mapping[str, Any], stored: Mapping[ComparableKey, Item]
) -> MeteredChange:
    """What one action changes; `kind` is `Put`, `Update`, `Delete` or `ConditionCheck`."""
    key = requested_key(table, member)
    item = stored.get(comparable_key(table, key))
    before = None if item is None else admit_item(item)[0]
    match kind:
        case "Put":
            return MeteredChange(before, admit_item(member["Item"])[0])
        case "Update":
            return MeteredChange(before, _updated(before or admit_item(key)[0], member))
        case "Delete":
            return MeteredChange(before, None)
        case _:
            return MeteredChange(before, before)


def _updated(item: Item, member: Mapping[str, Any]) -> Item:
    """The item after an update; as it is, if the update does not fit the item and fails."""
    scope = Scope(member.get("ExpressionAttributeNames"), member.get("ExpressionAttributeValues"))
    try:
        return update(member["UpdateExpression"], scope).apply(item)
    except ValidationError:
        return item


def units_by_place(
    table: Table, changes: Iterable[MeteredChange], *, transactional: bool
) -> dict[str, float]:
    """The units of all changes: of the table, under its name, and of each index that changes."""
    units = {table.name: 0.0}
    for change in changes:
        units[table.name] += write_units(change.size, transactional=transactional)
        for index in table.indexes:
            rows = _changed_rows(table, index, change)
            if rows:
                charged = sum(write_units(size, transactional=transactional) for size in rows)
                units[index.name] = units.get(index.name, 0.0) + charged
    return units


def _changed_rows(table: Table, index: Index, change: MeteredChange) -> list[int]:
    """The sizes of the rows that are written: none, one, or the old and the new row when the key changes."""
    before, after = _row(table, index, change.before), _row(table, index, change.after)
    if before == after:
        return []
    if before and after and all(before[name] == after[name] for name in index.key):
        return [max(item_size(before), item_size(after))]
    return [item_size(row) for row in (before, after) if row]


def _row(table: Table, index: Index, item: Item | None) -> Item | None:
    """The row of an item in an index; None when the item lacks a key attribute of the index."""
    if item is None or not all(table.type_of(name) in item.get(name, {}) for name in index.key):
        return None
    return {name: value for name, value in item.items() if index.holds(table, name)}
