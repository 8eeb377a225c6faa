"""Allowed writes: what an entity does not declare is rejected, alone, in transactions and in batches."""

from typing import Any

import pytest

from tablewright import Design, Entity, Get, Table, connect, writes
from tablewright.errors import InvalidWrite, TransactionFailed

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
