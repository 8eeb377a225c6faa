"""What the plans of all kinds of writes share."""

from typing import Any

import pytest

from tablewright.access.writes.plans.write_plan import (
    Planner,
    contended,
    outcome_unknown,
    target_of_write,
)
from tablewright.access.writes.single import create
from tablewright.access.writes.targets import Target, target_of
from tablewright.access.writes.values import Check, Create, Delete, Put, Update
from tablewright.errors import DoesNotExist, InvalidWrite, VersionConflict
from tests.access.studio import Ledger, Room, Studio

LEDGER = Target(Ledger, {"ledger_id": "1"})
ROOM = Target(Room, {"room_id": "1"})


def planner(store: Studio, write: Any) -> Planner:
    return Planner(store.context, write, target_of_write(write))


@pytest.mark.parametrize(
    ("write", "version"),
    [
        (Update(LEDGER, add={"total": 1}), None),
        (Update(LEDGER, add={"total": 1}, version=3), 3),
        (Delete(Ledger(ledger_id="1", version=2)), 2),
        (Put(Ledger(ledger_id="1", version=2)), 2),
        (Create(Ledger(ledger_id="1", version=2)), None),
    ],
)
def test_the_expected_version(store: Studio, write: Any, version: int | None) -> None:
    assert planner(store, write).version == version


def test_a_version_needs_a_version_field(store: Studio) -> None:
    with pytest.raises(InvalidWrite, match="Room has no Version field to compare with 3"):
        planner(store, Check(ROOM, version=3))


def test_a_condition_must_be_a_condition(store: Studio) -> None:
    with pytest.raises(InvalidWrite, match="when= takes a condition, not True"):
        planner(store, Check(ROOM, when=True))


def test_an_entity_that_must_exist(store: Studio) -> None:
    with pytest.raises(DoesNotExist):
        store.run_sync(planner(store, Check(ROOM)).read_existing())
    with pytest.raises(VersionConflict):
        store.run_sync(planner(store, Check(LEDGER, version=2)).read_existing())
    store.run_sync(create(store.context, Room(room_id="1")))
    found = store.run_sync(planner(store, Check(ROOM)).read_existing())
    assert found["roomId"] == {"S": "1"}


def test_an_item_of_another_type_is_not_the_entity(store: Studio) -> None:
    item = {"PK": {"S": "ROOM#1"}, "SK": {"S": "ROOM"}, "type": {"S": "NOTE"}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": item})
    assert store.run_sync(planner(store, Check(ROOM)).read()) is None


def test_the_errors_name_the_entity() -> None:
    for error in (contended(Delete(ROOM)), outcome_unknown(Put(Room(room_id="1")))):
        assert str(error).startswith("Room(room_id='1')")
    assert target_of_write(Put(Room(room_id="1"))) == target_of(ROOM)
