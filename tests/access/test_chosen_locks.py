"""Unique fields whose lock items have keys and attributes that the design chooses."""

from collections.abc import Iterator
from typing import Annotated, Any
from uuid import uuid4

import pytest

from tablewright import (
    Clock,
    Design,
    Entity,
    Get,
    Index,
    Keys,
    Query,
    Repository,
    Scan,
    Table,
    connect,
    fields,
    writes,
)
from tablewright.errors import DesignError, InvalidWrite, UniqueViolation, UnknownItem, UsageError
from tablewright.generate.design_document import document
from tablewright.lifecycle.integrity import fsck
from tablewright.lifecycle.integrity.integrity_findings import Kind
from tests.access.conftest import START

people = Table("people-{env}", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")], ttl="ttl")


class User(Entity, table=people, type="User"):
    user_id: str
    email: Annotated[
        str,
        fields.Unique(
            key=("EMAIL#{email:fold}", "UNIQUE#USER"),
            type="EmailUnique",
            attributes={"userId": "{user_id}", "email": "{email:fold}", "createdAt": "{created_at}"},
        ),
    ]
    handle: Annotated[str | None, fields.Unique()] = None
    name: str = ""
    created_at: fields.Timestamp = fields.now()
    ttl: int | None = None
    keys = Keys(primary=("USER#{user_id}", "PROFILE"), GSI1=("USERS", "{user_id}"))


class UserById(Get[User]):
    """Get a user."""

    user_id: str


class OwnerOfEmail(Get[User]):
    """Get the user with an e-mail address, by its lock."""

    email: str
    key = "PK = EMAIL#{email:fold} AND SK = UNIQUE#USER"
    consistent = True


class Everyone(Scan[User]):
    """List all users."""


design = Design("people", entities=[User], patterns=[UserById, OwnerOfEmail, Everyone])
KEY = {"PK": {"S": "EMAIL#ada@x.org"}, "SK": {"S": "UNIQUE#USER"}}
LOCK = {
    **KEY,
    "type": {"S": "EmailUnique"},
    "userId": {"S": "1"},
    "email": {"S": "ada@x.org"},
    "createdAt": {"S": "2096-10-02T07:06:40.000Z"},
}


class Guest(Entity, table=people, type="Guest"):
    """Its locks have the keys of the locks of users, and their owner can have the same id."""

    user_id: str
    email: Annotated[
        str,
        fields.Unique(
            key=("EMAIL#{email:fold}", "UNIQUE#USER"),
            type="GuestEmailUnique",
            attributes={"userId": "{user_id}"},
        ),
    ]
    keys = Keys(primary=("GUEST#{user_id}", "PROFILE"))


@pytest.fixture(params=["memory", "http"])
def db(request: pytest.FixtureRequest) -> Iterator[Repository]:
    where = None if request.param == "memory" else request.getfixturevalue("endpoint")
    environment, clock = f"locks-{uuid4().hex[:8]}", Clock(start=START)
    with connect(design, where, environment=environment, clock=clock, create=True) as repository:
        yield repository


def ada(**values: Any) -> User:
    return User(**{"user_id": "1", "email": "Ada@x.org", **values})


def table(db: Repository) -> str:
    return db.context.table_name(people)


def stored(db: Repository, key: dict[str, Any] = KEY) -> dict[str, Any] | None:
    found: dict[str, Any] | None = db.connection.call("GetItem", {"TableName": table(db), "Key": key}).get(
        "Item"
    )
    return found


def store(db: Repository, item: dict[str, Any]) -> None:
    db.connection.call("PutItem", {"TableName": table(db), "Item": item})


def kinds(db: Repository, *, repair: bool = False) -> list[Kind]:
    return sorted(finding.kind for finding in fsck.check(db, repair=repair).findings)


def test_the_lock_has_exactly_the_chosen_key_type_and_attributes(db: Repository) -> None:
    db.create(ada())
    assert stored(db) == LOCK
    assert kinds(db) == []


@pytest.mark.parametrize("change", ["update", "put", "delete", "move", "transact"])
def test_entity_without_locks_can_give_up_values_of_another_entity(db: Repository, change: str) -> None:
    """Another program stored the values a second time: the locks of the first entity stay."""
    first = db.create(ada(handle="countess"))
    twin = {"PK": {"S": "USER#2"}, "userId": {"S": "2"}, "GSI1SK": {"S": "2"}}
    store(db, {**stored(db, {"PK": {"S": "USER#1"}, "SK": {"S": "PROFILE"}}), **twin})  # type: ignore[dict-item]
    second = db.get_or_raise(UserById(user_id="2"))
    free = {"email": "eve@x.org", "handle": None}
    match change:
        case "update":
            db.update(second, set=free)
        case "put":
            db.put(second.changed(**free))
        case "delete":
            assert db.delete(second)
        case "move":
            with pytest.raises(UniqueViolation):
                db.move(second, user_id="3")
            db.move(db.update(second, set=free), user_id="3")
        case _:
            db.transact(writes.Update(second, set=free), writes.Update(first, set={"name": "Ada"}))
    assert db.run(OwnerOfEmail(email="ada@x.org")) == db.run(UserById(user_id="1"))
    with pytest.raises(UniqueViolation):
        db.create(ada(user_id="4", email="new@x.org", handle="countess"))
    assert kinds(db) == []


def test_the_lock_expires_with_its_entity(db: Repository) -> None:
    db.create(ada(ttl=int(START) + 60))
    assert stored(db) == {**LOCK, "ttl": {"N": str(int(START) + 60)}}


def test_a_taken_value_is_rejected_and_a_released_one_is_free(db: Repository) -> None:
    db.create(ada())
    with pytest.raises(UniqueViolation) as caught:
        db.create(ada(user_id="2", email="ADA@x.org"))
    assert caught.value.field == "email"
    db.update(UserById(user_id="1"), set={"email": "new@x.org"})
    assert stored(db) is None
    db.create(ada(user_id="2"))
    assert kinds(db) == []
    db.delete(UserById(user_id="2"))
    assert stored(db) is None
    assert kinds(db) == []


def test_moving_an_entity_moves_the_owner_of_its_lock(db: Repository) -> None:
    db.create(ada())
    db.move(UserById(user_id="1"), user_id="9")
    assert stored(db) == {**LOCK, "userId": {"S": "9"}}
    assert kinds(db) == []


def test_a_change_of_another_field_of_the_lock_is_written(db: Repository) -> None:
    db.create(ada())
    db.update(UserById(user_id="1"), set={"created_at": "2097-01-01T00:00:00.000Z"})
    assert (stored(db) or {})["createdAt"] == {"S": "2097-01-01T00:00:00.000Z"}
    assert kinds(db) == []


def test_the_entity_is_read_by_its_lock(db: Repository) -> None:
    made = db.create(ada())
    assert db.run(OwnerOfEmail(email="ADA@X.ORG")) == made
    assert db.run(OwnerOfEmail(email="eve@x.org")) is None
    assert db.explain(OwnerOfEmail(email="ada@x.org")).items == 2
    store(db, {**LOCK, "PK": {"S": "EMAIL#old@x.org"}})
    assert db.run(OwnerOfEmail(email="old@x.org")) is None, "the owner has another address now"
    db.delete(made)
    store(db, LOCK)
    assert db.run(OwnerOfEmail(email="ada@x.org")) is None


def test_a_read_by_a_lock_cannot_be_written_to(db: Repository) -> None:
    with pytest.raises(InvalidWrite, match="OwnerOfEmail reads User by a lock; read the entity"):
        db.update(OwnerOfEmail(email="ada@x.org"), set={"name": "Ada"})


def test_a_query_for_locks_is_rejected() -> None:
    with pytest.raises(DesignError, match=r"AtAddress reads PK = EMAIL#.*; this never matches"):

        class AtAddress(Query[User]):
            email: str
            key = "PK = EMAIL#{email:fold}"


def test_a_read_by_a_lock_has_the_format_of_its_key_and_all_fields() -> None:
    with pytest.raises(DesignError, match=r"write \{email:fold\}"):

        class Unfolded(Get[User]):
            email: str
            key = "PK = EMAIL#{email} AND SK = UNIQUE#USER"

    with pytest.raises(DesignError, match="by the lock of email, with fields; remove fields"):

        class Names(Get[User]):
            email: str
            key = "PK = EMAIL#{email:fold} AND SK = UNIQUE#USER"
            fields = ("name",)


def test_locks_are_left_out_of_scans(db: Repository) -> None:
    made = db.create(ada())
    page = db.run(Everyone())
    assert (page.items, page.unknown) == ((made,), ())


def test_a_missing_lock_is_found_and_repaired(db: Repository) -> None:
    db.create(ada())
    db.connection.call("DeleteItem", {"TableName": table(db), "Key": KEY})
    assert kinds(db) == [Kind.MISSING_LOCK]
    assert kinds(db, repair=True) == []
    assert stored(db) == LOCK


def test_an_orphan_lock_is_found_and_repaired(db: Repository) -> None:
    store(db, LOCK)
    assert kinds(db) == [Kind.ORPHAN_LOCK]
    assert kinds(db, repair=True) == []
    assert stored(db) is None


def test_a_lock_of_another_owner_is_reported_and_stays(db: Repository) -> None:
    db.create(ada())
    db.create(ada(user_id="2", email="bob@x.org"))
    store(db, {**LOCK, "userId": {"S": "2"}})
    assert kinds(db) == [Kind.DUPLICATE, Kind.ORPHAN_LOCK]
    assert kinds(db, repair=True) == []
    assert stored(db) == LOCK


@pytest.mark.parametrize("lacking", [["userId"], ["userId", "email", "createdAt"], ["createdAt"]])
def test_a_lock_of_another_program_is_known_by_its_key_and_repaired(
    db: Repository, lacking: list[str]
) -> None:
    db.create(ada())
    store(db, {name: value for name, value in LOCK.items() if name not in lacking})
    assert Kind.OUTDATED_LOCK in kinds(db)
    with pytest.raises(UniqueViolation):
        db.create(ada(user_id="2"))
    if "userId" in lacking:
        with pytest.raises(UnknownItem, match="its owner is unknown"):
            db.run(OwnerOfEmail(email="ada@x.org"))
    assert kinds(db, repair=True) == []
    assert stored(db) == LOCK


def test_the_owner_of_a_lock_without_an_owner_can_change_and_delete_it(db: Repository) -> None:
    for write in (
        lambda: db.update(UserById(user_id="1"), set={"email": "new@x.org"}),
        lambda: db.delete(UserById(user_id="1")),
    ):
        db.put(ada())
        store(db, {**KEY, "type": {"S": "EmailUnique"}})
        write()
        assert stored(db) is None


def test_a_lock_with_attributes_of_another_program_is_current(db: Repository) -> None:
    db.create(ada())
    store(db, {**LOCK, "source": {"S": "import"}})
    assert kinds(db) == []


def test_a_lock_without_an_owner_that_no_entity_has_is_reported(db: Repository) -> None:
    store(db, {**KEY, "type": {"S": "EmailUnique"}})
    (finding,) = fsck.check(db, repair=True).findings
    assert finding.kind is Kind.UNKNOWN
    assert "is the lock of User.email, but its owner is unknown: it lacks a valid userId" in str(finding)


def test_documents_show_the_key_of_the_lock() -> None:
    assert "PK = EMAIL#{email:fold}, SK = UNIQUE#USER" in repr(document(design))


def test_get_all_rejects_a_read_through_a_lock(db: Repository) -> None:
    with pytest.raises(UsageError, match=r"OwnerOfEmail reads the lock .* run it alone with db\.run"):
        db.get_all(OwnerOfEmail(email="ada@x.org"), UserById(user_id="u1"))


def test_a_lock_of_another_class_with_the_same_owner_id_is_not_taken_over() -> None:
    with connect(Design("both", entities=[User, Guest]), environment="both", clock=Clock(start=START)) as db:
        db.create(ada())
        with pytest.raises(UniqueViolation):
            db.create(Guest(user_id="1", email="ADA@x.org"))
        guest = db.create(Guest(user_id="1", email="guest@x.org"))
        with pytest.raises(UniqueViolation):
            db.update(guest, set={"email": "ada@x.org"})
        db.delete(guest)
        assert stored(db) == LOCK
