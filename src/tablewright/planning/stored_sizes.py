"""Stored sizes: the bytes of the items of an entity: its main item, its copies, its locks, and their index rows.

Declared sizes are used; others are estimated from the types of the fields, which gives the order of magnitude only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from tablewright.access.items.footprint import carried_names
from tablewright.design.fields.markers import Unique, Vector
from tablewright.design.indexes import Index
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.field_values import estimated_size
from tablewright.design.layouts.layouts import (
    LOCK,
    OWNER,
    SCHEMA_VERSION,
    CopyLayout,
    FieldLayout,
    KeyLayout,
    Layout,
)
from tablewright.dynamodb.values.item_sizes import CONTAINER, ELEMENT
from tablewright.planning.workloads import EntityUse

OVERHEAD = 100
"""The bytes that DynamoDB adds to every stored item and every index row."""
_NUMBER = 2


@dataclass(frozen=True)
class StoredForm:
    """One kind of item that an entity is stored as: the main item, a copy, or a lock."""

    kind: Literal["item", "copy", "lock"]
    name: str
    layout: Layout
    size: int
    primary: KeyLayout | None
    """Its primary key; None is the key of a lock."""
    keys: tuple[KeyLayout, ...]
    """Its index keys."""
    count: float = 1.0
    """The number of such items of one entity."""

    def row_size(self, index: Index | None) -> int:
        """The bytes of its row in an index, or of the item itself (None)."""
        if index is None or index.projection == "ALL":
            return self.size
        held = {name: size for name, size in self._attributes.items() if index.holds(self.layout.table, name)}
        return min(self.size, _total(held))

    @cached_property
    def _attributes(self) -> Mapping[str, int]:
        return {**_attributes(self.layout), **_key_sizes(self.layout, self.keys)}


def stored_items(layout: Layout, use: EntityUse) -> tuple[StoredForm, ...]:
    """All items of one entity, the main item first."""
    name = layout.entity.__name__
    size = use.size or layout.expect.size or estimated_item_size(layout)
    main = StoredForm("item", name, layout, size, layout.primary, layout.indexes)
    copies = [_copy(layout, copy, size, use) for copy in layout.copies]
    locks = [_lock(layout, field) for field, _ in layout.marked(Unique)]
    return (main, *copies, *locks)


def estimated_item_size(layout: Layout) -> int:
    """The bytes of an item, estimated from the types of its fields."""
    return _total(_attributes(layout))


def _copy(layout: Layout, copy: CopyLayout, size: int, use: EntityUse) -> StoredForm:
    owner = _total(_owner(layout))
    if copy.copy.fields is None:
        whole = size + owner
    else:
        carried = {layout.fields[name].stored for name in carried_names(layout, copy)}
        kept = {name: bytes_ for name, bytes_ in _attributes(layout).items() if name in carried}
        keys = _key_sizes(layout, copy.keys)
        whole = _total({**kept, **keys, **_reserved_sizes(layout)}) + owner
    name = f"{layout.entity.__name__}.{copy.name}"
    return StoredForm("copy", name, layout, whole, copy.primary, copy.indexes, use.copies.get(copy.name, 1.0))


def _lock(layout: Layout, field: FieldLayout) -> StoredForm:
    table = layout.table
    chosen = layout.lock_of(field.name)
    if chosen is not None:
        typed = {table.discriminator: len(chosen.type_name)} if chosen.type_name else {}
        attributes = {attribute: _text_size(layout, template) for attribute, template in chosen.attributes}
        size = _total({**_key_sizes(layout, (chosen.key,)), **typed, **attributes})
        name = f"lock of {layout.entity.__name__}.{field.name}"
        return StoredForm("lock", name, layout, size, None, ())
    name = f"{LOCK}#{layout.type_name or layout.entity.__name__}#{field.name}#"
    key = {table.partition: len(name) + estimated_size(field.annotation)}
    sort = {table.sort: len(LOCK)} if table.sort else {}
    size = _total({**key, **sort, table.discriminator: len(LOCK)}) + _total(_owner(layout))
    return StoredForm("lock", f"lock of {layout.entity.__name__}.{field.name}", layout, size, None, ())


def _attributes(layout: Layout) -> dict[str, int]:
    """The bytes of the value of every attribute of an item."""
    fields = {field.stored: field_size(field) for field in layout.fields.values()}
    return {**fields, **_key_sizes(layout, (layout.primary, *layout.indexes)), **_reserved_sizes(layout)}


def field_size(field: FieldLayout) -> int:
    """The bytes of the value of a field, estimated from its type."""
    vector: Vector | None = field.marker(Vector)
    if vector is None:
        return estimated_size(field.annotation)
    return CONTAINER + vector.dimensions * (ELEMENT + estimated_size(float))


def _reserved_sizes(layout: Layout) -> dict[str, int]:
    typed = {layout.table.discriminator: len(layout.type_name)} if layout.type_name else {}
    return typed | ({SCHEMA_VERSION: _NUMBER} if layout.schema_version is not None else {})


def _owner(layout: Layout) -> dict[str, int]:
    keys = _key_sizes(layout, (layout.primary,))
    return {OWNER: CONTAINER + _total(keys) + ELEMENT * len(keys)}


def _key_sizes(layout: Layout, keys: tuple[KeyLayout, ...]) -> dict[str, int]:
    return {attribute: _text_size(layout, template) for key in keys for attribute, template in key.parts}


def _text_size(layout: Layout, template: Template) -> int:
    size = 0
    for part in template.parts:
        if isinstance(part, str):
            size += len(part)
        elif part.shape:
            size += len(part.shape)
        else:
            field = layout.fields.get(part.name)
            size += estimated_size(field.annotation if field else str)
    return size


def _total(attributes: Mapping[str, int]) -> int:
    return sum(len(name) + size for name, size in attributes.items())
