"""Shown changes: an item before and after a change, as the page shows it, without secret values."""

from typing import Any, Literal

from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import identify, show_item, visible
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item, normalise

ChangeKind = Literal["inserted", "modified", "removed", "same"]


def show_change(
    opened: OpenDesign, table: Table, key: Item, before: Item | None, after: Item | None
) -> dict[str, Any]:
    """Describe a change for the page.

    - what `show_item` describes, of the newer of the two: `role`, `entity`, `title`, `key`, `key_parts`, `attributes`
    - `kind`: `inserted`, `modified`, `removed`, or `same` when both are equal
    - `before`, `after`: the item in DynamoDB's JSON, secret values replaced, or None
    - `changed`: the names of the attributes that differ; secret ones too, though their values are hidden
    """
    shown = show_item(opened, table, after or before or key)
    for name in ("item", "problem", "size"):
        del shown[name]
    return shown | {
        "kind": change_kind(before, after),
        "before": _visible(opened, table, before),
        "after": _visible(opened, table, after),
        "changed": changed_attributes(before, after),
    }


def change_kind(before: Item | None, after: Item | None) -> ChangeKind:
    """Return what happened to an item."""
    if before is None:
        return "same" if after is None else "inserted"
    if after is None:
        return "removed"
    return "modified" if changed_attributes(before, after) else "same"


def changed_attributes(before: Item | None, after: Item | None) -> list[str]:
    """Return the names of the attributes that differ, in the order of the items.

    >>> changed_attributes({"a": {"N": "1"}, "b": {"N": "2"}}, {"a": {"N": "1.0"}, "c": {"S": "x"}})
    ['b', 'c']
    """
    old, new = before or {}, after or {}
    return [name for name in dict.fromkeys((*old, *new)) if _differs(old.get(name), new.get(name))]


def _differs(old: dict[str, Any] | None, new: dict[str, Any] | None) -> bool:
    if old is None or new is None or old == new:
        return old != new
    return normalise(old) != normalise(new)


def _visible(opened: OpenDesign, table: Table, item: Item | None) -> Item | None:
    return None if item is None else visible(opened, table, item, identify(opened, table, item).layout)
