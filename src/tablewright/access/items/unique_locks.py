"""Unique locks: the item that claims a unique value.

The key of a lock is made of the unique value, so that a second entity with the same value finds the key taken. Its key
and attributes are the library's own, or those of `Unique(key=...)`.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tablewright.access.items.item_values import (
    from_attribute,
    key_values,
    parse_key,
    to_attribute,
)
from tablewright.design.fields.markers import Unique
from tablewright.design.keys.text_formats import key_text
from tablewright.design.layouts.layouts import (
    LOCK,
    OWNER,
    FieldLayout,
    Layout,
    LockLayout,
)
from tablewright.design.tables import Table
from tablewright.dynamodb.limits import MAX_PARTITION_KEY
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.errors import KeyValueError


def is_lock(table: Table, item: Item) -> bool:
    """Return whether an item is the lock of a unique value."""
    return OWNER in item and str(item[table.partition].get("S", "")).startswith(f"{LOCK}#")


def chosen_lock(table: Table, lock: LockLayout, values: Mapping[str, Any]) -> Item:
    """Return the lock for a unique value as the design describes it; attributes without a value are left out."""
    item: Item = key_values(table, lock.key, values) or {}
    if lock.type_name is not None:
        item[table.discriminator] = {"S": lock.type_name}
    for name, template in lock.attributes:
        if all(values.get(source) is not None for source in template.names):
            is_value = template.is_value
            item[name] = (
                to_attribute(values[template.names[0]]) if is_value else {"S": template.render(values)}
            )
    return item


def lock_owner(layout: Layout, lock: LockLayout, item: Item) -> Item | None:
    """Return the primary key of the entity that owns a lock; None when the lock does not contain it."""
    lock_values: dict[str, Any] = {}
    for attribute, template in lock.key.parts:
        lock_values |= parse_key(item[attribute], template)
    lock_values |= {
        name: from_attribute(item[attribute]) for attribute, name in lock.owner.items() if attribute in item
    }
    sources = {name: layout.fields.get(name) or layout.computed[name] for name in layout.primary.names}
    try:
        values = {
            name: TypeAdapter(field.annotation).validate_python(lock_values[name])
            for name, field in sources.items()
        }
        return key_values(layout.table, layout.primary, values)
    except (LookupError, ValidationError, KeyValueError):
        return None


def lock_in(layouts: Iterable[Layout], item: Item) -> tuple[Layout, LockLayout] | None:
    """Return the lock that an item is, among those whose keys the design chooses, and the layout of its owner."""
    for layout in layouts:
        for lock in layout.locks:
            if lock.matches(layout.table, item):
                return layout, lock
    return None


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
    if (len(text) if text.isascii() else len(text.encode())) > MAX_PARTITION_KEY:
        text = "#".join(
            [LOCK, *map(_escaped, parts[:2]), "%sha256", hashlib.sha256(text.encode()).hexdigest()]
        )
    key: Item = {table.partition: {"S": text}}
    if table.sort is not None:
        key[table.sort] = _FILLERS[table.type_of(table.sort)]
    return key


_FILLERS: dict[str, AttributeValue] = {"S": {"S": LOCK}, "N": {"N": "0"}, "B": {"B": LOCK.encode()}}
"""The sort key of a lock, by its type."""


def _escaped(part: str | None) -> str:
    return "%" if part is None else part.replace("%", "%25").replace("#", "%23")
