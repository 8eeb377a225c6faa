"""Footprint: all items that one entity stores.

- The main item: attributes, index keys, discriminator, schema version.
- Copies (`Copy`): one, or one for each element of a list.
- Locks (`Unique`): an item whose key is made of the unique value, so that a second entity finds the key taken.

Copies and locks are the dependents of an entity: they have its primary key in `_of`, expire with it, and are written in
the same transaction. A lock has the type `_lock`, and no attribute that is an index key. A lock whose key the design
chooses, `Unique(key=...)`, has the attributes that the design chooses.

A footprint is computed from the entity alone. Every write is the difference of two footprints.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from tablewright.access.items.item_values import (
    from_attribute,
    is_key,
    key_values,
    model_attributes,
)
from tablewright.access.items.unique_locks import chosen_lock, lock_key
from tablewright.access.items.vault import Vault, lookup_values
from tablewright.design.entities.entities import Entity
from tablewright.design.entities.references import DeclaredReference
from tablewright.design.fields.markers import Unique
from tablewright.design.layouts.layouts import (
    KEPT,
    LOCK,
    OWNER,
    SCHEMA_VERSION,
    CopyLayout,
    FieldLayout,
    Layout,
    LockLayout,
)
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.numbers import canonical
from tablewright.errors import DesignError, InvalidWrite, KeyValueError, TablewrightError


def entity_values(entity: Entity) -> Mapping[str, Any]:
    """Return the fields of an entity, and the computed fields that are used in its keys."""
    computed = entity.layout.computed
    if not computed:
        return entity.__dict__
    return {**entity.__dict__, **{name: _computed(entity, name) for name in computed}}


def computed_values(entity: Entity) -> dict[str, Any]:
    """Return the computed fields of a partial entity that depend on no field which was not read."""
    fields = {
        name: field for name, field in entity.layout.computed.items() if field.computed_from is not None
    }
    known = [
        name for name, field in fields.items() if entity.__dict__.keys() >= (field.computed_from or set())
    ]
    return {name: _computed(entity, name) for name in known}


def _computed(entity: Entity, name: str) -> Any:
    try:
        return getattr(entity, name)
    except DesignError:
        raise
    except Exception as error:  # a function of the user
        raise KeyValueError(f"{name} cannot be computed: {type(error).__name__}: {error}") from error


ComparableKey: TypeAlias = tuple[tuple[str, str, str | bytes], ...]
"""A primary key in a form that can be compared: the name, type and content of each of its attributes."""


class Dependent(NamedTuple):
    """A copy or lock of an entity. `field` is the unique field of a lock, `copy` the name of a copy."""

    item: Item
    mark: Item
    """The attributes by which the item shows its owner: `_of`, or those that the design chooses for a lock."""
    field: FieldLayout | None = None
    copy: str = ""
    value: Any = None
    """The unique value of a lock, unless it is secret."""
    within: tuple[str, ...] = ()
    """The fields that limit the scope of a unique value."""
    lock: LockLayout | None = None
    """The layout of a lock whose key the design chooses."""


class Footprint(NamedTuple):
    """The items of one entity, not encrypted."""

    layout: Layout
    key: Item
    main: Item
    dependents: Mapping[ComparableKey, Dependent]

    def items(self) -> list[Item]:
        """Return all items, the main item first."""
        return [self.main, *(dependent.item for dependent in self.dependents.values())]


def footprint(entity: Entity, vault: Vault) -> Footprint:
    """Return the items of an entity; the vault is used only for secret fields."""
    layout = entity.layout
    require_whole(entity)
    attributes = model_attributes(entity)
    try:
        values = lookup_values(vault, layout, entity_values(entity))
        key = primary_key(layout, values)
        main = {
            **kept_attributes(entity),
            **attributes,
            **index_keys(layout, values),
            **key,
            **_labels(type(entity)),
        }
        dependents = _dependents(layout, values, attributes, key, main) if has_dependents(layout) else {}
    except KeyValueError as error:
        raise KeyValueError(f"{layout.entity.__name__}: {error}") from None
    return Footprint(layout, key, main, dependents)


def has_dependents(layout: Layout) -> bool:
    """Return whether entities of the class have copies or locks."""
    return bool(layout.copies or layout.marked(Unique))


def _dependents(
    layout: Layout, values: Mapping[str, Any], attributes: Item, key: Item, main: Item
) -> dict[ComparableKey, Dependent]:
    dependents: dict[ComparableKey, Dependent] = {}
    taken = comparable_key(layout.table, main)
    for dependent in (*_copies(layout, values, attributes, key), *_locks(layout, values, attributes, key)):
        own = comparable_key(layout.table, dependent.item)
        if own == taken or own in dependents:
            _require_same(layout, own, main if own == taken else dependents[own].item, dependent)
        dependents[own] = dependent
    return dependents


def former_dependents(layout: Layout, item: Item, vault: Vault) -> dict[ComparableKey, Dependent]:
    """Return the copies and locks of a stored item, computed from the attributes that any version wrote.

    Those that cannot be computed are left out. Use their keys only, and delete only those of the same owner.
    """
    if not has_dependents(layout):
        return {}
    stored = {name: field.stored for name, field in layout.fields.items() if field.stored in item}
    key = {name: item[name] for name in layout.table.key}
    dependents: dict[ComparableKey, Dependent] = {}
    for make in (_copies, _locks):
        try:
            values = {name: from_attribute(item[attribute]) for name, attribute in stored.items()}
            for dependent in make(layout, lookup_values(vault, layout, values), item, key):
                dependents[comparable_key(layout.table, dependent.item)] = dependent
        except (TablewrightError, LookupError, TypeError, ValueError, AttributeError):
            continue
    return dependents


def require_whole(entity: Entity) -> None:
    """Raise when an entity was read without all fields: a write would lose the others."""
    if entity.is_partial:
        raise InvalidWrite(
            f"this {type(entity).__name__} was read from a copy or a search that lacks some fields, which a write "
            "would lose; update it, or read it by its own key"
        )


def is_dependent(item: Item) -> bool:
    """Return whether an item is a copy or a lock."""
    return OWNER in item


def stored_owner_key(table: Table, item: Item) -> Item | None:
    """Return the primary key of the owner that a copy or lock names; None if it names none, or something else."""
    owner: Item | None = item.get(OWNER, {}).get("M")  # another program may have written anything there
    return owner if is_key(table, owner) else None


def comparable_key(table: Table, item: Item) -> ComparableKey:
    """Return the primary key of an item in a form that can be compared."""
    return tuple(
        [
            (name, kind, canonical(content) if kind == "N" else content)
            for name in table.key
            for kind, content in item[name].items()
        ]
    )


def primary_key(layout: Layout, values: Mapping[str, Any]) -> Item:
    """Return the primary key of the entity that has these values."""
    key = key_values(layout.table, layout.primary, values)
    assert key is not None  # only index keys may be absent
    return key


def index_keys(layout: Layout, values: Mapping[str, Any]) -> Item:
    """Return the key attributes of every index that has the entity, without those that are fields themselves."""
    fields = _permanent_attributes(layout.entity)
    keys: Item = {}
    for index in layout.indexes:
        keys |= key_values(layout.table, index, values) or {}
    return {name: value for name, value in keys.items() if name not in fields}


@cache
def _permanent_attributes(entity: type[Entity]) -> frozenset[str]:
    return entity.layout.permanent_attributes


def kept_attributes(entity: Entity) -> Item:
    """Return the undeclared attributes that the item was read with, as far as a write keeps them.

    The owner of a copy does not become one. The key attributes of all indexes belong to the layout: what the class does
    not declare of them would keep the item in an index.
    """
    unknown = entity.unknown_attributes
    if not unknown:
        return unknown
    owned = entity.layout.table.key_attributes
    return {name: value for name, value in unknown.items() if name != OWNER and name not in owned}


@cache
def undeclared_index_keys(entity: type[Entity]) -> frozenset[str]:
    """Return the key attributes of the indexes of its table that no item of a class has."""
    layout = entity.layout
    declared = {attribute for key in layout.indexes for attribute, _ in key.parts}
    return frozenset(layout.table.key_attributes) - layout.permanent_attributes - declared


@cache
def _labels(entity: type[Entity], type_name: str | None = None) -> Item:
    layout = entity.layout
    labels: Item = {}
    if type_name or layout.type_name:
        labels[layout.table.discriminator] = {"S": type_name or layout.type_name}
    if layout.schema_version is not None:
        labels[SCHEMA_VERSION] = {"N": str(layout.schema_version)}
    return labels


@cache
def _copy_forms(entity: type[Entity]) -> tuple[tuple[CopyLayout, frozenset[str], Item], ...]:
    """The copies of a class, each with the attributes that it has, and its labels."""
    layout = entity.layout
    return tuple(
        (
            copy,
            frozenset(layout.fields[name].stored for name in carried_names(layout, copy)),
            _labels(entity, copy.copy.type),
        )
        for copy in layout.copies
    )


def _copies(layout: Layout, values: Mapping[str, Any], attributes: Item, key: Item) -> Iterator[Dependent]:
    for copy, stored, labels in _copy_forms(layout.entity):
        carried = {name: value for name, value in attributes.items() if name in stored}
        for element in _elements(copy, values):
            keys: Item = key_values(layout.table, copy.primary, element) or {}
            for index in copy.indexes:
                keys = (key_values(layout.table, index, element) or {}) | keys
            mark: Item = {OWNER: {"M": key}}
            item = {**_with_hidden(layout.table, carried, keys), **keys, **labels, **mark}
            yield Dependent(item, mark, copy=copy.name)


def _with_hidden(table: Table, carried: Item, keys: Item) -> Item:
    """The attributes of a copy; keys of indexes that it does not belong to are hidden from these in a map.

    Vectors are hidden too: a search finds an entity once, by its main item.
    """
    indexed = {*table.key_attributes, *table.vector_attributes}
    hidden = {name: value for name, value in carried.items() if name in indexed and name not in keys}
    if not hidden:
        return carried
    return {**{name: value for name, value in carried.items() if name not in hidden}, KEPT: {"M": hidden}}


def _elements(copy: CopyLayout, values: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """For each copy the values that its keys are made of."""
    if copy.copy.each is None or copy.copy.name is None:
        yield values
        return
    for element in values.get(copy.copy.each) or ():
        yield {**values, copy.copy.name: element}


def carried_names(layout: Layout, copy: CopyLayout) -> tuple[str, ...]:
    """Return the fields that a copy has: those of its declaration, and the expiry."""
    if copy.copy.fields is None:
        return tuple(layout.fields)
    expiry = layout.field_stored_as(layout.table.ttl) if layout.table.ttl else None
    return (*copy.copy.fields, *([expiry.name] if expiry else []))


def _locks(layout: Layout, values: Mapping[str, Any], attributes: Item, key: Item) -> Iterator[Dependent]:
    table = layout.table
    for field, unique in layout.marked(Unique):
        value = values.get(field.name)
        if value is None:
            continue
        expiry = {table.ttl: attributes[table.ttl]} if table.ttl in attributes else {}
        shown = None if field.name in layout.secrets else value
        lock = layout.lock_of(field.name) if layout.locks else None
        if lock is not None:
            item = chosen_lock(table, lock, values) | expiry
            mark = {name: item[name] for name in lock.owner}
        else:
            mark = {OWNER: {"M": key}}
            item = {table.discriminator: {"S": LOCK}, **mark, **expiry}
            for name in item.keys() & table.key_attributes:
                del item[name]
            item |= lock_key(table, layout, field, values)
        yield Dependent(item, mark, field, value=shown, lock=lock, within=unique.within)


def _require_same(layout: Layout, own: ComparableKey, other: Item, dependent: Dependent) -> None:
    """Equal elements of a list make one copy; different items need different keys."""
    if other != dependent.item:
        key = ", ".join(f"{name} = {content!r}" for name, _, content in own)
        raise InvalidWrite(f"{layout.entity.__name__} has two items under one key, {key}; change a template")


def reference_key(reference: DeclaredReference, values: Mapping[str, Any]) -> Item:
    """Return the key of the item that a reference leads to: its target, or the lock of its target.

    `values` are those of the fields of the target; secret ones are hashed.
    """
    layout, unique = reference.target.layout, reference.lock
    if unique is None:
        return primary_key(layout, values)
    lock = layout.lock_of(unique.name)
    if lock is None:
        return lock_key(layout.table, layout, unique, values)
    return key_values(layout.table, lock.key, values) or {}
