"""Stamps: the fields that the library sets. The moment of creation, of the last write, the expiry, the version."""

from datetime import UTC, date, datetime
from functools import cache
from typing import Any, TypeVar

from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Ttl, Version
from tablewright.design.keys.timestamps import parse_timestamp, timestamp_text
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.errors import InvalidWrite

E = TypeVar("E", bound=Entity)


def created(entity: Entity, moment: datetime) -> dict[str, Any]:
    """The stamps of an entity that is written for the first time; moments that were given stay as they are."""
    if not _has_stamps(type(entity)):
        return {}
    layout = entity.layout
    given = entity.model_fields_set
    stamps = {
        field.name: _as_declared(field, moment)
        for field in layout.fields.values()
        if field.automatic and field.name not in given
    }
    stamps |= {field.name: 1 for field, _ in layout.marked(Version)}
    return stamps | _expiries(layout, {**entity.__dict__, **stamps}, given)


def replaced(entity: Entity, moment: datetime) -> dict[str, Any]:
    """The stamps of an entity that is written as a whole, perhaps again: its last write is always now."""
    if not _has_stamps(type(entity)):
        return {}
    touches = touched(entity.layout, moment)
    stamps = created(entity, moment) | touches
    for field, _ in entity.layout.marked(Version):
        stamps[field.name] = (getattr(entity, field.name) or 0) + 1
    return stamps | expiries(entity.layout, {**entity.__dict__, **stamps}, set(touches))


def stamped(entity: E, stamps: dict[str, Any]) -> E:
    """The entity with its stamps."""
    return entity.model_copy(update=stamps) if stamps else entity


def touched(layout: Layout, moment: datetime) -> dict[str, Any]:
    """The moments that change with every write."""
    return {
        field.name: _as_declared(field, moment)
        for field in layout.fields.values()
        if field.automatic == "touched"
    }


def expiries(layout: Layout, values: dict[str, Any], changed: set[str]) -> dict[str, Any]:
    """The expiries that follow from fields which changed."""
    found = {}
    for field, ttl in layout.marked(Ttl):
        if ttl.of in changed and values.get(ttl.of) is not None:
            found[field.name] = _epoch(layout, ttl.of, values[ttl.of]) + int(ttl.after.total_seconds())
    return found


@cache
def _has_stamps(entity: type[Entity]) -> bool:
    layout = entity.layout
    automatic = any(field.automatic for field in layout.fields.values())
    return automatic or bool(layout.marked(Ttl) or layout.marked(Version))


def _expiries(layout: Layout, values: dict[str, Any], given: set[str]) -> dict[str, Any]:
    sources = {
        ttl.of for field, ttl in layout.marked(Ttl) if field.name not in given or values[field.name] is None
    }
    return expiries(layout, values, sources)


def _as_declared(field: FieldLayout, moment: datetime) -> Any:
    """A moment in the type of its field."""
    if field.annotation is int:
        return int(moment.timestamp())
    return timestamp_text(moment) if field.annotation is str else moment


def _epoch(layout: Layout, name: str, value: Any) -> int:
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    moment = parse_timestamp(value)
    if not isinstance(moment, datetime):
        raise InvalidWrite(f"{layout.entity.__name__} expires by {name}, which is no moment but {value!r}")
    return int(moment.timestamp())
