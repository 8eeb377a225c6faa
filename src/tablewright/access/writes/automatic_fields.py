"""Automatic fields: the fields that the library sets. Creation time, time of the last write, expiry, version.

An expiry is in seconds since 1970. Milliseconds would be tens of thousands of years ahead: nothing expires.

Derived changes: what else of an entity changes with some of its fields.

Index keys, copies, locks and ciphertexts are made of fields. When one of their fields changes, they change too. Which
ones depends on the class and the names of the fields alone, so it is computed once and kept.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from typing import Any, TypeVar

from tablewright.access.items.footprint import carried_names
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Encrypted, Ttl, Unique, Version
from tablewright.design.keys.timestamps import parse_timestamp
from tablewright.design.layouts.layouts import KeyLayout, Layout, StoredModel
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InvalidWrite

E = TypeVar("E", bound=Entity)

LATEST_EXPIRY = 100_000_000_000
"""The year 5138 in seconds, and the year 1973 in milliseconds: no expiry that is meant is later."""


def on_create(entity: Entity, now: datetime) -> dict[str, Any]:
    """Return the automatic fields of an entity that is created; timestamps that were given stay."""
    if not _has_automatic_fields(type(entity)):
        return {}
    layout = entity.layout
    set_fields = entity.model_fields_set
    values = {
        field.name: field.time_value(now)
        for field in layout.fields.values()
        if field.automatic and field.name not in set_fields
    }
    values |= {field.name: 1 for field, _ in layout.marked(Version)}
    return values | _missing_expiries(layout, {**entity.__dict__, **values}, set_fields)


def on_put(entity: Entity, now: datetime) -> dict[str, Any]:
    """Return the automatic fields of an entity that is written as a whole; the time of its last write is now."""
    if not _has_automatic_fields(type(entity)):
        return {}
    written = on_write(entity.layout, now)
    values = on_create(entity, now) | written
    for field, _ in entity.layout.marked(Version):
        values[field.name] = (getattr(entity, field.name) or 0) + 1
    return values | expiries(entity.layout, {**entity.__dict__, **values}, set(written))


def with_values(entity: E, values: dict[str, Any]) -> E:
    """Return the entity with its automatic fields set."""
    return entity.model_copy(update=values) if values else entity


def on_write(layout: Layout, now: datetime) -> dict[str, Any]:
    """Return the timestamps that change with every write."""
    return {
        field.name: field.time_value(now) for field in layout.fields.values() if field.automatic == "touched"
    }


def expiries(layout: Layout, values: dict[str, Any], changed: set[str]) -> dict[str, Any]:
    """Return the expiries that are computed from changed fields."""
    times = {}
    for field, ttl in layout.marked(Ttl):
        if ttl.of in changed and values.get(ttl.of) is not None:
            times[field.name] = _epoch(layout, ttl.of, values[ttl.of]) + int(ttl.after.total_seconds())
    return times


@cache
def _has_automatic_fields(entity: type[Entity]) -> bool:
    layout = entity.layout
    automatic = any(field.automatic for field in layout.fields.values())
    return automatic or bool(layout.marked(Ttl) or layout.marked(Version))


def _missing_expiries(layout: Layout, values: dict[str, Any], set_fields: set[str]) -> dict[str, Any]:
    """The expiries that were not given."""
    sources = {
        ttl.of
        for field, ttl in layout.marked(Ttl)
        if field.name not in set_fields or values[field.name] is None
    }
    return expiries(layout, values, sources)


def _epoch(layout: Layout, name: str, value: Any) -> int:
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    with suppress(ValueError):
        time = parse_timestamp(value)
        if isinstance(time, datetime):
            return int(time.timestamp())
    if isinstance(value, int | float) and value >= LATEST_EXPIRY:
        raise InvalidWrite(_milliseconds_problem(f"{layout.entity.__name__}.{name}", value))
    raise InvalidWrite(
        f"{layout.entity.__name__}.{name} must be a datetime, got {value!r}; the expiry is computed from it"
    )


def check_expiry(table: Table, item: Item, layout: Layout | None = None) -> None:
    """Raise `InvalidWrite` if the attributes of an item contain a TTL in milliseconds."""
    if table.ttl is None:
        return
    stored = item.get(table.ttl)
    numeral = stored.get("N") if stored else None
    if numeral is not None and float(numeral) >= LATEST_EXPIRY:
        field = layout.field_stored_as(table.ttl) if layout else None
        name = f"{layout.entity.__name__}.{field.name}" if layout and field else f"{table.name}.{table.ttl}"
        raise InvalidWrite(_milliseconds_problem(name, numeral))


def _milliseconds_problem(name: str, value: Any) -> str:
    """The message for a time that is too late to be meant in seconds."""
    return (
        f"{name} = {value} is after the year 5138: TTL is in seconds since 1970, and this seems to be milliseconds; "
        "divide it by 1000"
    )


@dataclass(frozen=True, slots=True)
class DerivedChanges:
    """What changes with some fields of an entity."""

    indexes: tuple[KeyLayout, ...]
    """The index keys that are made of these fields, and those that share an attribute with them."""
    attributes: frozenset[str]
    """The attributes of these index keys that are not fields themselves."""
    reencrypted: frozenset[str]
    """The attributes to encrypt again: those that change, and those bound to a field that changes."""
    sources: frozenset[str]
    """All fields that are needed to compute the derived changes."""
    has_dependents: bool
    """Whether a copy or lock may change."""
    has_computed: bool
    """Whether a key with a computed field may change; computing it needs the whole entity."""


@lru_cache(maxsize=1024)
def derived_changes(entity: type[StoredModel], names: frozenset[str]) -> DerivedChanges:
    """Return what changes with these fields."""
    layout = entity.layout
    indexes = _affected_indexes(layout, names)
    dependents = [group for group in dependent_sources(layout) if group & names]
    encrypted = [
        (field, frozenset((field.name, *marker.context)))
        for field, marker in layout.marked(Encrypted)
        if names & {field.name, *marker.context}
    ]
    return DerivedChanges(
        indexes=indexes,
        attributes=frozenset().union(*(_derived(layout, key) for key in indexes)),
        reencrypted=frozenset(field.stored for field, _ in encrypted),
        sources=frozenset().union(
            *(layout.stored_sources(key.names) for key in indexes),
            *dependents,
            *(group for _, group in encrypted),
        ),
        has_dependents=bool(dependents),
        has_computed=_has_computed(layout, indexes, names),
    )


def dependent_sources(layout: Layout) -> Iterator[frozenset[str]]:
    """Return for each copy and each lock the fields it is made of."""
    for copy in layout.copies:
        names = [*carried_names(layout, copy), *copy.primary.names]
        names += [name for index in copy.indexes for name in index.names]
        names += [copy.copy.each] if copy.copy.each else []
        yield layout.stored_sources(names)
    expiry = layout.field_stored_as(layout.table.ttl) if layout.table.ttl else None
    for field, unique in layout.marked(Unique):
        yield layout.stored_sources((field.name, *unique.sources, *([expiry.name] if expiry else [])))


def _affected_indexes(layout: Layout, names: frozenset[str]) -> tuple[KeyLayout, ...]:
    derived = {key: _derived(layout, key) for key in layout.indexes}
    changed = layout.with_computed(names)
    affected = [key for key in layout.indexes if derived[key] and changed & set(key.names)]
    while True:
        shared = set().union(*(derived[key] for key in affected))
        more = [key for key in layout.indexes if key not in affected and derived[key] & shared]
        if not more:
            return tuple(affected)
        affected += more


def _derived(layout: Layout, key: KeyLayout) -> frozenset[str]:
    permanent = layout.permanent_attributes
    return frozenset(attribute for attribute, _ in key.parts if attribute not in permanent)


def _has_computed(layout: Layout, indexes: tuple[KeyLayout, ...], names: frozenset[str]) -> bool:
    in_indexes = {name for key in indexes for name in key.names}
    in_primary = layout.with_computed(names) & set(layout.primary.names)
    return not layout.computed.keys().isdisjoint(in_indexes | in_primary)
