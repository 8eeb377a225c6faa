"""Values that another program stored in another form: read, remembered, and compared as the values that they are."""

import asyncio
import copy
import pickle
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any
from uuid import UUID, uuid4

import pytest
from pydantic import Field, field_validator

from tablewright import (
    Design,
    Entity,
    Get,
    Keys,
    Repository,
    Table,
    connect,
    errors,
    fields,
    writes,
)
from tablewright.access.items.stored_forms import describe_form, form_tests, item_forms, other_forms

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
OURS = "2026-05-01T12:00:00.000Z"
ledger = Table("ledger-{env}", ("PK", "SK"))


class Kind(Enum):
    SALE = "sale"
    LOAN = "loan"


class Entry(Entity, table=ledger, type="ENTRY"):
    entry_id: str
    at: fields.Timestamp
    day: date | None = None
    amount: Decimal = Decimal(0)
    rate: float = 1.0
    paid: bool = False
    kind: Kind = Kind.SALE
    reference: UUID | None = None
    email: str = ""
    tags: set[str] = Field(default_factory=set)
    note: str | None = None
    version: Annotated[int, fields.Version()] = 0
    keys = Keys(primary=("ENTRY#{entry_id}", "ENTRY"))

    @field_validator("email")
    @classmethod
    def _lower(cls, email: str) -> str:
        return email.lower()


class Owner(Entity, table=ledger, type="OWNER"):
    owner_id: str
    email: Annotated[str, fields.Unique()]
    since: fields.Timestamp
    keys = Keys(primary=("OWNER#{owner_id}", "OWNER"))


class EntryById(Get[Entry]):
    entry_id: str


class OwnerById(Get[Owner]):
    owner_id: str


design = Design("ledger", entities=[Entry, Owner], patterns=[EntryById, OwnerById])
BY_ID = EntryById(entry_id="1")

OTHERS: list[tuple[str, dict[str, Any], Any]] = [
    ("at", {"S": "2026-05-01T12:00:00Z"}, NOON),
    ("at", {"S": "2026-05-01T12:00:00.000000+00:00"}, NOON),
    ("at", {"S": "2026-05-01 12:00:00.000Z"}, NOON),
    ("at", {"S": "2026-W18-5T12:00:00.000Z"}, NOON),
    ("at", {"N": "1777636800"}, NOON),
    ("day", {"N": "1777593600"}, date(2026, 5, 1)),
    ("amount", {"S": "2.50"}, Decimal("2.5")),
    ("rate", {"S": "2.5"}, 2.5),
    ("paid", {"N": "1"}, True),
    ("paid", {"S": "true"}, True),
    ("reference", {"S": "7D0C5E7A3B1E4B6F8C2D000000000001"}, UUID("7d0c5e7a-3b1e-4b6f-8c2d-000000000001")),
    ("email", {"S": "Ada@Example.org"}, "ada@example.org"),
    ("tags", {"L": [{"S": "a"}]}, {"a"}),
]


@pytest.fixture(params=["memory", "http"])
def db(request: pytest.FixtureRequest) -> Iterator[Repository]:
    where = request.getfixturevalue("endpoint") if request.param == "http" else None
    with connect(design, where, environment=f"test-{uuid4().hex[:12]}", create=True) as opened:
        yield opened


def stored(db: Repository, key: str = "ENTRY") -> dict[str, Any]:
    names = {"PK": {"S": f"{key}#1"}, "SK": {"S": key}}
    return dict(
        db.connection.call("GetItem", {"TableName": db.context.table_name(ledger), "Key": names})["Item"]
    )


def store(db: Repository, **attributes: Any) -> Entry:
    """Store an entry as another program would, and read it."""
    db.create(Entry(entry_id="1", at=NOON))
    db.connection.call(
        "PutItem", {"TableName": db.context.table_name(ledger), "Item": stored(db) | attributes}
    )
    return db.get_or_raise(BY_ID)


def attribute(name: str) -> Any:
    return getattr(Entry, name)


@pytest.mark.parametrize(("name", "form", "value"), OTHERS)
def test_a_condition_compares_the_stored_form(db: Repository, name: str, form: Any, value: Any) -> None:
    entry = store(db, **{name: form})
    assert getattr(entry, name) == value
    assert entry.stored_forms.keys() == {name}
    with pytest.raises(errors.ConditionNotMet):
        db.update(entry, set={"note": "x"}, when=attribute(name) != value)
    db.update(entry, set={"note": "equal"}, when=attribute(name) == value)
    assert stored(db)["note"] == {"S": "equal"}
    assert stored(db)[name] == form


@pytest.mark.parametrize(("name", "form", "value"), OTHERS[:3] + OTHERS[6:8])
def test_a_condition_on_a_get_learns_the_stored_form(
    db: Repository, name: str, form: Any, value: Any
) -> None:
    store(db, **{name: form})
    assert db.update(BY_ID, set={"note": "equal"}, when=attribute(name) == value).note == "equal"
    db.transact(writes.Check(BY_ID, attribute(name) == value))
    with pytest.raises(errors.ConditionNotMet):
        db.delete(BY_ID, when=attribute(name).one_of([NOON + HOUR] if name == "at" else [7]))
    assert db.delete(BY_ID, when=attribute(name) == value)


def test_ranges_and_prefixes_hold_as_for_our_form(db: Repository) -> None:
    entry = store(db, at={"S": "2026-05-01T14:00:00+02:00"}, amount={"S": "10"})
    at = fields.of(Entry.at)
    for holds in (
        Entry.at <= NOON,
        Entry.at < NOON + HOUR,
        at.between(NOON - HOUR, NOON),
        at.one_of(NOON, NOON + HOUR),
        (Entry.amount > 9) & (Entry.at >= NOON),
    ):
        assert db.update(entry, set={"note": "holds"}, when=holds, version=stored_version(db)).note == "holds"
    for fails in (Entry.at > NOON, at.between(NOON + HOUR, NOON + 2 * HOUR), Entry.amount < 10):
        with pytest.raises(errors.ConditionNotMet):
            db.update(entry, set={"note": "x"}, when=fails, version=stored_version(db))


def stored_version(db: Repository) -> int:
    return int(stored(db)["version"]["N"])


def test_the_value_of_another_writer_is_compared(db: Repository) -> None:
    entry = store(db, at={"S": "2026-05-01T12:00:00Z"})
    db.update(BY_ID, set={"at": NOON + HOUR})
    with pytest.raises(errors.ConditionNotMet):
        db.delete(BY_ID, when=Entry.at == entry.at)
    with pytest.raises(errors.ConditionNotMet):
        db.delete(entry, when=Entry.at == entry.at, version=2)
    assert db.update(entry, set={"note": "later"}, when=Entry.at > entry.at, version=2).note == "later"


@pytest.mark.parametrize("target", ["entity", "get"])
def test_a_version_as_text(db: Repository, target: str) -> None:
    entry = store(db, version={"S": "3"})
    with pytest.raises(errors.VersionConflict):
        db.update(BY_ID, set={"note": "x"}, version=2)
    where: Any = entry if target == "entity" else BY_ID
    assert db.update(where, set={"note": "x"}, version=3).version == 4
    assert stored(db)["version"] == {"N": "4"}


def test_a_version_as_text_of_an_entity_that_is_put_or_deleted(db: Repository) -> None:
    entry = store(db, version={"S": "3"})
    assert db.put(entry.model_copy(update={"note": "x"})).version == 4
    assert stored(db)["version"] == {"N": "4"}
    with pytest.raises(errors.VersionConflict):
        db.put(entry.changed(note="y"))
    db.delete(BY_ID)
    assert db.delete(store(db, version={"S": "7"}))


def test_a_put_stores_our_form_with_and_without_locks(db: Repository) -> None:
    entry = store(db, at={"S": "2026-05-01T12:00:00Z"}, amount={"S": "5"})
    db.put(entry)
    assert (stored(db)["at"], stored(db)["amount"]) == ({"S": OURS}, {"N": "5"})
    db.create(Owner(owner_id="1", email="a@b.c", since=NOON))
    raw = {**stored(db, "OWNER"), "since": {"S": "2026-05-01T12:00:00Z"}}
    db.connection.call("PutItem", {"TableName": db.context.table_name(ledger), "Item": raw})
    owner = db.get_or_raise(OwnerById(owner_id="1"))
    db.put(owner)
    assert stored(db, "OWNER")["since"] == {"S": OURS}
    assert db.delete(owner, when=Owner.since == owner.since)


def test_an_async_write_compares_the_stored_form(db: Repository) -> None:
    entry = store(db, at={"S": "2026-05-01T12:00:00Z"})

    async def write() -> str | None:
        async with db.aio as aio:
            await aio.update(entry, set={"note": "first"}, when=Entry.at == entry.at)
            return (await aio.update(BY_ID, set={"note": "second"}, when=Entry.at == entry.at)).note

    assert asyncio.run(write()) == "second"


def test_an_entity_in_our_form_remembers_nothing(db: Repository) -> None:
    entry = db.create(
        Entry(
            entry_id="1",
            at=NOON,
            day=date(2026, 5, 1),
            amount=Decimal("2.50"),
            rate=0.1,
            paid=True,
            reference=uuid4(),
            email="a@b.c",
            tags={"a"},
        )
    )
    read = db.get_or_raise(BY_ID)
    assert read == entry
    assert read.__pydantic_private__ is None
    assert not read.stored_forms


def test_copies_of_an_entity_remember_and_compare_equal(db: Repository) -> None:
    entry = store(db, at={"S": "2026-05-01T12:00:00Z"})
    same = Entry(entry_id="1", at=NOON, version=1)
    assert entry == same
    assert same == entry
    assert entry != same.changed(note="x")
    copies = [
        copy.copy(entry),
        copy.deepcopy(entry),
        pickle.loads(pickle.dumps(entry)),
        entry.changed(note="x"),
    ]
    assert all(one.stored_forms == entry.stored_forms for one in copies)
    assert "stored_forms" not in entry.model_dump()


def test_an_item_that_cannot_be_read_has_no_forms() -> None:
    assert item_forms(Entry, {"at": {"S": "yesterday"}, "amount": {"S": "much"}, "note": {"S": "x"}}) == {}
    assert form_tests(Entry).forms({"at": {"NULL": True}}, {"at": None}) is None


def test_forms_are_described() -> None:
    time = {"S": OURS}
    texts = [
        "2026-05-01T12:00:00Z",
        "2026-05-01T14:00:00+02:00",
        "2026-05-01T12:00:00.000000Z",
        "2026-05-01 12:00:00.000Z",
    ]
    assert [describe_form({"S": text}, time) for text in texts] == [
        "a time without milliseconds",
        "a time with an offset",
        "a time of 6 decimals",
        "a time in another notation",
    ]
    assert describe_form({"S": "SALE"}, {"S": "sale"}) == "text in another case"
    assert describe_form({"S": " sale"}, {"S": "sale"}) == "another text"
    assert describe_form({"N": "0.1000000000000000055"}, {"N": "0.1"}) == "a number of another precision"
    nested = {"M": {"at": {"S": "2026-05-01T12:00:00Z"}, "new": {"N": "1"}, "none": {"NULL": True}}}
    assert list(other_forms(nested, {"M": {"at": time, "none": {"S": "x"}}})) == [
        "a time without milliseconds"
    ]
