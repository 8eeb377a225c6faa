"""Compiled reads: a pattern is compiled once, to the read of its kind."""

from datetime import timedelta
from typing import Any

import pytest

from tablewright import Clock, errors
from tablewright.access.context import Context
from tablewright.access.reads.batch_get_read import BatchGetRead
from tablewright.access.reads.compiled_reads import CompiledReads
from tablewright.access.reads.get_read import FindRead, GetRead
from tablewright.access.reads.page_read import PageRead
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.design.patterns import Pattern
from tablewright.errors import UsageError
from tests.access import shop
from tests.access.shop import Customer, order


@pytest.fixture
def reads() -> CompiledReads:
    return CompiledReads(Context(environment="test"))


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        (shop.CustomerById(customer_id="ada"), GetRead),
        (shop.CustomerByEmail(email="e"), FindRead),
        (shop.OrdersOf(customer_id="ada"), PageRead),
        (shop.AllCustomers(), PageRead),
        (shop.ManyOrders(customer_id="ada", order_id=["1"]), BatchGetRead),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_each_kind_of_pattern_has_its_read(reads: CompiledReads, pattern: Any, kind: type) -> None:
    assert type(reads.of(pattern)) is kind


def test_a_pattern_is_compiled_once(reads: CompiledReads) -> None:
    first = reads.of(shop.OrdersOf(customer_id="ada"))
    assert reads.of(shop.OrdersOf(customer_id="bob")) is first
    rows = reads.rows_of(shop.OrderTotals(customer_id="ada"))
    assert reads.rows_of(shop.OrderTotals(customer_id="bob")) is rows


def test_a_pattern_with_fields_returns_rows_only(reads: CompiledReads) -> None:
    with pytest.raises(UsageError, match=r"OrderTotals reads only some fields .* db\.rows"):
        reads.of(shop.OrderTotals(customer_id="ada"))


def test_a_class_is_not_a_pattern(reads: CompiledReads) -> None:
    with pytest.raises(UsageError, match="takes an instance with its parameters"):
        reads.of(shop.OrdersOf)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="str is not an access pattern"):
        reads.of("orders")  # type: ignore[arg-type]


def test_the_number_of_items_is_estimated(reads: CompiledReads) -> None:
    def expected(pattern: Pattern[Any], limit: int | None = None) -> int:
        read = reads.of(pattern)
        assert isinstance(read, PatternRead)
        return read.expected_items(pattern, limit)

    assert expected(shop.ManyOrders(customer_id="ada", order_id=["1", "2", "1"])) == 2
    query = shop.OrdersByStatus(status=shop.Status.OPEN)
    assert (expected(query), expected(query, 7)) == (50, 7)
    assert expected(shop.CustomerById(customer_id="ada")) == 1


ADA = Customer(customer_id="ada", email="ada@example.org")


class NoSuchCustomer(Exception):
    pass


def test_it_returns_what_get_and_find_return(db: Any) -> None:
    db.put(ADA)
    assert db.get_or_raise(shop.CustomerById(customer_id="ada")) == ADA
    assert db.get_or_raise(shop.CustomerByEmail(email="ada@example.org"), otherwise=NoSuchCustomer) == ADA


def test_a_missing_entity_is_named_with_its_key(db: Any) -> None:
    with pytest.raises(errors.DoesNotExist) as caught:
        db.get_or_raise(shop.OrderById(customer_id="ada", order_id="001"))
    assert str(caught.value) == "Order(customer_id='ada', order_id='001') does not exist"
    assert (caught.value.entity, caught.value.key) == ("Order", {"customer_id": "ada", "order_id": "001"})
    with pytest.raises(errors.DoesNotExist, match=r"^Customer\(email='eve@example.org'\) does not exist$"):
        db.get_or_raise(shop.CustomerByEmail(email="eve@example.org"))


def test_otherwise_is_raised_from_the_typed_error(db: Any) -> None:
    with pytest.raises(NoSuchCustomer) as caught:
        db.get_or_raise(shop.CustomerById(customer_id="ada"), otherwise=NoSuchCustomer)
    assert isinstance(caught.value.__cause__, errors.DoesNotExist)


def test_an_expired_entity_does_not_exist(db: Any, clock: Clock) -> None:
    db.put(order("ada", 1, expires_at=int(clock.now()) + 60))
    clock.advance(timedelta(minutes=2))
    pattern = shop.OrderById(customer_id="ada", order_id="001")
    with pytest.raises(errors.DoesNotExist):
        db.get_or_raise(pattern)
    assert db.get_or_raise(pattern, include_expired=True).order_id == "001"


def test_other_errors_are_not_replaced(db: Any) -> None:
    db.put(ADA)
    db.put(ADA.changed(customer_id="eve"))
    with pytest.raises(errors.SeveralFound):
        db.get_or_raise(shop.CustomerByEmail(email="ada@example.org"), otherwise=NoSuchCustomer)


def test_a_pattern_that_returns_a_page_is_rejected(db: Any) -> None:
    with pytest.raises(errors.UsageError, match="get_or_raise takes a Get or a Find"):
        db.get_or_raise(shop.OrdersOf(customer_id="ada"))
