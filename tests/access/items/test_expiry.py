"""Expiries in milliseconds: every write of an entity rejects them; DynamoDB's own calls accept them, as AWS does."""

from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any

import pytest

from tablewright import Clock, Copy, Design, Entity, Get, Index, Keys, Query, Table, connect, embedded, fields
from tablewright.access.repository import Repository
from tablewright.access.writes import Add, Create, Delete, Move, Put, Update
from tablewright.access.writes.automatic_fields import LATEST_EXPIRY
from tablewright.errors import InvalidWrite, TablewrightError

NOW = 1_790_000_000.0
MILLISECONDS = int(NOW * 1000)
HOUR = int(NOW) + 3600

main = Table("sessions", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK")], ttl="expiresAt")


class Session(Entity, table=main, type="SESSION"):
    session_id: str
    started: int | None = None
    expires_at: Annotated[int | None, fields.Ttl(after=timedelta(hours=1), of="started")] = None
    keys = Keys(primary=("SESSION#{session_id}", "SESSION"))


class Shared(Entity, table=main, type="SHARED"):
    """Its expiry has no marker, and it has dependents."""

    shared_id: str
    name: Annotated[str, fields.Unique()] = "n"
    expires_at: int | None = None
    keys = Keys(primary=("SHARED#{shared_id}", "SHARED"))
    listed = Copy(primary=("ALL", "SHARED#{shared_id}"))


class SessionById(Get[Session]):
    session_id: str


class SharedById(Get[Shared]):
    shared_id: str


class AllShared(Query[Shared]):
    key = "PK = ALL"


design = Design("sessions", entities=[Session, Shared], patterns=[SessionById, SharedById, AllShared])


@pytest.fixture
def db() -> Repository:
    opened = connect(design, embedded(clock=Clock(NOW)))
    opened.create(Session(session_id="s1", expires_at=HOUR))
    opened.create(Shared(shared_id="h1", expires_at=HOUR))
    return opened


def late(**values: Any) -> Session:
    return Session(session_id="s2", expires_at=MILLISECONDS, **values)


WRITES: dict[str, Callable[[Repository], Any]] = {
    "create": lambda db: db.create(late()),
    "put": lambda db: db.put(late()),
    "put of an entity with dependents": lambda db: db.put(Shared(shared_id="h2", expires_at=MILLISECONDS)),
    "replacement": lambda db: db.put(Shared(shared_id="h1", expires_at=MILLISECONDS)),
    "update": lambda db: db.update(SessionById(session_id="s1"), set={"expires_at": MILLISECONDS}),
    "update with dependents": lambda db: db.update(
        SharedById(shared_id="h1"), set={"expires_at": MILLISECONDS}
    ),
    "add": lambda db: db.transact(Add(SessionById(session_id="s1"), expires_at=MILLISECONDS)),
    "batch": lambda db: db.batch([Put(late())]),
    "transact": lambda db: db.transact(Create(late())),
    "transact update": lambda db: db.transact(
        Update(SessionById(session_id="s1"), set={"expires_at": MILLISECONDS})
    ),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_milliseconds_are_rejected_by_every_write(write: Callable[[Repository], Any], db: Repository) -> None:
    before = db.connection.call("Scan", {"TableName": "sessions"})["Items"]
    message = r"(Session|Shared)\.expires_at = 1790000000000 is after the year 5138: .* divide it by 1000"
    with pytest.raises(TablewrightError, match=message):
        write(db)
    assert db.connection.call("Scan", {"TableName": "sessions"})["Items"] == before


def test_an_expiry_computed_from_milliseconds_is_rejected(db: Repository) -> None:
    for started in (MILLISECONDS, LATEST_EXPIRY):
        with pytest.raises(InvalidWrite, match="divide it by 1000"):
            db.create(Session(session_id="s2", started=started))


def test_seconds_are_accepted(db: Repository) -> None:
    db.put(Session(session_id="s2", expires_at=LATEST_EXPIRY - 1))
    db.put(Session(session_id="s3", expires_at=0))
    db.put(Session(session_id="s4", started=int(NOW)))
    assert db.run(SessionById(session_id="s4")) == Session(session_id="s4", started=int(NOW), expires_at=HOUR)


def stored_in_milliseconds(db: Repository) -> None:
    """An item as another program wrote it."""
    for partition, sort in (("SHARED#h1", "SHARED"), ("SESSION#s1", "SESSION")):
        db.connection.call(
            "UpdateItem",
            {
                "TableName": "sessions",
                "Key": {"PK": {"S": partition}, "SK": {"S": sort}},
                "UpdateExpression": "SET expiresAt = :late",
                "ExpressionAttributeValues": {":late": {"N": str(MILLISECONDS)}},
            },
        )


def test_stored_milliseconds_can_be_read_changed_and_deleted(db: Repository) -> None:
    stored_in_milliseconds(db)
    found = db.run(SharedById(shared_id="h1"))
    assert found is not None
    assert found.expires_at == MILLISECONDS
    db.update(found, set={"name": "other"})
    db.update(found, set={"expires_at": HOUR})
    assert [each.expires_at for each in db.run(AllShared())] == [HOUR]
    db.transact(Delete(SessionById(session_id="s1")))


def test_a_move_of_stored_milliseconds_is_rejected(db: Repository) -> None:
    stored_in_milliseconds(db)
    with pytest.raises(TablewrightError, match="divide it by 1000"):
        db.transact(Move(SessionById(session_id="s1"), {"session_id": "s9"}))
