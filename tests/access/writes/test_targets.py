"""Targets of writes."""

import pytest

from tablewright.access.writes.single import delete
from tablewright.access.writes.targets import Target
from tablewright.access.writes.values import Delete
from tablewright.errors import InvalidWrite
from tests.access.studio import Room, Studio


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ({}, "is made of room_id; room_id is missing"),
        ({"room_id": "1", "name": "x"}, "name is not part of it"),
        ({"room_id": 5}, r"Room\.room_id: Input should be a valid string"),
    ],
)
def test_an_address_needs_exactly_the_key_fields(store: Studio, key: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidWrite, match=message):
        store.run_sync(delete(store.context, Delete(Target(Room, key))))
