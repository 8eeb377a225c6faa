"""What the plans of all kinds of writes share."""

from typing import Any

import pytest

from tablewright import Design, Entity, Get, Table, connect, writes
from tablewright.access.writes.entity_writes import create
from tablewright.access.writes.values import Check, Create, Delete, Put, Target, Update, target_of
from tablewright.access.writes.write_plan import (
    Planner,
    contended,
    outcome_unknown,
    target_of_write,
)
from tablewright.errors import DoesNotExist, InvalidWrite, TransactionFailed, VersionConflict
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


log = Table("log", key=("day", "id"))


class Entry(Entity, table=log, writes={"create"}):
    day: str
    id: str
    text: str = ""


class EntryById(Get[Entry]):
    day: str
    id: str


class Draft(Entity, table=Table("drafts", key="id"), writes={"create", "update"}):
    id: str
    text: str = ""


class Note(Entity, table=Table("notes", key="id"), writes={"create", "delete"}):
    id: str


design = Design("log", entities=[Entry, Draft, Note], patterns=[EntryById])
ENTRY = Entry(day="d", id="1")
NOT_ALLOWED: list[tuple[Any, str]] = [
    (
        writes.Put(ENTRY),
        'Put of Entry is not allowed: the class has writes={"create"}; add {"update"} to allow it',
    ),
    (writes.Update(ENTRY, set={"text": "x"}), 'add {"update"}'),
    (writes.Upsert(ENTRY, set={"text": "x"}), 'add {"update"} to allow it, or use create'),
    (writes.Delete(ENTRY), 'Delete of Entry is not allowed: the class has writes={"create"}; add {"delete"}'),
    (writes.Move(ENTRY, {"id": "2"}), 'add {"delete"}'),
    (writes.Delete(Draft(id="1")), 'writes={"create", "update"}; add {"delete"}'),
    (writes.Update(Note(id="1"), set={"id": "2"}), 'writes={"create", "delete"}; add {"update"}'),
]


def run(db: Any, write: Any) -> None:
    match write:
        case writes.Put(entity):
            db.put(entity)
        case writes.Update(target):
            db.update(target, set=write.set)
        case writes.Upsert(entity):
            db.upsert(entity, set=write.set)
        case writes.Delete(target):
            db.delete(target)
        case writes.Move(target):
            db.move(target, **write.to)


@pytest.mark.parametrize(("write", "message"), NOT_ALLOWED, ids=lambda each: type(each).__name__)
def test_writes_that_are_not_declared_are_rejected(write: Any, message: str) -> None:
    with connect(design) as db:
        db.create(ENTRY)
        with pytest.raises(InvalidWrite) as alone:
            run(db, write)
        with pytest.raises(TransactionFailed) as together:
            db.transact(write)
        with pytest.raises(InvalidWrite) as explained:
            db.explain(write)
        assert db.run(EntryById(day="d", id="1")) == ENTRY
    for caught in (alone.value, together.value.__cause__, explained.value):
        assert message in str(caught)


def test_declared_writes_and_checks_are_executed() -> None:
    with connect(design) as db:
        db.transact(writes.Create(ENTRY), writes.CheckAbsent(Note(id="1")))
        db.transact(writes.Check(ENTRY), writes.Create(Note(id="1")))
        assert db.delete(Note(id="1"))
        db.put(Draft(id="1"))
        assert db.upsert(Draft(id="1"), set={"text": "x"}).text == "x"
        assert db.update(Draft(id="1"), set={"text": "y"}).text == "y"


def test_a_batch_needs_deletes_and_the_rights_of_its_writes() -> None:
    with connect(design) as db:
        with pytest.raises(InvalidWrite, match="the right to write batches includes deleting"):
            db.batch([writes.Put(Draft(id="1"))])
        with pytest.raises(InvalidWrite, match="Put of Note is not allowed"):
            db.batch([writes.Put(Note(id="1"))])
        db.batch([writes.Delete(db.create(Note(id="1")))])
