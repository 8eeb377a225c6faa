"""Automatic fields: the fields that the library sets. Creation time, time of the last write, expiry, version.

An expiry is in seconds since 1970. Milliseconds would be tens of thousands of years ahead: nothing expires.

Derived changes: what else of an entity changes with some of its fields.

Index keys, copies, locks and ciphertexts are made of fields. When one of their fields changes, they change too. Which
ones depends on the class and the names of the fields alone, so it is computed once and kept.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from typing import Any, TypeVar

from tablewright.access.items.footprint import carried_names
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Encrypted, Ttl, Unique, Version
from tablewright.design.fields.revalidation import InvalidModel, rebuilt, revalidated
from tablewright.design.keys.timestamps import parse_timestamp
from tablewright.design.layouts.layouts import FieldLayout, KeyLayout, Layout, StoredModel
from tablewright.design.tables import Table
from tablewright.design.value_problems import describe_problems
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InvalidWrite

E = TypeVar("E", bound=Entity)

LATEST_EXPIRY = 100_000_000_000
"""The year 5138 in seconds, and the year 1973 in milliseconds: no expiry that is meant is later."""


def validated_on_create(entity: E, clock: Callable[[], datetime]) -> E:
    """Return a validated copy of an entity that is created, with its timestamps; those that were given stay."""
    stamps: dict[str, Any] = {}
    if _has_automatic_fields(type(entity)):
        given = entity.model_fields_set
        missing = [field for field in _stamped(type(entity)) if field.name not in given]
        stamps = _times(missing, clock)
    return _validated(entity, stamps)


def validated_on_put(entity: E, clock: Callable[[], datetime]) -> E:
    """Return a validated copy of an entity that is written as a whole; the time of its last write is now."""
    stamps: dict[str, Any] = {}
    if _has_automatic_fields(type(entity)):
        given = entity.model_fields_set
        stamped = _stamped(type(entity))
        changed = [field for field in stamped if field.automatic == "touched" or field.name not in given]
        stamps = _times(changed, clock)
    return _validated(entity, stamps)


def _validated(entity: E, stamps: dict[str, Any]) -> E:
    """A validated copy; times are filled in first, because the default of a number is a datetime."""
    if entity.is_partial:  # it cannot be written as a whole
        return entity
    try:
        copy = revalidated(entity, stamps)
    except InvalidModel as error:
        name, secrets = type(entity).__name__, entity.layout.secrets
        raise InvalidWrite(describe_problems(error.problems, name, secrets=secrets)) from None
    if copy.unknown_attributes:
        copy.unknown_attributes = rebuilt(copy.unknown_attributes)
    return copy


def complete_on_create(entity: Entity) -> None:
    """Set the version and the expiries of a validated entity that is created."""
    layout = entity.layout
    entity.model_fields_set.update(_key_fields(type(entity)))
    if _has_automatic_fields(type(entity)):
        values = {field.name: 1 for field, _ in layout.marked(Version)}
        _set(entity, values | _missing_expiries(layout, entity.__dict__, entity.model_fields_set))


def complete_on_put(entity: Entity) -> None:
    """Set the version and the expiries of a validated entity that is written as a whole."""
    layout = entity.layout
    entity.model_fields_set.update(_key_fields(type(entity)))
    if _has_automatic_fields(type(entity)):
        values = {field.name: (getattr(entity, field.name) or 0) + 1 for field, _ in layout.marked(Version)}
        touched = {field.name for field in _stamped(type(entity)) if field.automatic == "touched"}
        values |= _missing_expiries(layout, entity.__dict__, entity.model_fields_set)
        _set(entity, values | expiries(layout, entity.__dict__, touched))


def _set(entity: Entity, values: dict[str, Any]) -> None:
    entity.__dict__.update(values)
    entity.model_fields_set.update(values)


def _times(fields: Iterable[FieldLayout], clock: Callable[[], datetime]) -> dict[str, Any]:
    now = None
    values = {}
    for field in fields:
        now = now or clock()
        values[field.name] = field.time_value(now)
    return values


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
def _key_fields(entity: type[Entity]) -> frozenset[str]:
    """The fields that identify a stored entity: they count as given, also where their values are defaults."""
    return entity.layout.stored_sources(entity.layout.primary.names)


@cache
def _stamped(entity: type[Entity]) -> tuple[FieldLayout, ...]:
    """The fields that the library sets to the time of creation or of the last write."""
    return tuple(field for field in entity.layout.fields.values() if field.automatic)


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
