"""Number bounds: a sum stays within the limits of its field, in one request and among concurrent writers."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from threading import Barrier, Lock
from typing import Annotated, Any
from uuid import uuid4

import pytest
from pydantic import Field, model_validator

from tablewright import Clock, Design, Entity, Get, Index, Keys, Repository, Table, connect, fields, writes
from tablewright.access.writes.number_bounds import declared_bounds, sum_bounds
from tablewright.errors import (
    ConditionNotMet,
    DoesNotExist,
    InvalidWrite,
    OutOfBounds,
    TransactionFailed,
    VersionConflict,
)
from tests.access.conftest import BACKENDS, Awaited

shop = Table("bounds-{env}", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


class Stock(Entity, table=shop, type="STOCK"):
    product_id: str
    left: Annotated[int, fields.Counter(), Field(ge=0, le=100)] = 5
    debt: Annotated[Decimal | None, Field(gt=-10, lt=10)] = None
    even: Annotated[int, Field(ge=0, multiple_of=2)] = 0
    price: Annotated[int, Field(ge=0)] = 0
    is_open: bool = True
    keys = Keys(primary=("STOCK#{product_id}", "STOCK"), GSI1=("PRICES", "{price:06}"))


class Basket(Entity, table=shop, type="BASKET"):
    basket_id: str
    items: Annotated[int, Field(ge=0)] = 0
    version: Annotated[int, fields.Version()] = 0
    keys = Keys(primary=("BASKET#{basket_id}", "BASKET"))

    @model_validator(mode="after")
    def _any(self) -> "Basket":
        return self


class StockOf(Get[Stock]):
    """Get a stock."""

    product_id: str


class BasketById(Get[Basket]):
    """Get a basket."""

    basket_id: str


DESIGN = Design("bounds", entities=[Stock, Basket], patterns=[StockOf, BasketById])
ONE = StockOf(product_id="1")


class OutOfStock(Exception):
    """An error of the caller."""


class Closed(Exception):
    """Another error of the caller."""


@pytest.fixture(params=BACKENDS)
def stocks(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Any]:
    """A repository, empty."""
    place, _, awaited = request.param.partition(" ")
    where: Any = tmp_path / "stocks.db" if place == "file" else None
    if place == "http":
        where = request.getfixturevalue("endpoint")
    repository = connect(DESIGN, where, environment=f"t-{uuid4().hex[:12]}", clock=clock, create=True)
    used = Awaited(repository) if awaited else repository
    yield used
    used.close()


@pytest.fixture
def db() -> Iterator[Repository]:
    """A repository in memory, with one stock of five."""
    with connect(DESIGN, environment="t") as opened:
        opened.create(Stock(product_id="1"))
        yield opened


def test_a_sum_beyond_its_bound_is_refused(stocks: Any) -> None:
    stock = stocks.create(Stock(product_id="1"))
    refused: tuple[Callable[[], Any], ...] = (
        lambda: stocks.update(ONE, add={"left": -6}),
        lambda: stocks.update(stock, fields.of(Stock.left).add(-6)),
        lambda: stocks.add(ONE, left=-6),
        lambda: stocks.upsert(Stock(product_id="1", left=0), add={"left": -6}),
    )
    message = r"Stock\(product_id='1'\) cannot add -6 to left, which is 5: the sum must be at least 0"
    for write in refused:
        with pytest.raises(OutOfBounds, match=message) as caught:
            write()
        assert (caught.value.entity, caught.value.field) == ("Stock", "left")
    with pytest.raises(TransactionFailed, match=message) as failed:
        stocks.transact(writes.Add(ONE, left=-6))
    assert isinstance(failed.value.failures[0], OutOfBounds)
    with pytest.raises(OutOfBounds, match="cannot add 96 to left, which is 5: the sum must be at most 100"):
        stocks.add(ONE, left=96)
    assert stocks.add(ONE, left=-5).left == 0
    assert stocks.add(ONE, left=100).left == 100


def test_the_callers_exception_is_raised(stocks: Any) -> None:
    stocks.create(Stock(product_id="1"))
    enough = fields.of(Stock.left) >= 6
    with pytest.raises(OutOfStock):
        stocks.update(ONE, add={"left": -6}, otherwise=OutOfStock)
    with pytest.raises(OutOfStock):
        stocks.update(ONE, add={"left": -6}, when=enough, otherwise=OutOfStock)
    with pytest.raises(OutOfStock):
        stocks.transact(writes.Add(ONE, left=-6, otherwise=OutOfStock))
    by_error = {ConditionNotMet: Closed, OutOfBounds: OutOfStock}
    is_open = fields.of(Stock.is_open) == True  # noqa: E712
    with pytest.raises(OutOfStock):
        stocks.update(ONE, add={"left": -6}, when=is_open, otherwise=by_error)
    with pytest.raises(Closed):
        stocks.update(ONE, add={"left": -6}, when=enough, otherwise=by_error)
    stocks.update(ONE, set={"is_open": False})
    with pytest.raises(Closed):
        stocks.update(ONE, add={"left": -1}, when=is_open, otherwise=by_error)
    with pytest.raises(DoesNotExist):
        stocks.add(StockOf(product_id="2"), left=-1)
    assert stocks.get_or_raise(ONE).left == 5


def test_a_bounded_add_is_one_request(db: Repository) -> None:
    call = db.connection.call
    operations: list[str] = []

    def recorded(operation: str, request: Any) -> Any:
        operations.append(operation)
        return call(operation, request)

    db._call = recorded
    assert db.add(ONE, left=-2).left == 3
    with pytest.raises(OutOfBounds):
        db.add(ONE, left=-4)
    assert operations == ["UpdateItem", "UpdateItem"]


def test_amounts_beyond_the_whole_range_are_invalid(db: Repository) -> None:
    with pytest.raises(
        InvalidWrite, match=r"Stock\.left is between 0 and 100, so -101 can never be added to it"
    ):
        db.add(ONE, left=-101)
    with pytest.raises(InvalidWrite, match=r"Stock\.left must be a valid integer, got 1\.5"):
        db.add(ONE, left=1.5)
    with pytest.raises(InvalidWrite, match=r"Stock\.even must be a multiple of 2, got 1"):
        db.add(ONE, even=1)


def test_an_absent_number_counts_as_its_default(db: Repository) -> None:
    table = db.context.table_name(shop)
    key = {"PK": {"S": "STOCK#1"}, "SK": {"S": "STOCK"}}
    db.connection.call(
        "UpdateItem",
        {
            "TableName": table,
            "Key": key,
            "UpdateExpression": "REMOVE #l",
            "ExpressionAttributeNames": {"#l": "left"},
        },
    )
    with pytest.raises(OutOfBounds, match="cannot add -6 to left, which is 5"):
        db.add(ONE, left=-6)
    assert db.add(ONE, left=-5).left == 0
    assert db.add(ONE, debt=Decimal("9.5")).debt == Decimal("9.5")
    with pytest.raises(
        OutOfBounds, match=r"cannot add 0\.5 to debt, which is 9\.5: the sum must be less than 10"
    ):
        db.add(ONE, debt=Decimal("0.5"))


def test_a_number_that_is_stored_as_text_is_added_to(db: Repository) -> None:
    table = db.context.table_name(shop)
    key = {"PK": {"S": "STOCK#1"}, "SK": {"S": "STOCK"}}
    db.connection.call(
        "UpdateItem",
        {
            "TableName": table,
            "Key": key,
            "UpdateExpression": "SET #l = :l",
            "ExpressionAttributeNames": {"#l": "left"},
            "ExpressionAttributeValues": {":l": {"S": "7"}},
        },
    )
    assert db.add(ONE, left=-3).left == 4
    assert db.connection.call("GetItem", {"TableName": table, "Key": key})["Item"]["left"] == {"N": "4"}


def test_bounds_of_a_number_in_an_index_key_and_of_a_validated_class(db: Repository) -> None:
    with pytest.raises(OutOfBounds, match="cannot add -1 to price, which is 0"):
        db.add(ONE, price=-1)
    assert db.add(ONE, price=3).price == 3
    basket = db.create(Basket(basket_id="1", items=1))
    with pytest.raises(OutOfBounds):
        db.add(basket, items=-2)
    changed = db.add(basket, items=-1)
    assert changed.items == 0
    with pytest.raises(VersionConflict):
        db.add(basket, items=-1)


def test_only_the_side_to_which_the_sum_moves_is_compared() -> None:
    assert [bound.operator for bound in sum_bounds(Stock.layout, {"left": -1})] == [">="]
    assert [bound.operator for bound in sum_bounds(Stock.layout, {"left": 1, "debt": 1})] == ["<=", "<"]
    assert sum_bounds(Stock.layout, {"left": 0}) == ()
    assert declared_bounds(Stock, "even") is None
    assert declared_bounds(Stock, "is_open") is None
    assert declared_bounds(Stock, "debt") == {">": Decimal(-10), "<": Decimal(10)}


def test_concurrent_writers_stay_within_the_bound(stocks: Any) -> None:
    """Twelve writers take two of nine each: four succeed, in whatever order they come."""
    if isinstance(stocks, Awaited):
        pytest.skip("threads use the repository that is called")
    stocks.create(Stock(product_id="1", left=9))
    start, guard = Barrier(12), Lock()
    active = most_active = requests = 0
    call = stocks.connection.call

    def counted(operation: str, request: Any) -> Any:
        nonlocal active, most_active, requests
        with guard:
            active, requests = active + 1, requests + 1
            most_active = max(most_active, active)
            is_first = requests <= 12
        if is_first:
            start.wait(60)  # all writers send their requests at the same time
        try:
            return call(operation, request)
        finally:
            with guard:
                active -= 1

    def take(_: int) -> bool:
        try:
            stocks.add(ONE, left=-2)
        except OutOfBounds:
            return False
        return True

    stocks._call = counted
    with ThreadPoolExecutor(12) as pool:
        taken = list(pool.map(take, range(12)))
    assert (most_active, requests) == (12, 12), "the writers did not run at the same time"
    assert (taken.count(True), stocks.get_or_raise(ONE).left) == (4, 1)
