"""Every write validates the whole entity and stores the canonical form, or raises an error that names the value."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import uuid4

import pytest
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr
from pydantic.alias_generators import to_camel

from tablewright import Clock, Design, Entity, Get, Index, Keys, Query, Table, connect, fields, writes
from tablewright.errors import InvalidWrite, TransactionFailed
from tests.access.conftest import BACKENDS, START, Awaited

shop = Table(
    "validated-{env}",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK", "GSI1SK")],
    ttl="expiresAt",
)


class Address(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)
    street_name: str
    zip_code: Annotated[str, Field(max_length=5)] = ""
    _seen: int = PrivateAttr(default=0)

    @cached_property
    def label(self) -> str:
        return f"{self.street_name} {self.zip_code}"


class Card(BaseModel):
    kind: Literal["card"] = "card"
    number: str


class Cash(BaseModel):
    kind: Literal["cash"] = "cash"


class Order(Entity, table=shop, type="ORDER"):
    order_id: str
    status: Annotated[str, Field(max_length=8)] = "open"
    total: Decimal = Decimal(0)
    placed_at: fields.Timestamp = datetime(2026, 1, 1, tzinfo=UTC)
    lines: list[Annotated[str, Field(min_length=1)]] = Field(default_factory=list)
    address: Address | None = None
    others: dict[str, Address] = Field(default_factory=dict)
    paid: Card | Cash | None = None
    extra: Any = None
    weight: int = None  # type: ignore[assignment]  # pydantic does not validate defaults
    keys = Keys(primary=("ORDER#{order_id}", "ORDER"), GSI1=("STATUS#{status}", "{placed_at}"))

    @cached_property
    def heading(self) -> str:
        return f"Order {self.order_id}"


class Visit(Entity, table=shop, type="VISIT"):
    visit_id: str
    pages: list[int] = Field(default_factory=list)
    seen: int = fields.now()
    expires_at: Annotated[int | None, fields.Ttl()] = None
    keys = Keys(primary=("VISIT#{visit_id}", "VISIT"))


class Account(Entity, table=shop, type="ACCOUNT"):
    account_id: str
    email: Annotated[str, fields.Unique()]
    visits: Annotated[int, fields.Counter()] = 0
    tags: list[str] = Field(default_factory=list)
    version: Annotated[int, fields.Version()] = 0
    keys = Keys(primary=("ACCOUNT#{account_id}", "ACCOUNT"))


class OrderById(Get[Order]):
    """Get an order."""

    order_id: str


class AccountById(Get[Account]):
    """Get an account."""

    account_id: str


class VisitById(Get[Visit]):
    """Get a visit."""

    visit_id: str


class OrdersByStatus(Query[Order]):
    """List orders by status."""

    status: str
    key = "GSI1PK = STATUS#{status}"


DESIGN = Design(
    "validated",
    entities=[Order, Visit, Account],
    patterns=[OrderById, AccountById, VisitById, OrdersByStatus],
)


class OrderPatch(BaseModel):
    """The body of a PATCH, with looser types than the entity."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    status: str | None = None
    total: str | None = None
    placed_at: str | None = None
    lines: list[str] | None = None
    address: Address | None = None


@pytest.fixture(params=BACKENDS)
def orders(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Any]:
    """A repository, empty."""
    place, _, awaited = request.param.partition(" ")
    where: Any = tmp_path / "orders.db" if place == "file" else None
    if place == "http":
        where = request.getfixturevalue("endpoint")
    repository = connect(DESIGN, where, environment=f"t-{uuid4().hex[:12]}", clock=clock, create=True)
    used = Awaited(repository) if awaited else repository
    yield used
    used.close()


def stored(db: Any, kind: str, key: str) -> dict[str, Any]:
    request = {
        "TableName": db.context.table_name(shop),
        "Key": {"PK": {"S": f"{kind}#{key}"}, "SK": {"S": kind}},
    }
    item: dict[str, Any] = db.connection.call("GetItem", request)["Item"]
    return item


WRITES: dict[str, Callable[[Any, Order], Any]] = {
    "create": lambda db, order: db.create(order),
    "put": lambda db, order: db.put(order),
    "upsert": lambda db, order: db.upsert(order),
    "create in a transaction": lambda db, order: db.transact(writes.Create(order))[0],
    "put in a transaction": lambda db, order: db.transact(writes.Put(order))[0],
    "upsert in a transaction": lambda db, order: db.transact(writes.Upsert(order))[0],
    "batch": lambda db, order: db.batch([writes.Put(order)]),
}
every_write = pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)


@every_write
def test_a_patched_entity_is_stored_in_its_canonical_form(orders: Any, write: Callable[..., Any]) -> None:
    payload = OrderPatch.model_validate(
        {
            "status": "paid",
            "total": "12.50",
            "placedAt": "2026-05-01T10:00:00+02:00",
            "lines": ["a"],
            "address": {"streetName": "Long Street", "zipCode": "12345"},
        }
    )
    order = Order(order_id="1").model_copy(update=payload.model_dump(exclude_unset=True))
    result = write(orders, order)
    item = stored(orders, "ORDER", "1")
    assert item["total"] == {"N": "12.50"} or item["total"] == {"N": "12.5"}
    assert item["placedAt"] == {"S": "2026-05-01T08:00:00.000Z"}
    assert item["GSI1SK"] == {"S": "2026-05-01T08:00:00.000Z"}
    assert item["address"] == {"M": {"streetName": {"S": "Long Street"}, "zipCode": {"S": "12345"}}}
    read = orders.get_or_raise(OrderById(order_id="1"))
    assert (read.total, read.address) == (
        Decimal("12.5"),
        Address.model_validate({"streetName": "Long Street", "zipCode": "12345"}),
    )
    if result is not None:
        assert result == read
        assert isinstance(result.address, Address)


def with_line(line: Any) -> Order:
    order = Order(order_id="1")
    order.lines.append(line)
    return order


def with_changed_address(zip_code: Any) -> Order:
    order = Order(order_id="1", address=Address.model_validate({"streetName": "s"}))
    assert order.address is not None
    order.address.zip_code = zip_code
    return order


def with_changed_entry() -> Order:
    order = Order(order_id="1", others={"home": Address.model_validate({"streetName": "s"})})
    order.others["home"].street_name = 5  # type: ignore[assignment]
    return order


INVALID: dict[str, tuple[Callable[[], Order], str]] = {
    "too long": (
        lambda: Order(order_id="1").model_copy(update={"status": "cancelled again"}),
        r"Order\.status must have at most 8 characters, got 'cancelled again'",
    ),
    "no number": (
        lambda: Order(order_id="1").model_copy(update={"total": "a lot"}),
        r"Order\.total must be a valid decimal, got 'a lot'",
    ),
    "no time": (
        lambda: Order(order_id="1").model_copy(update={"placed_at": "tomorrow"}),
        r"Order\.placed_at .*'tomorrow'",
    ),
    "None": (
        lambda: Order(order_id="1").model_copy(update={"status": None}),
        r"Order\.status must be a valid string, got None",
    ),
    "changed in place": (lambda: with_line(""), r"Order\.lines\[0\] must have at least 1 character, got ''"),
    "another type in place": (lambda: with_line(7), r"Order\.lines\[0\] must be a valid string, got 7"),
    "nested in place": (
        lambda: with_changed_address("123456"),
        r"Order\.address\.zip_code must have at most 5 characters, got '123456'",
    ),
    "nested in a map": (
        with_changed_entry,
        r"Order\.others\.home\.street_name must be a valid string, got 5",
    ),
    "nested dict": (
        lambda: Order(order_id="1").model_copy(update={"address": {"zip_code": "1"}}),
        r"Order\.address\.street(_n|N)ame is required",
    ),
    "misspelt": (
        lambda: Order(order_id="1").model_copy(update={"statsu": "paid"}),
        r"(^|: )Order has no field statsu; did you mean status\?",
    ),
    "misspelt, nested": (
        lambda: Order(
            order_id="1",
            address=Address.model_validate({"streetName": "s"}).model_copy(update={"zipcode": "1"}),
        ),
        r"Order\.address: Address has no field zipcode; did you mean zip_code\?",
    ),
    "constructed": (lambda: Order.model_construct(order_id="1", total="x"), r"Order\.total must be"),
    "constructed without its key": (lambda: Order.model_construct(total=1), r"Order\.order_id is required"),
    "an invalid default that is given": (
        lambda: Order(order_id="1").model_copy(update={"weight": "heavy"}),
        r"Order\.weight must be a valid integer",
    ),
}


@every_write
@pytest.mark.parametrize(("make", "message"), INVALID.values(), ids=INVALID)
def test_an_invalid_entity_is_refused(
    write: Callable[..., Any], make: Callable[[], Order], message: str
) -> None:
    with connect(DESIGN, environment="t") as db:
        with pytest.raises((InvalidWrite, TransactionFailed), match=message) as caught:
            write(db, make())
        refused = caught.value
        if isinstance(refused, TransactionFailed):
            assert isinstance(refused.failures[0], InvalidWrite)
        assert db.connection.call("Scan", {"TableName": db.context.table_name(shop)})["Count"] == 0


def test_an_invalid_entity_is_refused_on_every_store(orders: Any) -> None:
    for write in WRITES.values():
        for make, message in INVALID.values():
            with pytest.raises((InvalidWrite, TransactionFailed), match=message):
                write(orders, make())
    assert orders.connection.call("Scan", {"TableName": orders.context.table_name(shop)})["Count"] == 0


def test_an_entity_with_a_lock_stays_readable(orders: Any) -> None:
    account = orders.create(Account(account_id="1", email="a@x"))
    with pytest.raises(InvalidWrite, match=r"Account\.email must be a valid string, got 5"):
        orders.put(account.model_copy(update={"email": 5}))
    with pytest.raises(InvalidWrite, match=r"Account\.version must be a valid integer.*, got 'x'"):
        orders.put(account.model_copy(update={"version": "x"}))
    changed = orders.put(account.model_copy(update={"tags": ("a", "b"), "version": "1"}))
    assert (changed.tags, changed.version) == (["a", "b"], 2)
    assert orders.get_or_raise(AccountById(account_id="1")) == changed
    assert orders.delete(changed)


def test_automatic_fields_are_filled_before_validation(orders: Any) -> None:
    visit = orders.create(Visit(visit_id="1"))
    assert visit.seen == START
    orders.batch([writes.Put(Visit(visit_id="2"))])
    assert orders.get_or_raise(VisitById(visit_id="2")).seen == START


def test_what_is_not_a_value_of_the_class_is_kept(orders: Any) -> None:
    order = Order(order_id="1", address=Address.model_validate({"streetName": "s"}))
    assert order.address is not None
    order.address._seen = 7
    assert (order.heading, order.address.label) == ("Order 1", "s "), (
        "they are now in the objects' dictionaries"
    )
    created = orders.create(order)
    assert created.model_fields_set == {"order_id", "address"}
    assert created.address._seen == 7
    assert created.address.model_fields_set == {"street_name"}
    read = orders.get_or_raise(OrderById(order_id="1"))
    assert read.model_dump() == created.model_dump() == orders.put(created).model_dump()
    assert "heading" not in stored(orders, "ORDER", "1")


def test_a_union_keeps_the_class_of_its_value() -> None:
    with connect(DESIGN, environment="t") as db:
        assert isinstance(db.create(Order(order_id="1", paid=Cash())).paid, Cash)
        paid = db.put(Order(order_id="1").model_copy(update={"paid": {"kind": "card", "number": "1"}})).paid
        assert paid == Card(number="1")


def test_values_of_an_update_are_validated(orders: Any) -> None:
    order = orders.create(Order(order_id="1"))
    address = Address.model_validate({"streetName": "s"})
    address.zip_code = "123456"
    message = r"Order\.address\.zip_code must have at most 5 characters, got '123456'"
    changes: tuple[Callable[[], Any], ...] = (
        lambda: orders.update(order, set={"address": address}),
        lambda: orders.update(order, fields.of(Order.address).set(address)),
        lambda: orders.upsert(order, set={"address": address}),
        lambda: orders.transact(writes.Update(order, set={"address": address})),
    )
    for change in changes:
        with pytest.raises((InvalidWrite, TransactionFailed), match=message):
            change()
    patch = OrderPatch.model_validate({"total": "3.5", "address": {"streetName": "s", "zipCode": "1"}})
    updated = orders.update(order, set=patch.model_dump(exclude_unset=True))
    assert (updated.total, updated.address) == (
        Decimal("3.5"),
        Address.model_validate({"streetName": "s", "zipCode": "1"}),
    )


ALIASES: dict[str, Callable[[Any, Order], Any]] = {
    **{name: write for name, write in WRITES.items() if name != "batch"},
    "update": lambda db, order: (
        db.create(Order(order_id="1")),
        db.update(OrderById(order_id="1"), set={"extra": order.extra, "address": order.address}),
    )[1],
    "put over another": lambda db, order: (db.create(Order(order_id="1")), db.put(order))[1],
}


@pytest.mark.parametrize("write", ALIASES.values(), ids=ALIASES)
def test_the_written_entity_shares_nothing_with_the_given_one(write: Callable[..., Any]) -> None:
    with connect(DESIGN, environment="t") as db:
        home = Address.model_validate({"streetName": "s"})
        order = Order(order_id="1", lines=["a"], address=home, others={"home": home}, extra={"a": [1]})
        written = write(db, order)
        before = written.model_copy(deep=True)
        order.lines.append("b")
        order.extra["a"].append(2)
        home.street_name = "changed"
        assert written == before
        written.extra["a"].append(3)
        assert order.extra == {"a": [1, 2]}


def test_entities_that_are_read_share_nothing() -> None:
    with connect(DESIGN, environment="t") as db:
        db.create(Order(order_id="1", lines=["a"], extra={"a": [1]}))
        name = db.context.table_name(shop)
        key = {"PK": {"S": "ORDER#1"}, "SK": {"S": "ORDER"}}
        change = {"TableName": name, "Key": key, "UpdateExpression": "SET legacy = :o"}
        db.connection.call("UpdateItem", {**change, "ExpressionAttributeValues": {":o": {"L": [{"S": "x"}]}}})
        one = db.get_or_raise(OrderById(order_id="1"))
        put = db.put(one)
        two = db.get_or_raise(OrderById(order_id="1"))
        one.lines.append("b")
        one.extra["a"].append(2)
        one.unknown_attributes["legacy"]["L"].append({"S": "y"})
        for other in (put, two, db.get_or_raise(OrderById(order_id="1"))):
            assert (other.lines, other.extra) == (["a"], {"a": [1]})
            assert other.unknown_attributes == {"legacy": {"L": [{"S": "x"}]}}


def test_defaults_are_not_shared() -> None:
    with connect(DESIGN, environment="t") as db:
        first = db.create(Order(order_id="1"))
        first.lines.append("a")
        assert db.create(Order(order_id="2")).lines == []
        emptied = db.update(db.create(Order(order_id="3", lines=["x"])), remove=["lines"])
        emptied.lines.append("y")
        assert db.update(OrderById(order_id="1"), remove=["lines"]).lines == []
