"""Upcasts: every read converts items of older versions, and writes store the current version."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any

import pytest

from tablewright import (
    BatchGet,
    Copy,
    Design,
    Entity,
    Find,
    Get,
    Index,
    Keys,
    Query,
    Repository,
    Scan,
    Table,
    connect,
    errors,
    events,
    fields,
    writes,
)

main = Table(
    "people",
    ("PK", "SK"),
    [Index("GSI1", "GSI1PK", "GSI1SK")],
    stream="NEW_AND_OLD_IMAGES",
)


def named_apart(item: dict[str, Any]) -> dict[str, Any]:
    first, _, last = item.pop("fullName").partition(" ")
    return item | {"firstName": first, "lastName": last}


def budgeted(item: dict[str, Any]) -> dict[str, Any]:
    if "budget" in item:
        item["budget"] = Decimal(item["budget"])
    return item | {"email": item["email"].lower()}


class Person(Entity, table=main, type="PERSON", schema_version=3, upcasts={1: named_apart, 2: budgeted}):
    person_id: str
    first_name: str
    last_name: str
    email: Annotated[str, fields.Unique()]
    budget: Decimal | None = None
    visits: Annotated[int, fields.Counter()] = 0
    team: str = "none"
    keys = Keys(primary=("PERSON#{person_id}", "PERSON"), GSI1=("LAST#{last_name}", "{person_id}"))
    card = Copy(
        primary=("TEAM#{team}", "PERSON#{person_id}"), type="CARD", fields=("person_id", "first_name", "team")
    )


class PersonById(Get[Person]):
    person_id: str


class People(BatchGet[Person]):
    person_id: list[str]


class ByLastName(Query[Person]):
    last_name: str
    key = "GSI1PK = LAST#{last_name}"


class OneByLastName(Find[Person]):
    last_name: str
    key = "GSI1PK = LAST#{last_name}"


class AllPeople(Scan[Person]):
    pass


class Names(Scan[Person]):
    fields = ("last_name",)


design = Design(
    "people", entities=[Person], patterns=[PersonById, People, ByLastName, OneByLastName, AllPeople, Names]
)
ADA = Person(
    person_id="ada", first_name="Ada", last_name="Lovelace", email="ada@x.org", budget=Decimal("12.5")
)


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(design) as opened:
        for item in old_items():
            opened.connection.call("PutItem", {"TableName": "people", "Item": item})
        yield opened


def old_items() -> list[dict[str, Any]]:
    """The items that version 1 stored: the entity, its copy and its lock."""
    key = {"PK": {"S": "PERSON#ada"}, "SK": {"S": "PERSON"}}
    shared = {"personId": {"S": "ada"}, "team": {"S": "none"}, "fullName": {"S": "Ada Lovelace"}}
    entity = {
        **key,
        **shared,
        "type": {"S": "PERSON"},
        "GSI1PK": {"S": "LAST#Lovelace"},
        "GSI1SK": {"S": "ada"},
        "email": {"S": "Ada@X.org"},
        "budget": {"S": "12.5"},
    }
    card = {"PK": {"S": "TEAM#none"}, "SK": {"S": "PERSON#ada"}, "type": {"S": "CARD"}, "_of": {"M": key}}
    lock = {
        "PK": {"S": "_lock#PERSON#email#Ada@X.org"},
        "SK": {"S": "_lock"},
        "type": {"S": "_lock"},
        "_of": {"M": key},
    }
    return [entity, {**shared, **card}, lock]


def stored(db: Repository) -> dict[str, dict[str, Any]]:
    items = db.connection.call("Scan", {"TableName": "people"})["Items"]
    return {item["PK"]["S"]: item for item in items}


def test_every_read_returns_the_current_version(db: Repository) -> None:
    assert db.run(PersonById(person_id="ada")) == ADA
    assert db.run(OneByLastName(last_name="Lovelace")) == ADA
    assert db.all(People(person_id=["ada"])) == [ADA]
    assert db.all(ByLastName(last_name="Lovelace")) == [ADA]
    assert db.all(AllPeople()) == [ADA]
    assert [dict(row) for row in db.rows(Names())] == [{"last_name": "Lovelace"}]


def test_streams_return_the_current_version(db: Repository) -> None:
    received: list[Person] = []

    @events.on(Person, "inserted")
    def hear(event: events.Inserted[Person]) -> None:
        received.append(event.new)

    db.streams.handle(hear)
    assert received == [ADA]


@pytest.mark.parametrize(
    "write",
    [
        lambda db: db.update(ADA, set={"budget": Decimal(3)}),
        lambda db: db.add(ADA, visits=2),
        lambda db: db.put(ADA.changed(budget=Decimal(3))),
        lambda db: db.transact(writes.Update(ADA, set={"first_name": "Augusta"})),
    ],
)
def test_every_write_stores_the_current_version(db: Repository, write: Any) -> None:
    write(db)
    items = stored(db)
    assert items.keys() == {"PERSON#ada", "TEAM#none", "_lock#PERSON#email#ada@x.org"}
    entity, card = items["PERSON#ada"], items["TEAM#none"]
    assert entity["schemaVersion"] == card["schemaVersion"] == {"N": "3"}
    assert "fullName" not in entity
    assert "fullName" not in card
    assert card["firstName"] == entity["firstName"]
    assert next(iter(entity["budget"])) == "N"


def test_delete_removes_the_locks_of_an_older_version(db: Repository) -> None:
    assert db.delete(PersonById(person_id="ada"))
    assert not stored(db)


def test_an_add_to_an_older_version_is_counted_once(db: Repository) -> None:
    db.add(ADA, visits=2)
    db.add(ADA, visits=3)
    assert db.add(ADA, visits=1).visits == 6


def test_an_item_that_cannot_be_upcast_is_unknown(db: Repository) -> None:
    (item, *_) = old_items()
    item["budget"] = {"S": "a lot"}
    db.connection.call("PutItem", {"TableName": "people", "Item": item})
    with pytest.raises(
        errors.UnknownItem, match="is not a valid Person: it cannot be upcast from version 2 to 3"
    ):
        db.run(PersonById(person_id="ada"))


@pytest.mark.parametrize(
    ("version", "start", "message"),
    [(None, 1, "add schema_version=2"), (2, 2, "an upcast from version 2"), (2, 0, "from version 0")],
)
def test_invalid_upcasts_are_rejected(version: int | None, start: int, message: str) -> None:
    with pytest.raises(errors.DesignError, match=message):

        class Thing(Entity, table=main, type="THING", schema_version=version, upcasts={start: budgeted}):
            thing_id: str
            keys = Keys(primary=("THING#{thing_id}", "THING"))
