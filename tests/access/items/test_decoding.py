"""Items decoded to entities: type, values and keys are checked."""

import copy
import pickle
from typing import Any

import pytest

from tablewright.access.items.decoding import FIVE_YEARS, Chooser, Decoder, is_expired
from tablewright.access.items.footprint import footprint
from tablewright.access.items.vault import NoVault
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.keys import Copy, Keys
from tablewright.errors import FieldNotRead, UnknownItem
from tests.access.studio import START, Note, Room, main

ROOM = {
    "PK": {"S": "ROOM#1"},
    "SK": {"S": "ROOM"},
    "type": {"S": "ROOM"},
    "roomId": {"S": "1"},
    "name": {"S": "attic"},
}
rooms = Decoder(Room.layout, NoVault())


def test_an_item_is_decoded() -> None:
    assert rooms.make(ROOM) == Room(room_id="1", name="attic")


def test_unknown_attributes_are_kept() -> None:
    made = rooms.make({**ROOM, "colour": {"S": "red"}})
    assert made.unknown_attributes == {"colour": {"S": "red"}}


def test_a_field_that_is_only_in_the_key_is_read_from_it() -> None:
    assert rooms.make({name: value for name, value in ROOM.items() if name != "roomId"}) == Room(
        room_id="1", name="attic"
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seats": {"S": "many"}}, "is not a valid Room: seats must be a valid integer, got text"),
        ({"roomId": {"S": "2"}}, "is not a valid Room: it has a key that does not match its fields"),
    ],
)
def test_an_invalid_item_is_unknown(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnknownItem) as caught:
        rooms.make({**ROOM, **change})
    assert caught.value.reason.startswith(reason)


class Club(Entity, table=main, type="CLUB"):
    club_id: str
    title: str = "club"
    rules: str = "none"

    keys = Keys(primary=("CLUB#{club_id}", "CLUB"))
    by_title = Copy(fields=("club_id", "title"), primary=("TITLE#{title}", "{club_id}"))
    whole = Copy(primary=("CLUBS", "{club_id}"))


def test_a_copy_without_all_fields_makes_a_partial_entity() -> None:
    club = Club(club_id="1", title="chess", rules="strict")
    make = Decoder(Club.layout, NoVault()).make
    made = {each.copy: make(each.item) for each in footprint(club, NoVault()).dependents.values()}
    assert (made["by_title"].is_partial, made["whole"].is_partial) == (True, False)
    assert made["whole"] == club


def test_a_field_that_a_copy_lacks_cannot_be_read() -> None:
    club = Club(club_id="1", title="chess", rules="strict")
    make = Decoder(Club.layout, NoVault()).make
    (partial,) = [
        make(each.item) for each in footprint(club, NoVault()).dependents.values() if each.copy == "by_title"
    ]
    for same in (
        partial,
        partial.changed(title="go"),
        copy.deepcopy(partial),
        pickle.loads(pickle.dumps(partial)),
    ):
        with pytest.raises(
            FieldNotRead, match=r"^this Club was read from a copy that lacks rules; add rules to"
        ):
            _ = same.rules  # type: ignore[union-attr]
        assert same.model_dump().keys() == {"club_id", "title"}
        assert repr(same) in ("Club(club_id='1', title='chess')", "Club(club_id='1', title='go')")
    assert partial.changed(rules="lax").rules == "lax"  # type: ignore[attr-defined]


def test_the_class_is_chosen_by_the_type() -> None:
    chooser = Chooser([rooms, Decoder(Note.layout, NoVault())])
    note = {"PK": {"S": "NOTE#1"}, "SK": {"S": "NOTE"}, "type": {"S": "NOTE"}, "noteId": {"S": "1"}}
    assert (chooser.make(ROOM), chooser.make(note)) == (Room(room_id="1", name="attic"), Note(note_id="1"))
    with pytest.raises(UnknownItem, match="has the type 'PET'; expected 'ROOM' or 'NOTE'"):
        chooser.make({**note, "type": {"S": "PET"}})


@pytest.mark.parametrize(
    ("expires", "expected"),
    [(START, True), (START + 1, False), (START - FIVE_YEARS + 1, True), (START - FIVE_YEARS, False)],
)
def test_expiry_is_limited_to_five_years(expires: float, expected: bool) -> None:
    assert is_expired(main, {"expiresAt": {"N": str(int(expires))}}, START) is expected


@pytest.mark.parametrize("owner", [{"S": "x"}, {"M": {}}, {"M": {"PK": {"L": []}, "SK": {"S": "CLUB"}}}])
def test_a_copy_with_a_damaged_owner_is_unknown(owner: dict[str, Any]) -> None:
    copy = {"PK": {"S": "CLUBS"}, "SK": {"S": "c1"}, "type": {"S": "CLUB"}, "_of": owner}
    with pytest.raises(UnknownItem, match="is required"):
        Decoder(Club.layout, NoVault()).make(copy)
