"""Compiled reads: a pattern is compiled once, to the read of its kind."""

from typing import Any

import pytest

from tablewright.access.context import Context
from tablewright.access.reads.batch_get_read import BatchGetRead
from tablewright.access.reads.compiled_reads import CompiledReads
from tablewright.access.reads.get_read import FindRead, GetRead
from tablewright.access.reads.page_read import PageRead
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.design.patterns.patterns import Pattern
from tablewright.errors import UsageError
from tests.access import shop


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
