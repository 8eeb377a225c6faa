"""Unique locks: the item that claims a unique value.

The key of a lock is made of the unique value, so that a second entity with the same value finds the key taken. The lock
is written in the same transaction as its entity.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from tablewright.access.items.key_values import LONGEST_PARTITION
from tablewright.design.fields.markers import Unique
from tablewright.design.keys.key_formats import key_text
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.design.layouts.reserved_attributes import OWNER
from tablewright.design.tables.tables import Table
from tablewright.values.attributes import AttributeValue, Item

LOCK = "_lock"
"""The discriminator of a lock, and the prefix of its key."""


def is_lock(table: Table, item: Item) -> bool:
    """Return whether an item is the lock of a unique value."""
    return OWNER in item and str(item[table.partition].get("S", "")).startswith(f"{LOCK}#")


def lock_key(table: Table, layout: Layout, field: FieldLayout, values: Mapping[str, Any]) -> Item:
    """Return the key of the lock for a unique value; no two values, fields or entities share one.

    `_lock#USER#email#ada@example.com`; the values of the `within` fields come before the unique value.
    """
    unique: Unique = field.marker(Unique)
    value = key_text(field.name, values[field.name])
    bounds = [None if values.get(name) is None else key_text(name, values[name]) for name in unique.within]
    parts = [layout.type_name or layout.entity.__name__, field.name, *bounds]
    text = "#".join(
        [LOCK, *map(_escaped, parts), _escaped(unique.normalise(value) if unique.normalise else value)]
    )
    if len(text.encode()) > LONGEST_PARTITION:
        text = "#".join(
            [LOCK, *map(_escaped, parts[:2]), "%sha256", hashlib.sha256(text.encode()).hexdigest()]
        )
    key: Item = {table.partition: {"S": text}}
    if table.sort is not None:
        fillers: dict[str, AttributeValue] = {"S": {"S": LOCK}, "N": {"N": "0"}, "B": {"B": LOCK.encode()}}
        key[table.sort] = fillers[table.type_of(table.sort)]
    return key


def _escaped(part: str | None) -> str:
    return "%" if part is None else part.replace("%", "%25").replace("#", "%23")
