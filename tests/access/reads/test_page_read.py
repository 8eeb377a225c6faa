"""Page reads: queries and scans return pages that join without a gap, through filters and limits."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from tablewright import Query
from tablewright.errors import UnknownItem, UsageError, ValueNotStorable
from tests.access import shop
from tests.access.reads.orders import ids, raw_order
from tests.access.shop import Customer, Order, Status, order


def test_query_returns_a_partition_in_order(db: Any, ada: Customer) -> None:
    assert ids(db.run(shop.OrdersOf(customer_id="ada"))) == [f"{number:03}" for number in range(10)]
    assert ids(db.run(shop.OrdersByStatus(status=Status.PAID))) == ["000", "002", "004", "006", "008"]
    assert list(db.run(shop.OrdersOf(customer_id="bob"))) == []


def test_several_types_in_one_query(db: Any, ada: Customer) -> None:
    page = db.run(shop.CustomerWithOrders(customer_id="ada"))
    assert [type(each) for each in page] == [Order] * 10 + [Customer]
    assert page[-1] == ada


def test_a_range_of_timestamps(db: Any, ada: Customer) -> None:
    start, end = (datetime.fromisoformat(f"2026-05-01T08:0{minute}Z") for minute in (3, 8))
    found = db.run(shop.OrdersPlaced(status=Status.OPEN, start=start, end=end))
    assert ids(found) == ["003", "005", "007"]


def test_descending_with_the_page_size_of_the_pattern(db: Any, ada: Customer) -> None:
    page = db.run(shop.LatestOrdersOf(customer_id="ada"))
    assert ids(page) == ["009", "008", "007"]
    assert ids(db.all(shop.LatestOrdersOf(customer_id="ada"))) == [f"{n:03}" for n in range(9, -1, -1)]


def test_pages_join_without_gap_or_overlap(db: Any, ada: Customer) -> None:
    for limit in (1, 3, 4, 10, 11):
        seen: list[str] = []
        cursor, pages = None, 0
        while pages == 0 or cursor:
            page = db.run(shop.OrdersOf(customer_id="ada"), limit=limit, cursor=cursor)
            assert len(page) <= limit
            seen, cursor, pages = seen + ids(page), page.cursor, pages + 1
        assert seen == [f"{number:03}" for number in range(10)]


def test_a_filtered_page_is_filled(db: Any, ada: Customer) -> None:
    pattern = shop.BigOrdersOf(customer_id="ada", least=Decimal("2.5"), sizes=1)
    page = db.run(pattern, limit=2)
    assert ids(page) == ["005", "006"]
    page = db.run(pattern, limit=2, cursor=page.cursor)
    assert ids(page) == ["007", "008"]
    assert ids(db.run(pattern, limit=2, cursor=page.cursor)) == ["009"]


def test_a_page_ends_after_ten_requests_that_match_nothing(db: Any) -> None:
    table = db.context.table_name(shop.main)
    for number in range(0, 1200, 25):
        puts = [
            {"PutRequest": {"Item": raw_order("bob", each, total="1000" if each == 1199 else "0")}}
            for each in range(number, number + 25)
        ]
        db.connection.call("BatchWriteItem", {"RequestItems": {table: puts}})
    pattern = shop.BigOrdersOf(customer_id="bob", least=Decimal(1), sizes=0)
    short = db.run(pattern, limit=1)
    assert (len(short), short.cursor is None) == (0, False)
    assert ids(db.run(pattern, limit=1, cursor=short.cursor)) == ["1199"]


def test_a_filter_on_a_nested_model(db: Any) -> None:
    for name, code in (("a", "1"), ("b", "2")):
        address = shop.Address(street_name="High", zipCode=code)
        db.put(Customer(customer_id=name, email=name, address=address))
    assert [each.customer_id for each in db.run(shop.CustomersIn(zip_code="2"))] == ["b"]


def test_a_filter_needs_its_values(db: Any) -> None:
    class OfSize(Query[Order]):
        customer_id: str
        number: int | None = None
        key = "PK = CUSTOMER#{customer_id}"
        filter = "size = {number}"

    with pytest.raises(ValueNotStorable, match="OfSize: number is None"):
        db.run(OfSize(customer_id="ada"))
    db.put(order("ada", 1, size=5))
    db.put(order("ada", 2, size=6))
    assert ids(db.run(OfSize(customer_id="ada", number=6))) == ["002"]


def test_iterate_reads_every_page(db: Any, ada: Customer) -> None:
    found = db.iterate(shop.LatestOrdersOf(customer_id="ada"))
    assert next(found).order_id == "009"
    assert len(list(found)) == 9


def test_a_page_reports_consumed_capacity(db: Any, ada: Customer) -> None:
    assert db.run(shop.OrdersOf(customer_id="ada")).consumed == 0.5
    assert db.run(shop.OrdersOf(customer_id="ada"), limit=3).consumed == 0.5


def test_keys_may_be_numbers_and_have_any_name(db: Any) -> None:
    for event in ("2026-01#a", "2026-02#b", "2026-03#c"):
        db.put(shop.Event(account=7, event=event))
    assert [each.event for each in db.run(shop.EventsOf(account=7, start="2026-02"))] == [
        "2026-02#b",
        "2026-03#c",
    ]
    assert db.run(shop.EventById(account=7, event="2026-01#a")).account == 7
    first = db.run(shop.EventsOf(account=7, start="2026"), limit=1)
    rest = db.run(shop.EventsOf(account=7, start="2026"), limit=5, cursor=first.cursor)
    assert len(rest) == 2


def test_a_limit_must_be_positive(db: Any) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        db.run(shop.OrdersOf(customer_id="ada"), limit=0)


def test_an_item_of_another_type_is_listed_as_unknown(db: Any, ada: Customer) -> None:
    class Profiles(Query[Customer]):
        customer_id: str
        key = "PK = CUSTOMER#{customer_id}"

    page = db.run(Profiles(customer_id="ada"))
    assert list(page) == [ada]
    assert len(page.unknown) == 10
    assert "has the type 'ORDER'; expected 'CUSTOMER'" in str(page.unknown[0])
    with pytest.raises(UnknownItem):
        db.all(Profiles(customer_id="ada"))
    assert db.all(Profiles(customer_id="ada"), unknown="skip") == [ada]
