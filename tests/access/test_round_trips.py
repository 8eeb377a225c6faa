"""Round trips: absent and empty values, nested models and values changed by validators are read as written."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, field_validator, model_validator

from tablewright import Design, Entity, Get, Index, Keys, Query, Table, connect, fields
from tablewright.access.repository import Repository
from tablewright.errors import InvalidWrite

main = Table("trips", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK")])


class Note(BaseModel):
    """A nested model of a parcel."""

    model_config = ConfigDict(extra="allow")

    text: str | None = "none yet"
    author: str | None
    tags: set[str] = {"new"}
    marks: set[int]


class Parcel(Entity, table=main, type="PARCEL"):
    """Every kind of optional field."""

    parcel_id: str
    weight: int | None = 5
    owner: str | None
    tags: set[str] = Field(default={"new"})
    marks: frozenset[int]
    labels: set[str] | None = None
    note: Note | None = None
    extra: dict[str, Any] = Field(default_factory=dict)
    keys = Keys(primary=("PARCEL#{parcel_id}", "PARCEL"))


class ParcelById(Get[Parcel]):
    parcel_id: str


class Bus(Entity, table=main, type="BUS"):
    """Fields with validators and limits."""

    bus_id: str
    line: str = "a"
    seats: Annotated[int, Field(ge=0), fields.Counter()] = 2
    doors: PositiveInt | None = None
    fare: Decimal = Decimal(1)
    stops: set[int] = Field(default_factory=set)
    keys = Keys(primary=("BUS#{bus_id}", "BUS"), GSI1=("LINE#{line}",))

    @field_validator("line")
    @classmethod
    def _small(cls, line: str) -> str:
        return line.lower()


class BusById(Get[Bus]):
    bus_id: str


class BusesOfLine(Query[Bus]):
    line: str
    key = "GSI1PK = LINE#{line}"


class Span(Entity, table=main, type="SPAN"):
    """Two fields that must agree."""

    span_id: str
    low: int = 0
    high: int = 10
    keys = Keys(primary=("SPAN#{span_id}", "SPAN"))

    @model_validator(mode="after")
    def _in_order(self) -> "Span":
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class SpanById(Get[Span]):
    span_id: str


design = Design("trips", entities=[Parcel, Bus, Span], patterns=[ParcelById, BusById, BusesOfLine, SpanById])


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(design) as opened:
        yield opened


@pytest.mark.parametrize(
    "values",
    [
        {"weight": None},
        {"tags": set()},
        {"tags": {"x"}, "marks": frozenset({1}), "owner": "me"},
        {"note": Note(text=None, author=None, tags=set(), marks=set())},
        {"note": Note.model_validate({"author": "me", "marks": {1}, "colour": "red", "faded": None})},
        {"extra": {"gone": None, "list": [None, {"deep": None}]}},
    ],
)
def test_written_values_are_read_back(db: Repository, values: dict[str, Any]) -> None:
    parcel = db.create(Parcel(**{"parcel_id": "1", "owner": None, "marks": frozenset(), **values}))
    assert db.run(ParcelById(parcel_id="1")) == parcel


def test_removed_fields_are_not_restored_by_defaults(db: Repository) -> None:
    db.create(Parcel(parcel_id="1", owner="me", marks=frozenset({1})))
    parcel = db.update(ParcelById(parcel_id="1"), set={"weight": None, "tags": set()}, remove=["owner"])
    assert (parcel.weight, parcel.tags, parcel.owner) == (None, set(), None)
    assert db.run(ParcelById(parcel_id="1")) == parcel


def test_add_to_an_absent_number_starts_at_zero(db: Repository) -> None:
    parcel = db.create(Parcel(parcel_id="1", owner=None, weight=None, marks=frozenset()))
    parcel = db.update(parcel, add={"weight": 2, "labels": {"fragile"}})
    assert (parcel.weight, parcel.labels) == (2, {"fragile"})


def test_an_update_stores_validated_values(db: Repository) -> None:
    db.create(Bus(bus_id="1"))
    assert db.update(BusById(bus_id="1"), set={"line": "B"}).line == "b"
    assert [bus.bus_id for bus in db.run(BusesOfLine(line="b"))] == ["1"]


@pytest.mark.parametrize(
    ("add", "words"),
    [
        ({"seats": 1.5}, "Bus.seats must be a valid integer, got 1.5"),
        ({"line": 1}, "Bus.line is a text and cannot be added to; change it with set"),
        ({"stops": {"x"}}, "Bus.stops.* must be a valid integer, got 'x'"),
        ({"stops": 1}, "Bus.stops must be a valid set, got 1"),
        ({"fare": {1}}, "Bus.fare .*"),
    ],
)
def test_an_add_that_makes_an_invalid_value_is_rejected(
    db: Repository, add: dict[str, Any], words: str
) -> None:
    bus = db.create(Bus(bus_id="1"))
    with pytest.raises(InvalidWrite, match=words):
        db.update(BusById(bus_id="1"), add=add)
    assert db.run(BusById(bus_id="1")) == bus


def test_a_valid_add_is_stored(db: Repository) -> None:
    db.create(Bus(bus_id="1"))
    bus = db.update(BusById(bus_id="1"), add={"seats": -2, "doors": 1, "fare": 0.5, "stops": {4}})
    assert (bus.seats, bus.doors, bus.fare, bus.stops) == (0, 1, Decimal("1.5"), {4})


def test_a_model_validator_gets_all_fields_of_an_update(db: Repository) -> None:
    span = db.create(Span(span_id="1"))
    with pytest.raises(InvalidWrite, match=r"^Span: low is above high$"):
        db.update(SpanById(span_id="1"), set={"low": 50})
    assert db.run(SpanById(span_id="1")) == span
    assert db.update(SpanById(span_id="1"), set={"low": 50, "high": 60}).low == 50


def test_arguments_of_the_wrong_type_are_rejected(db: Repository) -> None:
    with pytest.raises(InvalidWrite, match=r"remove takes a list of fields: remove=\['line'\]"):
        db.update(BusById(bus_id="1"), remove="line")
    with pytest.raises(InvalidWrite, match=r"Create takes an entity, not an instance of BusById"):
        db.create(BusById(bus_id="1"))  # type: ignore[type-var]
