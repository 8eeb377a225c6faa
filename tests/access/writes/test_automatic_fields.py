"""Automatic fields: timestamps, expiries and versions that the library sets."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

import pytest

from tablewright.access.writes.automatic_fields import (
    complete_on_create,
    complete_on_put,
    dependent_sources,
    derived_changes,
    expiries,
    on_write,
    validated_on_create,
    validated_on_put,
)
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.keys.keys import Keys
from tablewright.errors import InvalidWrite
from tests.access.studio import START, Artist, Room, main
from tests.access.test_secret_entities import Login

NOW = datetime.fromtimestamp(START, UTC)
MONTH = 30 * 24 * 3600


class Ticket(Entity, table=main, type="TICKET"):
    ticket_id: str
    made: int = markers.now()
    seen: str = markers.touched()
    day: date | None = None
    valid: Any = None
    expires_at: Annotated[int | None, markers.Ttl(after=timedelta(days=1), of="day")] = None

    keys = Keys(primary=("TICKET#{ticket_id}", "TICKET"))


def on_create(entity: Entity, now: datetime) -> dict[str, Any]:
    """The fields that creating an entity changes."""
    created = validated_on_create(entity, lambda: now)
    complete_on_create(created)
    return changed(entity, created)


def on_put(entity: Entity, now: datetime) -> dict[str, Any]:
    """The fields that writing an entity as a whole changes."""
    written = validated_on_put(entity, lambda: now)
    complete_on_put(written)
    return changed(entity, written)


def changed(before: Entity, after: Entity) -> dict[str, Any]:
    return {
        name: value
        for name, value in after.__dict__.items()
        if name in after.model_fields_set
        and (name not in before.model_fields_set or getattr(before, name) != value)
    }


def artist(**values: Any) -> Artist:
    return Artist(studio="s", artist_id="1", **values)


def test_create_sets_timestamps_expiry_and_version() -> None:
    assert on_create(artist(), NOW) == {
        "created_at": NOW,
        "updated_at": NOW,
        "version": 1,
        "expires_at": int(START) + MONTH,
    }


def test_create_keeps_given_values() -> None:
    values = on_create(artist(created_at=NOW, updated_at=NOW, expires_at=5), NOW + timedelta(days=1))
    assert values == {"version": 1}


def test_put_sets_the_write_time_and_increases_the_version() -> None:
    later = NOW + timedelta(days=1)
    values = on_put(artist(created_at=NOW, updated_at=NOW, expires_at=5, version=7), later)
    assert values == {"updated_at": later, "version": 8, "expires_at": int(START) + 24 * 3600 + MONTH}


def test_an_entity_without_automatic_fields_has_none() -> None:
    room = Room(room_id="1")
    assert (on_create(room, NOW), on_put(room, NOW), on_write(Room.layout, NOW)) == ({}, {}, {})


def test_timestamps_have_the_type_of_their_field() -> None:
    values = on_create(Ticket(ticket_id="1"), NOW)
    assert values == {"made": int(START), "seen": "2025-06-15T15:06:40.000Z"}


def test_an_expiry_can_follow_a_day() -> None:
    values = {"day": date(1970, 1, 2)}
    assert expiries(Ticket.layout, values, {"day"}) == {"expires_at": 2 * 24 * 3600}
    assert expiries(Ticket.layout, values, {"valid"}) == {}


def test_an_expiry_needs_a_time() -> None:
    with pytest.raises(InvalidWrite, match=r"Ticket\.day must be a datetime, got 'soon'"):
        expiries(Ticket.layout, {"day": "soon"}, {"day"})


def test_index_keys_change_with_their_fields_and_with_shared_attributes() -> None:
    assert derived_changes(Artist, frozenset({"likes"})).indexes == ()
    derived = derived_changes(Artist, frozenset({"city"}))
    assert {key.index.name for key in derived.indexes if key.index} == {"GSI1", "GSI3", "mixed"}
    assert derived.attributes == {"GSI1PK", "GSI1SK"}


def test_the_fields_of_copies_and_locks() -> None:
    email, nickname = list(dependent_sources(Artist.layout))[-2:]
    assert email == {"email", "expires_at"}
    assert nickname == {"nickname", "studio", "city", "expires_at"}


def test_copies_and_locks_change_with_their_fields() -> None:
    assert derived_changes(Artist, frozenset({"email"})).has_dependents
    assert not derived_changes(Room, frozenset({"seats"})).has_dependents


def test_sources_are_all_fields_of_what_changes() -> None:
    assert derived_changes(Room, frozenset({"owner"})).sources == {"owner", "name"}
    assert derived_changes(Room, frozenset({"seats"})).sources == frozenset()


def test_a_change_of_the_context_encrypts_again() -> None:
    assert derived_changes(Login, frozenset({"tenant"})).reencrypted == {"password"}
    assert derived_changes(Login, frozenset({"visits"})).reencrypted == frozenset()
