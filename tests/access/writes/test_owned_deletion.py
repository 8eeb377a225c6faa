"""Delete an entity with what it owns: the order, what stays, rows of other programs, and a process that is killed."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import pytest
from pydantic import Field

from tablewright import (
    Connection,
    Copy,
    Design,
    Entity,
    Get,
    Index,
    Keys,
    Table,
    connect,
    fields,
    keyrings,
    writes,
)
from tablewright.access.repository import Repository
from tablewright.access.writes import owned_deletion
from tablewright.errors import (
    DeletionUnfinished,
    InvalidWrite,
    ProvisionedThroughputExceeded,
    ServiceError,
    TransactionFailed,
)
from tablewright.lifecycle.integrity.fsck import check as fsck

main = Table("owned-{env}-main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")], ttl="ttl")
metrics = Table("owned-{env}-metrics", key=("startupId", "day"))


class Startup(Entity, table=main, type="STARTUP"):
    startup_id: str
    slug: Annotated[str, fields.Unique()]
    keys = Keys(primary=("STARTUP#{startup_id}", "STARTUP"))


class StartupById(Get[Startup]):
    startup_id: str


class StartupByName(Get[Startup]):
    name: str
    key = "PK = STARTUP#{name}, SK = STARTUP"


class Role(Entity, table=main, type="ROLE"):
    """Owned through its primary key, and an owner itself."""

    startup_id: Annotated[str, fields.OwnedBy(Startup)]
    role_id: str
    keys = Keys(primary=("STARTUP#{startup_id}", "ROLE#{role_id}"))


class Application(Entity, table=main, type="APPLICATION"):
    """Owned through an index, by an owner with a key of two fields; with a lock and copies."""

    startup_id: str
    role_id: Annotated[str, fields.OwnedBy(Role)]
    application_id: str
    email: Annotated[str, fields.Unique(within=("role_id",))]
    readers: list[str] = Field(default_factory=list)
    keys = Keys(
        primary=("APPLICATION#{application_id}", "APPLICATION"),
        GSI1=("ROLE#{startup_id}#{role_id}", "{application_id}"),
    )
    of_readers = Copy(
        each="readers", name="reader", primary=("READER#{reader}", "APPLICATION#{application_id}")
    )


class Note(Entity, table=main, type="NOTE"):
    """One item, owned through its primary key: deleted in batches."""

    startup_id: Annotated[str, fields.OwnedBy(Startup)]
    note_id: str
    keys = Keys(primary=("STARTUP#{startup_id}", "NOTE#{note_id}"))


class Metric(Entity, table=metrics):
    """In another table, without a type."""

    startup_id: Annotated[str, fields.OwnedBy(Startup)]
    day: str


class Folder(Entity, table=main, type="FOLDER"):
    """Owned by entities of its own class."""

    folder_id: str
    parent_id: Annotated[str | None, fields.OwnedBy("Folder")] = None
    keys = Keys(primary=("FOLDER#{folder_id}", "FOLDER"), GSI1=("FOLDER#{parent_id}", "{folder_id}"))


class Token(Entity, table=main, type="TOKEN"):
    """With secrets, of which one has a lock."""

    startup_id: Annotated[str, fields.OwnedBy(Startup)]
    token_id: str
    secret: Annotated[str, fields.Encrypted()]
    digest: Annotated[str, fields.Hashed(), fields.Unique()]
    keys = Keys(primary=("STARTUP#{startup_id}", "TOKEN#{token_id}"))


ENTITIES: list[type[Entity]] = [Startup, Role, Application, Note, Metric, Folder]
design = Design("owned", entities=ENTITIES, patterns=[StartupById, StartupByName])

Items = list[dict[str, Any]]


class Killed(BaseException):
    """The process ends here."""


class MortalConnection(Connection):
    """A connection whose process is killed at a call: before it is sent, or after it and before its reply."""

    def __init__(self, inner: Connection, lives: int, *, after: bool) -> None:
        self._inner = inner
        self._lives = lives
        self._after = after
        self.calls = 0

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.calls += 1
        if self.calls == self._lives and not self._after:
            raise Killed
        reply = self._inner.call(operation, request)
        if self.calls == self._lives:
            raise Killed
        return reply

    def close(self) -> None:
        """Leave the connection open."""


def stored(db: Repository) -> Items:
    """All items of all tables."""
    items: Items = []
    for table in db.design.tables:
        items += db.connection.call("Scan", {"TableName": db.context.table_name(table)})["Items"]
    return items


def tree(startup_id: str, notes: int = 3) -> list[Entity]:
    """A startup and what it owns."""
    one, two = (f"{startup_id}-r{number}" for number in (1, 2))
    return [
        Startup(startup_id=startup_id, slug=f"slug-{startup_id}"),
        Role(startup_id=startup_id, role_id=one),
        Role(startup_id=startup_id, role_id=two),
        Application(
            startup_id=startup_id, role_id=one, application_id=f"{one}-a1", email="a@x", readers=["u1", "u2"]
        ),
        Application(startup_id=startup_id, role_id=one, application_id=f"{one}-a2", email="b@x"),
        *(Note(startup_id=startup_id, note_id=str(number)) for number in range(notes)),
        Metric(startup_id=startup_id, day="2026-01-01"),
    ]


def orphans(db: Repository) -> list[str]:
    """What is stored without its owner, and copies and locks without their entity."""
    items = stored(db)
    keys = {(item["PK"]["S"], item["SK"]["S"]) for item in items if "PK" in item}
    lost = []
    for item in items:
        kind = item.get("type", {}).get("S", "METRIC")
        startup = item.get("startupId", {}).get("S")
        owner = {
            "ROLE": (f"STARTUP#{startup}", "STARTUP"),
            "NOTE": (f"STARTUP#{startup}", "STARTUP"),
            "METRIC": (f"STARTUP#{startup}", "STARTUP"),
            "APPLICATION": (f"STARTUP#{startup}", f"ROLE#{item.get('roleId', {}).get('S')}"),
        }.get(kind)
        if owner is not None and owner not in keys:
            lost.append(f"{kind} {item}")
    return [*lost, *map(str, fsck(db, segments=1).findings)]


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(design, environment="test", create=True) as opened:
        yield opened


def fill(db: Repository, *entities: Entity) -> None:
    for entity in entities:
        db.create(entity)


@pytest.fixture(params=["memory", "file", "http", "memory awaited", "http awaited"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Repository, bool]]:
    """A repository, and whether its deletions are awaited."""
    name, _, awaited = request.param.partition(" ")
    where: Any = tmp_path / "owned.db" if name == "file" else None
    where = request.getfixturevalue("endpoint") if name == "http" else where
    with connect(design, where, environment=uuid4().hex[:12], create=True) as opened:
        yield opened, bool(awaited)


def delete_and_die(whole: Repository, lives: int, *, after: bool, awaited: bool) -> int:
    """Delete a startup over a connection that ends at a call; return the number of calls."""
    connection = MortalConnection(whole.connection, lives, after=after)
    killed = connect(design, connection, environment=whole.context.environment)
    target = StartupById(startup_id="s1")
    if awaited:
        asyncio.run(_delete_awaited(killed, target))
    else:
        killed.delete_with_owned(target)
    return connection.calls


async def _delete_awaited(killed: Repository, target: StartupById) -> None:
    async with killed.aio as db:
        await db.delete_with_owned(target)


@pytest.mark.parametrize("after", [False, pytest.param(True, id="after")])
def test_killed_at_every_request_nothing_is_orphaned_and_nothing_else_deleted(
    place: tuple[Repository, bool], after: bool
) -> None:
    whole, awaited = place
    fill(whole, *tree("s2"))
    expected = sorted(stored(whole), key=str)
    fill(whole, *tree("s1"))
    requests = delete_and_die(whole, 0, after=after, awaited=awaited)
    assert requests > 15
    assert sorted(stored(whole), key=str) == expected
    for lives in range(1, requests + 1):
        fill(whole, *tree("s1"))
        with pytest.raises(Killed):
            delete_and_die(whole, lives, after=after, awaited=awaited)
        assert orphans(whole) == [], f"killed at request {lives}"
        whole.delete_with_owned(StartupById(startup_id="s1"))
        assert sorted(stored(whole), key=str) == expected


def test_the_report_counts_what_was_deleted(db: Repository) -> None:
    fill(db, *tree("s1", notes=60), *tree("s2"))
    seen = []
    report = db.delete_with_owned(
        StartupById(startup_id="s1"), on_progress=lambda report: seen.append(report.deleted.total())
    )
    assert report.existed
    assert report.deleted == {"Startup": 1, "Role": 2, "Application": 2, "Note": 60, "Metric": 1}
    assert (report.unreadable, report.left, report.undeleted) == ([], [], [])
    assert seen == sorted(seen)
    assert seen[-1] == 66
    again = db.delete_with_owned(StartupById(startup_id="s1"))
    assert (again.existed, again.deleted) == (False, {})


def test_any_target_is_taken(db: Repository) -> None:
    startup = Startup(startup_id="s1", slug="s")
    for target in (startup, writes.Target(Startup, {"startup_id": "s1"}), StartupByName(name="s1")):
        fill(db, *tree("s1"))
        assert db.delete_with_owned(target).deleted.total() == 9
        assert stored(db) == []


def test_what_an_earlier_run_left_is_deleted_without_its_owner(db: Repository) -> None:
    fill(db, *tree("s1")[1:])
    report = db.delete_with_owned(StartupById(startup_id="s1"))
    assert not report.existed
    assert stored(db) == []


def test_pages_are_followed(db: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owned_deletion, "PAGE", 2)
    fill(db, *tree("s1", notes=9), *tree("s2"))
    before = len(stored(db))
    report = db.delete_with_owned(StartupById(startup_id="s1"))
    assert report.deleted["Note"] == 9
    assert len(stored(db)) == before - report.deleted.total() - 5  # locks and copies


def test_plain_entities_are_deleted_in_batches(db: Repository) -> None:
    fill(db, *(Note(startup_id="s1", note_id=f"{number:03}") for number in range(60)))
    connection = MortalConnection(db.connection, 0, after=False)
    connect(design, connection, environment="test").delete_with_owned(StartupById(startup_id="s1"))
    # Three listings twice, three batches, and the read of the owner.
    assert connection.calls == 6 + 3 + 1


def test_entities_of_one_class_own_each_other_at_any_depth(db: Repository) -> None:
    fill(db, *(Folder(folder_id=str(n), parent_id=str(n - 1) if n else None) for n in range(400)))
    fill(db, Folder(folder_id="x"))
    report = db.delete_with_owned(writes.Target(Folder, {"folder_id": "0"}))
    assert report.deleted == {"Folder": 400}
    assert [item["folderId"]["S"] for item in stored(db)] == ["x"]


def test_a_circle_of_owners_ends(db: Repository) -> None:
    fill(
        db, Folder(folder_id="a", parent_id="b"), Folder(folder_id="b", parent_id="a"), Folder(folder_id="c")
    )
    fill(db, Folder(folder_id="d", parent_id="d"))
    assert db.delete_with_owned(writes.Target(Folder, {"folder_id": "a"})).deleted == {"Folder": 2}
    assert db.delete_with_owned(writes.Target(Folder, {"folder_id": "d"})).deleted == {"Folder": 1}
    assert [item["folderId"]["S"] for item in stored(db)] == ["c"]


def put_raw(db: Repository, **attributes: str) -> None:
    item = {name: {"S": text} for name, text in attributes.items()}
    db.connection.call("PutItem", {"TableName": db.context.table_name(main), "Item": item})


def test_rows_of_other_programs_are_deleted_by_key_and_reported(db: Repository) -> None:
    fill(db, *tree("s1"))
    put_raw(db, PK="STARTUP#s1", SK="NOTE#x", type="NOTE", startupId="elsewhere")
    put_raw(db, PK="STARTUP#s1", SK="NOTE#y")
    put_raw(db, PK="STARTUP#s1", SK="ROLE#z", type="ROLE", startupId="s1", roleId="other")
    put_raw(
        db,
        PK="APPLICATION#q",
        SK="APPLICATION",
        type="APPLICATION",
        GSI1PK="ROLE#s1#z",
        GSI1SK="q",
        email="q@x",
    )
    report = db.delete_with_owned(StartupById(startup_id="s1"))
    assert report.unreadable_count == len(report.unreadable) == 4
    assert {next(iter(each.key["SK"].values())) for each in report.unreadable} == {
        "NOTE#x",
        "NOTE#y",
        "ROLE#z",
        "APPLICATION",
    }
    assert "is not a valid Role: it has a key that does not match its fields" in str(report.unreadable[0])
    assert stored(db) == []


def test_what_is_not_owned_stays(db: Repository) -> None:
    fill(db, *tree("s1"))
    put_raw(db, PK="STARTUP#s1", SK="NOTE#job", type="JOB")
    put_raw(db, PK="STARTUP#s1", SK="SETTINGS")
    put_raw(db, PK="STARTUP#s10", SK="NOTE#1", type="NOTE", startupId="s10", noteId="1")
    # An index key that is out of date: the application has another role.
    put_raw(
        db,
        PK="APPLICATION#stale",
        SK="APPLICATION",
        type="APPLICATION",
        GSI1PK="ROLE#s1#s1-r1",
        GSI1SK="stale",
        startupId="s9",
        roleId="r9",
        applicationId="stale",
        email="stale@x",
    )
    report = db.delete_with_owned(StartupById(startup_id="s1"))
    assert sorted((item["PK"]["S"], item["SK"]["S"]) for item in stored(db)) == [
        ("APPLICATION#stale", "APPLICATION"),
        ("STARTUP#s1", "NOTE#job"),
        ("STARTUP#s1", "SETTINGS"),
        ("STARTUP#s10", "NOTE#1"),
    ]
    assert [str(each) for each in report.left] == [
        "the item PK = 'STARTUP#s1', SK = 'NOTE#job' of owned-{env}-main is of no entity; it stays"
    ]


def test_an_item_of_another_type_under_the_key_of_the_owner_stays(db: Repository) -> None:
    put_raw(db, PK="STARTUP#s1", SK="STARTUP", type="OTHER")
    assert not db.delete_with_owned(StartupById(startup_id="s1")).existed
    assert len(stored(db)) == 1


def test_what_is_created_meanwhile_is_deleted_too(db: Repository) -> None:
    """A create that checks its owner in the same transaction never leaves an orphan."""
    fill(db, *tree("s1"))
    created: list[str] = []

    class Busy(MortalConnection):
        def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            note = Note(startup_id="s1", note_id=f"late-{len(created)}")
            try:
                db.transact(writes.Create(note), writes.Check(StartupById(startup_id="s1")))
                created.append(note.note_id)
            except TransactionFailed:
                pass
            return super().call(operation, request)

    busy = connect(design, Busy(db.connection, 0, after=False), environment="test")
    report = busy.delete_with_owned(StartupById(startup_id="s1"))
    assert len(created) > 10
    assert report.deleted["Note"] == 3 + len(created)
    assert stored(db) == []


def test_what_cannot_be_deleted_keeps_its_owners(db: Repository) -> None:
    readers = [f"u{number}" for number in range(60)]
    fill(db, *tree("s1"))
    db.create(
        Application(startup_id="s1", role_id="s1-r2", application_id="big", email="big@x", readers=readers)
    )
    big = {"PK": {"S": "APPLICATION#big"}, "SK": {"S": "APPLICATION"}}
    more = {"L": [{"S": f"u{number}"} for number in range(120)]}
    db.connection.call(
        "UpdateItem",
        {
            "TableName": db.context.table_name(main),
            "Key": big,
            "UpdateExpression": "SET readers = :r",
            "ExpressionAttributeValues": {":r": more},
        },
    )
    for number in range(60, 120):
        reader = {"PK": {"S": f"READER#u{number}"}, "SK": {"S": "APPLICATION#big"}}
        copy = {**reader, "type": {"S": "APPLICATION"}, "_of": {"M": big}}
        db.connection.call("PutItem", {"TableName": db.context.table_name(main), "Item": copy})
    with pytest.raises(DeletionUnfinished) as caught:
        db.delete_with_owned(StartupById(startup_id="s1"))
    report = caught.value.report
    assert "Startup(startup_id='s1') is not deleted with all that it owns: Application (PK =" in str(
        caught.value
    )
    assert report.deleted == {"Application": 2, "Note": 3, "Metric": 1, "Role": 1}
    assert db.run(StartupById(startup_id="s1")) is not None
    assert not report.existed


def test_throttled_batches_keep_the_owner(db: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(db, *tree("s1"))

    class Throttled(MortalConnection):
        def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            if operation == "BatchWriteItem":
                raise ProvisionedThroughputExceeded("slow down")
            return super().call(operation, request)

    monkeypatch.setattr("time.sleep", lambda seconds: None)
    throttled = connect(design, Throttled(db.connection, 0, after=False), environment="test")
    with pytest.raises(DeletionUnfinished, match="3 of Note: slow down"):
        throttled.delete_with_owned(StartupById(startup_id="s1"))
    assert db.run(StartupById(startup_id="s1")) is not None
    db.delete_with_owned(StartupById(startup_id="s1"))
    assert stored(db) == []


def test_secrets_are_deleted_with_their_locks(tmp_path: Path) -> None:
    secret = Design("owned", entities=[Startup, Token], patterns=[StartupById])
    keys = keyrings.KeyFile.create(tmp_path / "master.json")
    with connect(secret, environment="test", create=True, secrets=keys) as db:
        fill(
            db,
            Startup(startup_id="s1", slug="s"),
            Token(startup_id="s1", token_id="t", secret="a", digest="b"),
        )
        without = connect(secret, db.connection, environment="test")
        with pytest.raises(DeletionUnfinished, match="has no master key"):
            without.delete_with_owned(StartupById(startup_id="s1"))
        report = db.delete_with_owned(StartupById(startup_id="s1"))
        assert report.deleted == {"Startup": 1, "Token": 1}
        assert report.unreadable == []
        assert [item for item in stored(db) if "PK" in item] == []


def test_an_entity_that_is_not_in_the_design_is_refused(db: Repository) -> None:
    token = writes.Target(Token, {"startup_id": "s1", "token_id": "t"})
    with pytest.raises(InvalidWrite, match="Token is not part of owned, so what it owns is not known"):
        db.delete_with_owned(token)


def test_a_value_that_no_key_can_contain_owns_nothing(db: Repository) -> None:
    class Hash(Entity, table=main, type="HASH"):
        startup_id: Annotated[str, fields.OwnedBy(Startup)]
        keys = Keys(primary=("HASH#{startup_id}#", "HASH"))

    with connect(Design("hashes", entities=[Startup, Hash]), db.connection, environment="test") as other:
        assert other.delete_with_owned(Startup(startup_id="a#b", slug="s")).deleted == {}


def test_a_service_error_ends_the_deletion(db: Repository) -> None:
    fill(db, *tree("s1"))

    class Failing(MortalConnection):
        def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            if operation == "GetItem":
                raise ServiceError("no")
            return super().call(operation, request)

    failing = connect(design, Failing(db.connection, 0, after=False), environment="test")
    with pytest.raises(ServiceError, match="no"):
        failing.delete_with_owned(StartupById(startup_id="s1"))
    assert orphans(db) == []
