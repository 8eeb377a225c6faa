"""The expected state of stored items."""

from uuid import uuid4

import pytest
from pydantic import Field

from tablewright.access.items.footprint import footprint
from tablewright.access.items.vault import NoVault
from tablewright.access.writes.expected_state import ExpectedState, expected_state, index_attributes
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.errors import UnknownItem
from tablewright.values.attributes import Item
from tests.access.studio import Artist, Studio, main


class Event(Entity, table=main, type="EVENT"):
    event_id: str
    title: str = "title"
    made_at: Timestamp = markers.now()
    trace: str = Field(default_factory=lambda: uuid4().hex)

    keys = Keys(
        primary=("EVENT#{event_id}", "EVENT"),
        GSI1=("EVENTS", "{made_at}"),
        GSI2=("TITLE#{title}", "{event_id}"),
    )
    by_title = Copy(primary=("TITLES", "{title}#{event_id}"))
    by_time = Copy(primary=("TIMES", "{made_at}#{event_id}"))


EVENT: Item = {
    "PK": {"S": "EVENT#1"},
    "SK": {"S": "EVENT"},
    "type": {"S": "EVENT"},
    "eventId": {"S": "1"},
    "title": {"S": "party"},
}


def expected(store: Studio, item: Item) -> ExpectedState:
    return expected_state(store.context, Event.layout, item, item)


def test_a_whole_item_is_expected_as_its_footprint(store: Studio) -> None:
    artist = Artist(studio="s", artist_id="1", email="a@x", city="Oslo", version=1)
    made = footprint(artist, NoVault())
    found = expected_state(store.context, Artist.layout, made.main, made.main)
    assert (found.entity, found.main, found.dependents) == (artist, made.main, made.dependents)
    assert (found.key, found.undecided) == (made.key, frozenset())


def test_values_that_were_never_stored_are_not_invented(store: Studio) -> None:
    found = expected(store, EVENT)
    assert found.main == {**EVENT, "GSI2PK": {"S": "TITLE#party"}, "GSI2SK": {"S": "1"}}
    assert found.undecided == {"GSI1PK", "GSI1SK"}
    assert "GSI2PK" in found.index_attributes
    assert not found.index_attributes & found.undecided


def test_copies_with_an_unknown_key_are_left_out(store: Studio) -> None:
    (copy,) = expected(store, EVENT).dependents.values()
    assert copy.copy == "by_title"
    assert not {"madeAt", "trace"} & copy.item.keys()


def test_an_item_of_another_class_is_unknown(store: Studio) -> None:
    with pytest.raises(UnknownItem):
        expected(store, {**EVENT, "eventId": {"S": "2"}})


def test_index_attributes_are_not_fields() -> None:
    assert {"GSI1PK", "GSI2SK", "dayPK"} <= index_attributes(Artist.layout)
    assert not {"city", "rank"} & index_attributes(Artist.layout)
