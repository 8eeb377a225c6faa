"""Deliberate mistakes with types and values: what is stored is what the class says, or the write is refused."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from tablewright import Design, Entity, Get, Index, Keys, Query, Repository, Table, connect, fields, writes
from tests.mistakes.outcomes import REFUSED, outcome, stored

shop = Table("shop", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
TOKEN = UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")


class Status(Enum):
    OPEN = "open"
    PAID = "paid"


class Line(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    product_id: str
    quantity: int = Field(default=1, ge=1)


class Order(Entity, table=shop, type="ORDER"):
    order_id: str
    status: Status = Status.OPEN
    total: Decimal = Decimal(10)
    placed_at: fields.Timestamp = NOON
    due_on: date = date(2026, 5, 9)
    token: UUID = TOKEN
    tags: Annotated[list[str], Field(max_length=3)] = Field(default_factory=list)
    labels: set[str] = Field(default_factory=set)
    lines: list[Line] = Field(default_factory=list)
    settings: dict[str, int] = Field(default_factory=dict)
    note: Annotated[str | None, Field(max_length=5)] = None
    keys = Keys(primary=("ORDER#{order_id}", "ORDER"), GSI1=("STATUS#{status}", "{placed_at}#{order_id}"))


class OrderById(Get[Order]):
    order_id: str


class OrdersByStatus(Query[Order]):
    status: Status
    key = "GSI1PK = STATUS#{status}"


class OrdersFrom(Query[Order]):
    status: Status
    least: Decimal
    key = "GSI1PK = STATUS#{status}"
    filter = "total >= {least}"


@pytest.fixture
def db() -> Iterator[Repository]:
    design = Design("shop", entities=[Order], patterns=[OrderById, OrdersByStatus, OrdersFrom])
    with connect(design) as db:
        yield db


def item(db: Repository) -> dict[str, Any]:
    return stored(db, "shop", PK="ORDER#1", SK="ORDER")


def test_a_patch_with_an_amount_from_json_is_found_by_a_filter(db: Repository) -> None:
    order = db.create(Order(order_id="1"))
    db.put(order.model_copy(update={"total": "75.50"}))
    assert [order.total for order in db.run(OrdersFrom(status=Status.OPEN, least=Decimal(50)))] == [
        Decimal("75.5")
    ]


def test_a_patch_with_a_time_of_another_zone_is_listed_in_order(db: Repository) -> None:
    db.create(Order(order_id="2", placed_at=NOON))
    db.put(Order(order_id="1").model_copy(update={"placed_at": "2026-05-01T13:00:00+02:00"}))
    assert item(db)["placedAt"] == {"S": "2026-05-01T11:00:00.000Z"}
    assert [order.order_id for order in db.run(OrdersByStatus(status=Status.OPEN))] == ["1", "2"]


def test_a_patch_with_a_datetime_of_another_zone_is_stored_in_utc(db: Repository) -> None:
    there = NOON.astimezone(timezone(timedelta(hours=2)))
    db.transact(writes.Put(Order(order_id="1").model_copy(update={"placed_at": there})))
    assert item(db)["placedAt"] == {"S": "2026-05-01T12:00:00.000Z"}
    assert item(db)["GSI1SK"] == {"S": "2026-05-01T12:00:00.000Z#1"}


def test_a_patch_with_a_dumped_nested_model_is_stored_under_its_aliases(db: Repository) -> None:
    db.put(Order(order_id="1").model_copy(update={"lines": [{"product_id": "p1", "quantity": 2}]}))
    assert item(db)["lines"] == {"L": [{"M": {"productId": {"S": "p1"}, "quantity": {"N": "2"}}}]}


def test_a_patch_with_the_name_of_an_enum_member_is_refused(db: Repository) -> None:
    wrong = Order(order_id="1").model_copy(update={"status": "PAID"})
    assert outcome(lambda: db.put(wrong), "Order", "status", "PAID") == REFUSED
    assert item(db) == {}


def test_a_patch_under_the_stored_name_is_refused(db: Repository) -> None:
    wrong = Order(order_id="1").model_copy(update={"placedAt": NOON + timedelta(days=1)})
    assert outcome(lambda: db.put(wrong), "Order", "placedAt") == REFUSED
    assert item(db) == {}


def test_a_list_that_grew_beyond_its_limit_is_refused_in_a_batch(db: Repository) -> None:
    order = Order(order_id="1", tags=["a", "b", "c"])
    order.tags.append("d")
    assert outcome(lambda: db.batch([writes.Put(order)]), "Order", "tags", "at most 3") == REFUSED
    assert item(db) == {}


def test_a_nested_model_changed_in_place_is_validated(db: Repository) -> None:
    order = Order(order_id="1", lines=[Line(product_id="p1")])
    order.lines[0].quantity = 0
    assert outcome(lambda: db.create(order), "Order", "lines", "quantity") == REFUSED
    assert item(db) == {}


def test_a_number_added_to_a_set_of_text_is_refused(db: Repository) -> None:
    order = Order(order_id="1", labels={"new"})
    labels: set[Any] = order.labels
    labels.add(5)
    assert outcome(lambda: db.create(order), "Order", "labels") == REFUSED
    assert item(db) == {}


def test_a_map_with_a_number_as_its_key_is_refused(db: Repository) -> None:
    order = Order(order_id="1")
    settings: dict[Any, int] = order.settings
    settings[5] = 1
    assert outcome(lambda: db.put(order), "Order", "settings") == REFUSED
    assert item(db) == {}


def test_a_datetime_in_a_field_for_dates_is_stored_as_a_date_or_refused(db: Repository) -> None:
    order = Order(order_id="1").model_copy(update={"due_on": datetime(2026, 5, 9, 18, tzinfo=UTC)})
    assert outcome(lambda: db.put(order).due_on, "Order", "due_on") in (REFUSED, date(2026, 5, 9))
    assert item(db).get("dueOn") in (None, {"S": "2026-05-09"})


def test_a_uuid_in_upper_case_is_stored_as_the_uuid(db: Repository) -> None:
    db.put(Order(order_id="1").model_copy(update={"token": str(TOKEN).upper()}))
    assert item(db)["token"] == {"S": str(TOKEN)}
    db.update(OrderById(order_id="1"), set={"note": "paid"}, when=Order.token == TOKEN)


def test_microseconds_do_not_make_a_time_unequal_to_itself(db: Repository) -> None:
    precise = NOON.replace(microsecond=123_456)
    order = db.create(Order(order_id="1", placed_at=precise))
    assert order == db.get_or_raise(OrderById(order_id="1"))
    db.update(order, set={"note": "same"}, when=Order.placed_at == precise)


def test_an_entity_made_without_validation_is_refused(db: Repository) -> None:
    wrong = Order.model_construct(order_id="1", total=Decimal(5), placed_at=NOON.replace(tzinfo=None))
    assert outcome(lambda: db.put(wrong), "Order", "placed_at") == REFUSED
    assert item(db) == {}


def test_the_entity_that_create_returns_does_not_change_with_the_callers_values(db: Repository) -> None:
    line = Line(product_id="p1", quantity=1)
    order = db.create(Order(order_id="1", lines=[line]))
    line.quantity = 99
    assert order.lines[0].quantity == 1
    db.put(order.changed(note="x"))
    assert db.get_or_raise(OrderById(order_id="1")).lines[0].quantity == 1
