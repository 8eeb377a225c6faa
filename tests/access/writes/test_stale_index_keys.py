"""Index keys that a class does not declare: every write removes them, and nothing is written only for them."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest

from tablewright import (
    Copy,
    Design,
    Entity,
    Get,
    Index,
    Keys,
    Query,
    Repository,
    Table,
    connect,
    fields,
    writes,
)
from tablewright.access.procedures import run_sync
from tablewright.access.writes.entity_writes import plan_write
from tablewright.design.entities.migrations import Migration
from tablewright.lifecycle import migrate
from tablewright.lifecycle.integrity import fsck
from tests.mistakes.outcomes import fsck_kinds, stored, write_raw

main = Table(
    "app",
    ("PK", "SK"),
    [Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "GSI2PK"), Index("by-city", "city")],
)


class Plain(Entity, table=main, type="PLAIN"):
    """It was in GSI1, and is no longer. `city` is a field that is an index key itself."""

    plain_id: str
    note: str = ""
    role: str = "guest"
    city: str | None = None
    keys = Keys(primary=("PLAIN#{plain_id}", "PLAIN"), GSI2=("ROLE#{role}",))


class Linked(Entity, table=main, type="LINKED"):
    """An entity whose writes read it first; its copy is in the index that the entity has left."""

    linked_id: str
    name: Annotated[str, fields.Unique()]
    note: str = ""
    keys = Keys(primary=("LINKED#{linked_id}", "LINKED"))
    listed = Copy(primary=("LISTED", "{linked_id}"), GSI1=("LISTED", "{linked_id}"))


class PlainById(Get[Plain]):
    plain_id: str


class LinkedById(Get[Linked]):
    linked_id: str


class Listed(Query[Linked]):
    key = "GSI1PK = LISTED"


DESIGN = Design(
    "app",
    entities=[Plain, Linked],
    patterns=[PlainById, LinkedById, Listed],
    migrations=[Migration("leave-gsi1", of=Plain)],
)
STALE: dict[str, Any] = {"GSI1PK": {"S": "OLD"}, "GSI1SK": {"S": "1"}}


@pytest.fixture
def db() -> Any:
    with connect(DESIGN) as db:
        db.create(Plain(plain_id="1", city="Turku"))
        db.create(Linked(linked_id="1", name="Ada"))
        for kind in ("PLAIN", "LINKED"):
            item = stored(db, "app", PK=f"{kind}#1", SK=kind)
            write_raw(db, "app", {**item, **STALE, "legacy": {"S": "kept"}})
        yield db


def plain(db: Repository) -> Plain:
    return db.get_or_raise(PlainById(plain_id="1"))


def linked(db: Repository) -> Linked:
    return db.get_or_raise(LinkedById(linked_id="1"))


WRITES: dict[str, tuple[str, Callable[[Repository], Any]]] = {
    "put": ("PLAIN", lambda db: db.put(plain(db).changed(note="x"))),
    "blind update of what was read": ("PLAIN", lambda db: db.update(plain(db), set={"note": "x"})),
    "blind update of an index key": ("PLAIN", lambda db: db.update(plain(db), set={"role": "admin"})),
    "transact": ("PLAIN", lambda db: db.transact(writes.Update(plain(db), set={"note": "x"}))),
    "batch": ("PLAIN", lambda db: db.batch([writes.Put(plain(db))])),
    "upsert": ("PLAIN", lambda db: db.upsert(plain(db), set={"note": "x"})),
    "put that reads first": ("LINKED", lambda db: db.put(linked(db).changed(note="x"))),
    "put that changes nothing else": ("LINKED", lambda db: db.put(linked(db))),
    "update that reads first": (
        "LINKED",
        lambda db: db.update(LinkedById(linked_id="1"), set={"name": "Eva"}),
    ),
    "update by its class": ("LINKED", lambda db: db.update(linked(db), set={"name": "Eva"})),
}


@pytest.mark.parametrize(("kind", "write"), WRITES.values(), ids=WRITES.keys())
def test_a_write_removes_index_keys_that_the_class_does_not_declare(
    db: Repository, kind: str, write: Callable[[Repository], Any]
) -> None:
    write(db)
    item = stored(db, "app", PK=f"{kind}#1", SK=kind)
    assert not item.keys() & STALE.keys()
    assert item["legacy"] == {"S": "kept"}
    assert kind != "PLAIN" or (item["city"], "GSI2PK" in item) == ({"S": "Turku"}, True)


def test_a_move_and_a_new_entity_leave_them_behind(db: Repository) -> None:
    db.move(plain(db), plain_id="2")
    assert not stored(db, "app", PK="PLAIN#2", SK="PLAIN").keys() & STALE.keys()
    copy = Plain(plain_id="3")
    copy.unknown_attributes = {**STALE, "legacy": {"S": "kept"}}
    db.create(copy)
    assert stored(db, "app", PK="PLAIN#3", SK="PLAIN").keys() == {
        "PK", "SK", "type", "plainId", "note", "role", "GSI2PK", "legacy",
    }  # fmt: skip


def test_an_unchanged_put_of_an_entity_without_them_writes_nothing(db: Repository) -> None:
    db.put(linked(db))
    plan = run_sync(plan_write(db.context, writes.Put(linked(db))), db.connection.call)
    assert plan.actions == ()


def test_a_blind_update_by_key_sends_no_removal(db: Repository) -> None:
    request = db.explain(writes.Update(PlainById(plain_id="1"), set={"note": "x"})).request
    assert "REMOVE" not in request["UpdateExpression"]


def test_a_copy_in_the_index_does_not_make_its_entity_stale(db: Repository) -> None:
    (copy,) = db.run(Listed())
    assert (copy.name, copy.unknown_attributes) == ("Ada", {})


def test_fsck_reports_and_removes_them(db: Repository) -> None:
    assert fsck_kinds(db) == ["stale index keys", "stale index keys"]
    (finding, _) = fsck.check(db).findings
    assert "GSI1PK, GSI1SK" in finding.problem
    assert finding.repair == "remove GSI1PK, GSI1SK"
    fsck.check(db, repair=True)
    assert fsck_kinds(db) == []
    assert stored(db, "app", PK="PLAIN#1", SK="PLAIN")["legacy"] == {"S": "kept"}


def test_a_migration_counts_what_it_cleans_up(db: Repository) -> None:
    (result,) = migrate.migrate(db)
    assert result.tally.changed == 1
    assert not stored(db, "app", PK="PLAIN#1", SK="PLAIN").keys() & STALE.keys()
