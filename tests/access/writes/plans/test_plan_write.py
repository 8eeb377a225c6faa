"""Every kind of write has its plan."""

from typing import Any

import pytest

from tablewright.access.writes.plans.plan_write import plan_write
from tablewright.access.writes.single import create
from tablewright.access.writes.targets import Target
from tablewright.access.writes.values import Add, Check, CheckAbsent, Create, Delete, Move, Put, Update
from tablewright.errors import InvalidWrite
from tests.access.studio import Note, Room, RoomAt, Studio

ROOM = Target(Room, {"room_id": "1"})


@pytest.mark.parametrize(
    ("write", "kinds"),
    [
        (Create(Room(room_id="2")), ["Put"]),
        (Put(Note(note_id="1")), ["Put"]),
        (Update(ROOM, set={"seats": 2}), ["Update"]),
        (Add(ROOM, taken=1), ["Update"]),
        (Delete(ROOM), ["Delete"]),
        (Move(ROOM, {"room_id": "3"}), ["Delete", "Put"]),
        (Check(RoomAt(number="1")), ["ConditionCheck"]),
        (CheckAbsent(ROOM), ["ConditionCheck"]),
    ],
)
def test_the_actions_of_each_kind(store: Studio, write: Any, kinds: list[str]) -> None:
    store.run_sync(create(store.context, Room(room_id="1")))
    plan = store.run_sync(plan_write(store.context, write))
    assert [action.kind for action in plan.actions] == kinds
    assert plan.write is write


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (Create(ROOM), "Create takes an entity, not an instance of Target"),  # type: ignore[type-var]
        ("room", "'room' is not a write; use Create"),
        (Delete("room"), "'room' is not a target"),  # type: ignore[arg-type]
    ],
)
def test_other_values_are_rejected(store: Studio, write: Any, message: str) -> None:
    with pytest.raises(InvalidWrite, match=message):
        store.run_sync(plan_write(store.context, write))
