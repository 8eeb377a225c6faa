"""Writes as values."""

from typing import Annotated, Any

import pytest

from tablewright.access.writes.entity_writes import delete
from tablewright.access.writes.values import Add, Delete, Target, Update, Upsert
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.keys.keys import Keys
from tablewright.design.patterns import Get
from tablewright.errors import InvalidWrite
from tests.access.studio import Room, Studio, main


class Login(Entity, table=main, type="LOGIN"):
    login_id: str
    password: Annotated[str, markers.Encrypted()]

    keys = Keys(primary=("LOGIN#{login_id}", "LOGIN"))


class LoginById(Get[Login]):
    login_id: str


def test_add_is_an_update_of_numbers() -> None:
    add = Add(Room(room_id="1"), taken=1)
    assert isinstance(add, Update)
    assert (add.add, add.set, add.when) == ({"taken": 1}, {}, None)


def test_writes_are_compared_by_value() -> None:
    assert Delete(Target(Room, {"room_id": "1"})) == Delete(Target(Room, {"room_id": "1"}))


def test_secret_values_are_masked_in_the_repr() -> None:
    for target in (Target(Login, {"login_id": "1"}), LoginById(login_id="1")):
        assert "hunter2" not in repr(Update(target, set={"password": "hunter2"}))
    assert "attic" in repr(Update(Target(Room, {"room_id": "1"}), set={"name": "attic"}))


def test_a_write_is_shown_as_it_is_written() -> None:
    name: Any = Room.name
    write = Update(Target(Room, {"room_id": "1"}), name.set("attic"), add={"seats": 1}, when=name == "room")
    assert repr(write).startswith(
        "Update(Target(Room, {'room_id': '1'}), Room.name.set('attic'), add={'seats': 1}, when="
    )
    assert repr(Update(Target(Room, {"room_id": "1"}))) == "Update(Target(Room, {'room_id': '1'}))"
    assert repr(Upsert(Room(room_id="1"), name.set("attic"))).endswith(", Room.name.set('attic'))")
    assert write == Update(
        Target(Room, {"room_id": "1"}), name.set("attic"), add={"seats": 1}, when=write.when
    )


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ({}, "is made of room_id; room_id is missing"),
        ({"room_id": "1", "name": "x"}, "name is not part of it"),
        ({"room_id": 5}, r"Room\.room_id must be a valid string, got 5"),
    ],
)
def test_an_address_needs_exactly_the_key_fields(store: Studio, key: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidWrite, match=message):
        store.run_sync(delete(store.context, Delete(Target(Room, key))))
