"""Reading by access patterns, on every backend."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from tablewright import BatchGet, Clock, Faults, Query, connect
from tablewright.access.reads.field_rows import Row
from tablewright.errors import SeveralFound, UnknownItem, UsageError, ValueNotStorable
from tests.access import shop
from tests.access.shop import Customer, Order, Status, order


@pytest.fixture
def ada(db: Any) -> Customer:
    """A customer with ten orders, the even ones paid."""
    customer = Customer(customer_id="ada", email="ada@example.org", name="Ada")
    db.put(customer)
    for number in range(10):
        status = Status.OPEN if number % 2 else Status.PAID
        db.put(order("ada", number, status=status, total=Decimal(number) / 2, tags=frozenset({"x", "y"})))
    return customer


def put_raw(db: Any, table: Any, item: dict[str, Any]) -> None:
    db.connection.call("PutItem", {"TableName": db.context.table_name(table), "Item": item})


def ids(found: Any) -> list[str]:
    return [each.order_id for each in found]


def test_get_returns_the_entity_or_none(db: Any, ada: Customer) -> None:
    assert db.run(shop.CustomerById(customer_id="ada")) == ada
    assert db.run(shop.CustomerById(customer_id="bob")) is None


def test_values_of_every_type_come_back_as_they_were(db: Any) -> None:
    written = order(
        "ada",
        1,
        status=Status.PAID,
        total=Decimal("12.50"),
        tags=frozenset({"a", "b"}),
        photo=b"\x00\xff",
        size=-3,
    )
    db.put(written)
    db.put(Customer(customer_id="c", email="c@x", address=shop.Address(street_name="High", zipCode="1")))
    assert db.run(shop.OrderById(customer_id="ada", order_id="001")) == written
    found = db.run(shop.CustomerById(customer_id="c"))
    assert found.address == shop.Address(street_name="High", zipCode="1")


def test_find_goes_through_an_index(db: Any, ada: Customer) -> None:
    assert db.run(shop.CustomerByEmail(email="ada@example.org")) == ada
    assert db.run(shop.CustomerByEmail(email="bob@example.org")) is None
    db.put(Customer(customer_id="twin", email="ada@example.org"))
    with pytest.raises(SeveralFound, match="CustomerByEmail"):
        db.run(shop.CustomerByEmail(email="ada@example.org"))


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


def test_newest_first_in_pages_of_the_pattern(db: Any, ada: Customer) -> None:
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


def test_a_filter_still_fills_the_page(db: Any, ada: Customer) -> None:
    pattern = shop.BigOrdersOf(customer_id="ada", least=Decimal("2.5"), sizes=1)
    page = db.run(pattern, limit=2)
    assert ids(page) == ["005", "006"]
    page = db.run(pattern, limit=2, cursor=page.cursor)
    assert ids(page) == ["007", "008"]
    assert ids(db.run(pattern, limit=2, cursor=page.cursor)) == ["009"]


def test_a_filter_that_matches_little_ends_after_some_requests(db: Any) -> None:
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


def raw_order(customer: str, number: int, **more: str) -> dict[str, Any]:
    item: dict[str, Any] = {
        "PK": {"S": f"CUSTOMER#{customer}"},
        "SK": {"S": f"ORDER#{number:04}"},
        "type": {"S": "ORDER"},
        "customerId": {"S": customer},
        "orderId": {"S": f"{number:04}"},
        "placedAt": {"S": "2026-05-01T08:00:00.000Z"},
    }
    return item | {name: {"N": value} for name, value in more.items()}


def test_a_filter_reaches_into_nested_models(db: Any) -> None:
    for name, code in (("a", "1"), ("b", "2")):
        address = shop.Address(street_name="High", zipCode=code)
        db.put(Customer(customer_id=name, email=name, address=address))
    assert [each.customer_id for each in db.run(shop.CustomersIn(zip_code="2"))] == ["b"]


def test_a_filter_needs_its_values(db: Any) -> None:
    class OfSize(Query[Order]):
        customer_id: str
        number: int | None = None
        key = "PK = CUSTOMER#{customer_id}"
        filter = "size = :number"

    with pytest.raises(ValueNotStorable, match="OfSize: number is None"):
        db.run(OfSize(customer_id="ada"))
    db.put(order("ada", 1, size=5))
    db.put(order("ada", 2, size=6))
    assert ids(db.run(OfSize(customer_id="ada", number=6))) == ["002"]


def test_batch_get_in_the_order_asked_for(db: Any, ada: Customer) -> None:
    asked = ["007", "002", "nowhere", "007", "005"]
    page = db.run(shop.ManyOrders(customer_id="ada", order_id=asked))
    assert ids(page) == ["007", "002", "005"]
    assert page.consumed > 0
    assert list(db.run(shop.ManyOrders(customer_id="ada", order_id=[]))) == []


def test_batch_get_of_more_keys_than_one_request_takes(db: Any, ada: Customer) -> None:
    asked = [f"{number:03}" for number in range(250)]
    assert ids(db.run(shop.ManyOrders(customer_id="ada", order_id=asked))) == asked[:10]


def test_unprocessed_keys_are_followed() -> None:
    with connect(shop.gather(), environment="x", faults=Faults(seed=1, unprocessed=0.7)) as db:
        for number in range(30):
            db.put(order("ada", number))
        asked = [f"{number:03}" for number in range(30)]
        page = db.run(shop.ManyOrders(customer_id="ada", order_id=asked))
        assert ids(page) == asked


def test_lists_of_a_batch_vary_together(db: Any) -> None:
    class Pairs(BatchGet[Order]):
        customer_id: list[str]
        order_id: list[str]

    db.put(order("ada", 1))
    db.put(order("bob", 2))
    found = db.run(Pairs(customer_id=["ada", "bob", "bob"], order_id=["001", "002", "001"]))
    assert [(each.customer_id, each.order_id) for each in found] == [("ada", "001"), ("bob", "002")]
    with pytest.raises(UsageError, match="2 of customer_id, 1 of order_id"):
        db.run(Pairs(customer_id=["ada", "bob"], order_id=["001"]))


def test_iterate_streams_every_page(db: Any, ada: Customer) -> None:
    found = db.iterate(shop.LatestOrdersOf(customer_id="ada"))
    assert next(found).order_id == "009"
    assert len(list(found)) == 9


def test_capacity_is_told(db: Any, ada: Customer) -> None:
    assert db.run(shop.OrdersOf(customer_id="ada")).consumed == 0.5
    assert db.run(shop.OrdersOf(customer_id="ada"), limit=3).consumed == 0.5


def test_numbers_and_odd_names_are_keys_too(db: Any) -> None:
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


def test_a_limit_is_positive(db: Any) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        db.run(shop.OrdersOf(customer_id="ada"), limit=0)


# What is not what it should be


def test_an_item_of_another_type_is_surfaced(db: Any, ada: Customer) -> None:
    class Profiles(Query[Customer]):
        customer_id: str
        key = "PK = CUSTOMER#{customer_id}"

    page = db.run(Profiles(customer_id="ada"))
    assert list(page) == [ada]
    assert len(page.unknown) == 10
    assert "has the type 'ORDER', and 'CUSTOMER' was expected" in str(page.unknown[0])
    with pytest.raises(UnknownItem):
        db.all(Profiles(customer_id="ada"))
    assert db.all(Profiles(customer_id="ada"), unknown="skip") == [ada]


def test_a_get_raises_what_it_does_not_know(db: Any) -> None:
    item = {"PK": {"S": "CUSTOMER#x"}, "SK": {"S": "PROFILE"}, "customerId": {"S": "x"}, "email": {"S": "e"}}
    put_raw(db, shop.main, item)
    with pytest.raises(UnknownItem, match="has no type, and 'CUSTOMER' was expected") as caught:
        db.run(shop.CustomerById(customer_id="x"))
    assert caught.value.item == item
    assert caught.value.key == {"PK": {"S": "CUSTOMER#x"}, "SK": {"S": "PROFILE"}}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"customerId": {"S": "eve"}}, "a key that contradicts its fields"),
        ({"name": {"L": []}}, "name: Input should be a valid string"),
        ({"address": {"M": {"zipCode": {"S": "1"}}}}, "address.street_name: Field required"),
    ],
)
def test_an_unfit_item_is_unknown_and_its_content_stays_private(
    db: Any, change: dict[str, Any], reason: str
) -> None:
    good = {
        "PK": {"S": "CUSTOMER#x"},
        "SK": {"S": "PROFILE"},
        "type": {"S": "CUSTOMER"},
        "customerId": {"S": "x"},
        "email": {"S": "private@x"},
    }
    put_raw(db, shop.main, good | change)
    with pytest.raises(UnknownItem) as caught:
        db.run(shop.CustomerById(customer_id="x"))
    assert reason in str(caught.value)
    assert "private" not in str(caught.value)


def test_undeclared_attributes_are_kept(db: Any) -> None:
    put_raw(
        db,
        shop.main,
        {
            "PK": {"S": "CUSTOMER#x"},
            "SK": {"S": "PROFILE"},
            "type": {"S": "CUSTOMER"},
            "email": {"S": "e"},
            "customer_id": {"S": "a Python name is no stored name"},
            "colour": {"S": "red"},
        },
    )
    found = db.run(shop.CustomerById(customer_id="x"))
    assert found.customer_id == "x", "told by the key alone"
    assert found.unknown_attributes == {
        "customer_id": {"S": "a Python name is no stored name"},
        "colour": {"S": "red"},
    }
    db.put(found.changed(name="X"))
    assert db.run(shop.CustomerById(customer_id="x")).unknown_attributes["colour"] == {"S": "red"}


def test_an_index_that_lacks_the_fields_cannot_make_entities(db: Any) -> None:
    db.put(order("ada", 1))
    (unknown,) = db.run(shop.BriefOrders(status=Status.OPEN)).unknown
    assert "type" in str(unknown)


def test_copies_are_read_by_their_own_keys_only(db: Any) -> None:
    chat = shop.Chat(chat_id="c", members=["ada", "bob"])
    db.put(chat)
    assert list(db.run(shop.ChatsOf(member="bob"))) == [chat]
    page = db.run(shop.ChatById(chat_id="c"))
    assert (list(page), page.unknown) == ([chat], ())


# Expiry


def test_what_has_expired_is_gone(db: Any, clock: Clock) -> None:
    now = int(clock.now())
    for number, expiry in enumerate((now - 60, now, now + 60, None, now - 6 * 365 * 24 * 3600)):
        db.put(order("ada", number, expires_at=expiry))
    live = ["002", "003", "004"]
    assert ids(db.run(shop.OrdersOf(customer_id="ada"))) == live
    assert ids(db.run(shop.OrdersOf(customer_id="ada"), limit=2)) == live[:2]
    assert ids(db.run(shop.ManyOrders(customer_id="ada", order_id=["000", "002"]))) == ["002"]
    assert db.run(shop.OrderById(customer_id="ada", order_id="000")) is None
    assert len(db.run(shop.OrdersOf(customer_id="ada"), include_expired=True)) == 5
    assert db.run(shop.OrderById(customer_id="ada", order_id="000"), include_expired=True) is not None


# Rows


def test_some_fields_make_rows(db: Any, ada: Customer) -> None:
    pattern = shop.OrderTotals(customer_id="ada")
    page = db.rows(pattern, limit=2)
    assert [dict(row) for row in page] == [
        {"order_id": "000", "total": Decimal(0)},
        {"order_id": "001", "total": Decimal("0.5")},
    ]
    assert isinstance(page[0], Row)
    assert db.rows(pattern, cursor=page.cursor)[0]["order_id"] == "002"
    with pytest.raises(UsageError, match=r"db\.rows"):
        db.run(pattern)


def test_rows_of_a_whole_entity(db: Any, ada: Customer) -> None:
    (row,) = db.rows(shop.CustomerById(customer_id="ada"))
    assert dict(row) == {"customer_id": "ada", "email": "ada@example.org", "name": "Ada"}
    assert list(db.rows(shop.CustomerById(customer_id="bob"))) == []
