"""The expected state of stored items."""

from typing import Annotated, Any
from uuid import uuid4

import pytest
from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from tablewright.access.items.footprint import footprint
from tablewright.access.items.vault import NoVault
from tablewright.access.writes.expected_state import (
    ExpectedState,
    expected_state,
    index_attributes,
    keeps_dependents,
)
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import UnknownItem
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


class Ticket(Entity, table=main, type="TICKET"):
    ticket_id: str
    number: int
    holder: Annotated[str | None, markers.Unique()] = None
    note: str = ""

    keys = Keys(primary=("TICKET#{ticket_id}", "TICKET"))
    by_number = Copy(primary=("NUMBERS", "{number:06}#{ticket_id}"))


TICKET = footprint(Ticket(ticket_id="1", number=7, holder="ada", note="x"), NoVault()).main


@pytest.mark.parametrize(
    ("attributes", "keeps"),
    [
        ({}, True),
        ({"note": {"S": "y"}}, True),
        ({"note": {"N": "1"}}, True),
        ({"number": {"N": "8"}}, False),
        ({"number": {"N": "7.0"}}, False),
        ({"number": {"S": "7"}}, False),
        ({"holder": {"S": "Ada"}}, False),
        ({"holder": None}, False),
        ({"ticketId": None}, False),
    ],
)
def test_dependents_keep_their_keys_if_their_sources_are_stored_as_expected(
    store: Studio, attributes: dict[str, Any], keeps: bool
) -> None:
    stored = {name: value for name, value in (TICKET | attributes).items() if value is not None}
    assert keeps_dependents(expected_state(store.context, Ticket.layout, TICKET, TICKET), stored) == keeps


def test_an_absent_unique_value_has_no_lock_before_and_after(store: Studio) -> None:
    item = {name: value for name, value in TICKET.items() if name != "holder"}
    found = expected_state(store.context, Ticket.layout, item, item)
    assert keeps_dependents(found, item)
    assert not keeps_dependents(found, TICKET)


def upper(text: str) -> str:
    return text.upper()


class OfFunction(Entity, table=main, type="OF_FUNCTION"):
    name: str
    place: Annotated[str, AfterValidator(upper)]
    keys = Keys(primary=("F#{name}", "F"))
    copy_of = Copy(primary=("PLACES#{place}", "{name}"))


class OfUnion(Entity, table=main, type="OF_UNION"):
    name: str
    place: Annotated[Annotated[str, BeforeValidator(upper)] | None, markers.Unique()] = None
    keys = Keys(primary=("U#{name}", "U"))


class OfModel(Entity, table=main, type="OF_MODEL"):
    name: str
    place: str
    keys = Keys(primary=("M#{name}", "M"))
    copy_of = Copy(primary=("PLACES#{place}", "{name}"))

    @model_validator(mode="after")
    def _shout(self) -> "OfModel":
        self.__dict__["place"] = self.place.upper()
        return self


class OfElements(Entity, table=main, type="OF_ELEMENTS"):
    name: str
    places: list[str]
    keys = Keys(primary=("E#{name}", "E"))
    copy_of = Copy(primary=("PLACES#{place}", "{name}"), each="places", name="place")


@pytest.mark.parametrize(
    "entity",
    [
        OfFunction(name="1", place="oslo"),
        OfUnion(name="1", place="oslo"),
        OfModel(name="1", place="oslo"),
        OfElements(name="1", places=["oslo"]),
    ],
)
def test_keys_that_depend_on_more_than_stored_values_are_computed(store: Studio, entity: Entity) -> None:
    """What a function of the class makes of the old values is not known without calling it."""
    item = footprint(entity, NoVault()).main
    assert not keeps_dependents(expected_state(store.context, entity.layout, item, item), item)
