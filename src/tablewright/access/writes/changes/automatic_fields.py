"""Automatic fields: the fields that the library sets. Creation time, time of the last write, expiry, version."""

from contextlib import suppress
from datetime import UTC, date, datetime
from functools import cache
from typing import Any, TypeVar

from tablewright.access.items.expiry import LATEST, milliseconds_problem
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Ttl, Version
from tablewright.design.keys.timestamps import parse_timestamp
from tablewright.design.layouts.layouts import Layout
from tablewright.errors import InvalidWrite

E = TypeVar("E", bound=Entity)


def on_create(entity: Entity, now: datetime) -> dict[str, Any]:
    """Return the automatic fields of an entity that is created; timestamps that were given stay."""
    if not _has_automatic_fields(type(entity)):
        return {}
    layout = entity.layout
    given = entity.model_fields_set
    values = {
        field.name: field.time_value(now)
        for field in layout.fields.values()
        if field.automatic and field.name not in given
    }
    values |= {field.name: 1 for field, _ in layout.marked(Version)}
    return values | _missing_expiries(layout, {**entity.__dict__, **values}, given)


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
    found = {}
    for field, ttl in layout.marked(Ttl):
        if ttl.of in changed and values.get(ttl.of) is not None:
            found[field.name] = _epoch(layout, ttl.of, values[ttl.of]) + int(ttl.after.total_seconds())
    return found


@cache
def _has_automatic_fields(entity: type[Entity]) -> bool:
    layout = entity.layout
    automatic = any(field.automatic for field in layout.fields.values())
    return automatic or bool(layout.marked(Ttl) or layout.marked(Version))


def _missing_expiries(layout: Layout, values: dict[str, Any], given: set[str]) -> dict[str, Any]:
    """The expiries that were not given."""
    sources = {
        ttl.of for field, ttl in layout.marked(Ttl) if field.name not in given or values[field.name] is None
    }
    return expiries(layout, values, sources)


def _epoch(layout: Layout, name: str, value: Any) -> int:
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    with suppress(ValueError):
        time = parse_timestamp(value)
        if isinstance(time, datetime):
            return int(time.timestamp())
    if isinstance(value, int | float) and value >= LATEST:
        raise InvalidWrite(milliseconds_problem(f"{layout.entity.__name__}.{name}", value))
    raise InvalidWrite(
        f"{layout.entity.__name__}.{name} must be a datetime, got {value!r}; the expiry is computed from it"
    )
