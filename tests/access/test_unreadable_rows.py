"""Rows of other programs that a class does not accept: they can be deleted, replaced, mended and repaired."""

from collections.abc import Callable, Iterator
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from tablewright import Copy, Design, Entity, Get, Keys, Query, Repository, Table, connect, fields, writes
from tablewright.errors import UnknownItem, VersionConflict
from tablewright.lifecycle.integrity import fsck

hub = Table("hub", ("PK", "SK"))


class Address(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)
    street_name: str


class Member(Entity, table=hub, type="MEMBER"):
    member_id: str
    email: Annotated[str, fields.Unique()]
    name: Annotated[str, Field(max_length=5)]
    address: Address | None = None
    visits: Annotated[int, fields.Counter()] = 0
    version: Annotated[int, fields.Version()] = 0
    keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"))
    listed = Copy(primary=("MEMBERS", "{name}#{member_id}"))


class MemberById(Get[Member]):
    """Get a member."""

    member_id: str


class Members(Query[Member]):
    """List the members."""

    key = "PK = MEMBERS"


ADA = MemberById(member_id="1")


@pytest.fixture
def db() -> Iterator[Repository]:
    """A member with its lock and its copy."""
    with connect(Design("hub", entities=[Member], patterns=[MemberById, Members])) as opened:
        opened.create(Member(member_id="1", email="a@x", name="Ada"))
        yield opened


def spoil(db: Repository, attribute: str, value: dict[str, Any]) -> None:
    """Write an attribute as another program does."""
    db.connection.call(
        "UpdateItem",
        {
            "TableName": "hub",
            "Key": {"PK": {"S": "MEMBER#1"}, "SK": {"S": "MEMBER"}},
            "UpdateExpression": "SET #a = :v",
            "ExpressionAttributeNames": {"#a": attribute},
            "ExpressionAttributeValues": {":v": value},
        },
    )
    with pytest.raises(UnknownItem):
        db.run(ADA)


def left(db: Repository) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = db.connection.call("Scan", {"TableName": "hub"})["Items"]
    return items


DELETIONS: dict[str, Callable[[Repository], Any]] = {
    "delete": lambda db: db.delete(ADA),
    "in a transaction": lambda db: db.transact(writes.Delete(ADA)),
}


@pytest.mark.parametrize("delete", DELETIONS.values(), ids=DELETIONS)
@pytest.mark.parametrize(
    ("attribute", "value"),
    [("address", {"M": {"street_name": {"S": "s"}}}), ("visits", {"S": "many"}), ("visits", {"L": []})],
)
def test_an_unreadable_row_can_be_deleted(
    db: Repository, delete: Callable[[Repository], Any], attribute: str, value: dict[str, Any]
) -> None:
    spoil(db, attribute, value)
    assert delete(db) in (True, (None,))
    assert left(db) == [], "its lock and its copy are deleted with it"
    db.create(Member(member_id="2", email="a@x", name="Eve"))


def test_what_cannot_be_found_from_an_unreadable_row_is_found_by_fsck(db: Repository) -> None:
    spoil(db, "email", {"N": "5"})
    assert db.delete(ADA)
    fsck.check(db, repair=True)
    assert left(db) == []


def test_an_unreadable_row_can_be_replaced(db: Repository) -> None:
    spoil(db, "name", {"S": "Ada Lovelace"})
    with pytest.raises(VersionConflict):
        db.put(Member(member_id="1", email="b@x", name="Ada", version=7))
    replaced = db.put(Member(member_id="1", email="b@x", name="Ada", version=1))
    assert db.get_or_raise(ADA) == replaced
    assert [member.email for member in db.run(Members())] == ["b@x"]
    db.create(Member(member_id="2", email="a@x", name="Eve"))
    assert fsck.check(db).findings == []


def test_an_unreadable_row_can_be_mended(db: Repository) -> None:
    spoil(db, "name", {"S": "Ada Lovelace"})
    with pytest.raises(UnknownItem, match="name must have at most 5 characters"):
        db.update(ADA, set={"email": "b@x"})
    mended = db.update(ADA, set={"name": "Ada L", "email": "b@x"})
    assert (mended.name, mended.version) == ("Ada L", 2)
    assert db.get_or_raise(ADA) == mended
    assert fsck.check(db, repair=True).findings == [], "the copy under the former name had no owner"
    assert [member.name for member in db.run(Members())] == ["Ada L"]


def test_fsck_reports_an_unreadable_row_in_words(db: Repository) -> None:
    spoil(db, "name", {"S": "Ada Lovelace"})
    (finding,) = fsck.check(db).findings
    assert finding.problem == "is not a valid Member: name must have at most 5 characters"
    assert finding.repair is None


def test_fsck_repairs_nested_models_under_their_names_in_python(db: Repository) -> None:
    spoil(db, "address", {"M": {"street_name": {"S": "Long Street"}}})
    (finding,) = fsck.check(db).findings
    assert finding.problem == "is not a valid Member: address.streetName is required"
    assert finding.repair == "write address under the names that its class declares"
    report = fsck.check(db, repair=True)
    assert report.findings == []
    member = db.get_or_raise(ADA)
    assert member.address is not None
    assert member.address.street_name == "Long Street"
    assert [one.address for one in db.run(Members())] == [member.address]
