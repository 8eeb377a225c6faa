"""Layouts that grow: what stored items lack is planned, refused until it is written, and written by a deployment."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from tablewright import (
    Connection,
    Copy,
    Design,
    Entity,
    Index,
    Keys,
    Query,
    Repository,
    Table,
    connect,
    embedded,
    errors,
    fields,
    migrations,
    writes,
)
from tablewright.access.layout_records import LayoutPart, record_tags
from tablewright.access.procedures import run_sync
from tablewright.lifecycle.deploy.deployment import deploy, fill_index, plan_of
from tablewright.lifecycle.deploy.deployment_steps import LayoutCompletion
from tablewright.lifecycle.integrity import fsck
from tablewright.lifecycle.traversal.checkpoint_records import Reject
from tests.mistakes.outcomes import stored, write_raw

main = Table("app", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


class Before(Entity, table=main, type="MEMBER"):
    member_id: str
    email: str
    keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"))


class Member(Entity, table=main, type="MEMBER"):
    member_id: str
    email: Annotated[str, fields.Unique()]
    keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"), GSI1=("MEMBERS", "{email}"))
    listed = Copy(primary=("LISTED", "{member_id}"), fields=("email",))


class Members(Query[Member]):
    key = "GSI1PK = MEMBERS"


class Listed(Query[Member]):
    key = "PK = LISTED"


OLD = Design("app", entities=[Before])
NEW = Design("app", entities=[Member], patterns=[Members, Listed])
PARTS = (
    "the key in index GSI1 of Member",
    "the copy listed of Member",
    "the lock of the unique field email of Member",
)


@pytest.fixture
def store() -> Iterator[Connection]:
    with embedded() as store:
        connect(OLD, store).create(Before(member_id="1", email="a@b.c"))
        yield store


def steps(db: Repository) -> list[LayoutCompletion]:
    plan = run_sync(plan_of(db.design, db.context), db.connection.call)
    assert all(isinstance(step, LayoutCompletion) for step in plan.steps)
    return list(plan.steps)  # type: ignore[arg-type]


def deployed(db: Repository) -> list[Reject]:
    """Deploy; return the items that could not be completed."""
    rejects: list[Reject] = []
    plan = run_sync(plan_of(db.design, db.context), db.connection.call)

    def fill(step: Any) -> Any:
        return fill_index(db.design, db.context, step, None, rejects.extend)

    run_sync(deploy(plan, fill, lambda step: None, lambda step, reason: None), db.connection.call)
    return rejects


def refused(db: Repository) -> None:
    duplicate = Member(member_id="2", email="a@b.c")
    with pytest.raises(
        errors.LayoutIncomplete, match=r"Create of Member needs the lock .* email .*tablewright deploy"
    ):
        db.create(duplicate)
    with pytest.raises(errors.LayoutIncomplete, match="Put of Member"):
        db.put(duplicate)
    with pytest.raises(errors.LayoutIncomplete, match="Members needs the key in index GSI1 of Member"):
        db.run(Members())
    with pytest.raises(errors.LayoutIncomplete, match="Listed needs the copy listed of Member"):
        db.run(Listed())


def complete(db: Repository) -> None:
    assert [member.email for member in (*db.run(Members()), *db.run(Listed()))] == ["a@b.c", "a@b.c"]
    with pytest.raises(errors.UniqueViolation):
        db.create(Member(member_id="2", email="a@b.c"))
    assert fsck.check(db).findings == []


def test_a_deployment_writes_what_stored_items_lack(store: Connection) -> None:
    db = connect(NEW, store)
    refused(db)
    (step,) = steps(db)
    assert step.parts == PARTS
    assert step.description == f"write for the items of app that lack it: {', '.join(PARTS)}"
    assert deployed(db) == []
    assert steps(db) == []
    complete(db)
    complete(connect(NEW, store))


def test_a_running_program_sees_the_deployment_of_another(store: Connection) -> None:
    running = connect(NEW, store)
    refused(running)
    deployed(connect(NEW, store))
    complete(running)


def test_another_connection_does_not_forget_it(store: Connection) -> None:
    connect(NEW, store)
    refused(connect(NEW, store))


def test_an_update_is_not_refused(store: Connection) -> None:
    db = connect(NEW, store)
    (item,) = db.connection.call("Scan", {"TableName": "app"})["Items"]
    assert item["email"] == {"S": "a@b.c"}

    target = writes.Target(Member, {"member_id": "1"})
    assert db.update(target, set={"email": "d@e.f"}).email == "d@e.f"


def test_fsck_and_a_migration_complete_it_too(store: Connection) -> None:
    db = connect(NEW, store)
    fsck.check(db, repair=True)
    complete(db)
    complete(connect(NEW, store))


def test_a_migration_of_the_class_completes_it(store: Connection) -> None:
    migrated = Design(
        "app",
        entities=[Member],
        patterns=[Members, Listed],
        migrations=[migrations.Migration("grow", Member)],
    )
    db = connect(migrated, store)
    refused(db)
    migrations.migrate(db)
    complete(db)
    complete(connect(NEW, store))


def test_a_class_without_items_is_complete() -> None:
    with embedded() as store:
        connect(OLD, store)
        db = connect(NEW, store)
        assert steps(db) == []
        db.create(Member(member_id="1", email="a@b.c"))
        complete(db)


def test_what_the_design_no_longer_declares_is_removed(store: Connection) -> None:
    deployed(connect(NEW, store))
    with embedded() as other:
        db = connect(NEW, other)
        db.create(Member(member_id="1", email="a@b.c"))
        old = connect(OLD, other, create=False)
        (step,) = steps(old)
        assert (step.parts, "no longer declares" in step.description) == ((), True)
        deployed(old)
        assert len(other.call("Scan", {"TableName": "app"})["Items"]) == 1
        assert "GSI1PK" not in stored(old, "app", PK="MEMBER#1", SK="MEMBER")
        assert steps(old) == []


def test_a_part_that_was_gone_is_not_complete(store: Connection) -> None:
    deployed(connect(NEW, store))
    connect(OLD, store).create(Before(member_id="2", email="d@e.f"))
    with pytest.raises(errors.LayoutIncomplete):
        connect(NEW, store).create(Member(member_id="3", email="d@e.f"))


def test_a_duplicate_is_reported_and_does_not_stop_the_deployment(store: Connection) -> None:
    connect(OLD, store).create(Before(member_id="2", email="a@b.c"))
    (reject,) = deployed(connect(NEW, store))
    assert "cannot have the lock of its email" in reject.reason
    with pytest.raises(errors.UniqueViolation):
        connect(NEW, store).create(Member(member_id="3", email="a@b.c"))


def test_nothing_is_known_of_a_table_that_another_tool_created() -> None:
    with embedded() as store:
        store.call("CreateTable", main.definition(None))
        db = connect(NEW, store)
        write_raw(
            db,
            "app",
            {"PK": {"S": "MEMBER#1"}, "SK": {"S": "MEMBER"}, "type": {"S": "MEMBER"}, "memberId": {"S": "1"}},
        )
        assert steps(db) == []
        assert connect(NEW, store).create(Member(member_id="2", email="a@b.c")).member_id == "2"


def test_a_design_of_many_parts_fits_into_tags() -> None:
    parts = [LayoutPart(Member, "lock", f"field{number}", "") for number in range(100)]
    tags = record_tags(NEW, parts)
    assert len(tags) == 4
    assert all(len(value) <= 256 and len(name) <= 128 for name, value in tags.items())
