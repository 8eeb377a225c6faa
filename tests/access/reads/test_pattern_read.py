"""What all reads have in common: copies, locks and expired items are left out."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright import Clock, Query
from tablewright.access.reads.pattern_read import CompiledRequest
from tablewright.errors import KeyValueError, ValueNotStorable
from tests.access import shop
from tests.access.reads.orders import ids
from tests.access.shop import Status, order


def test_copies_are_read_by_their_own_keys_only(db: Any) -> None:
    chat = shop.Chat(chat_id="c", members=["ada", "bob"])
    db.put(chat)
    assert list(db.run(shop.ChatsOf(member="bob"))) == [chat]
    page = db.run(shop.ChatById(chat_id="c"))
    assert (list(page), page.unknown) == ([chat], ())


def test_expired_items_are_left_out(db: Any, clock: Clock) -> None:
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


def compiled(pattern: Any, *, projected: bool = False) -> dict[str, Any]:
    return CompiledRequest(type(pattern).__plan__, "shop", projected=projected).request(pattern.__dict__)


def test_a_get_has_a_key() -> None:
    assert compiled(shop.OrderById(customer_id="ada", order_id="7")) == {
        "TableName": "shop",
        "ConsistentRead": True,
        "Key": {"PK": {"S": "CUSTOMER#ada"}, "SK": {"S": "ORDER#7"}},
    }


def test_a_query_has_placeholders_for_names_and_values() -> None:
    assert compiled(shop.LatestOrdersOf(customer_id="ada")) == {
        "TableName": "shop",
        "KeyConditionExpression": "#0 = :0 AND begins_with(#1, :1)",
        "ExpressionAttributeNames": {"#0": "PK", "#1": "SK"},
        "ExpressionAttributeValues": {":0": {"S": "CUSTOMER#ada"}, ":1": {"S": "ORDER#"}},
        "ScanIndexForward": False,
        "ReturnConsumedCapacity": "TOTAL",
    }


def test_a_query_names_its_index() -> None:
    request = compiled(shop.OrdersByStatus(status=Status.PAID))
    assert (request["IndexName"], request["ExpressionAttributeValues"]) == (
        "GSI1",
        {":0": {"S": "STATUS#paid"}},
    )


def test_number_keys_are_numbers() -> None:
    request = compiled(shop.EventById(account=7, event="e"))
    assert request["Key"] == {"account": {"N": "7"}, "timestamp#eventId": {"S": "e"}}


def test_a_filter_compares_stored_names() -> None:
    request = compiled(shop.BigOrdersOf(customer_id="ada", least=Decimal("2.5"), sizes=1))
    assert request["ExpressionAttributeValues"][":least"] == {"N": "2.5"}
    assert CompiledRequest(shop.BigOrdersOf.__plan__, "shop").has_filter
    assert not CompiledRequest(shop.OrdersOf.__plan__, "shop").has_filter


def test_values_of_a_filter_are_those_that_the_field_can_have() -> None:
    class OrdersWithStatus(Query[shop.Order]):
        customer_id: str
        status: str
        key = "PK = CUSTOMER#{customer_id}"
        filter = "status = {status}"

    request = compiled(OrdersWithStatus(customer_id="ada", status="paid"))
    assert request["ExpressionAttributeValues"][":status"] == {"S": "paid"}
    message = (
        r"OrdersWithStatus\.status: status must be compared with one of .* got 'payed'; did you mean 'paid'"
    )
    with pytest.raises(ValueNotStorable, match=message):
        compiled(OrdersWithStatus(customer_id="ada", status="payed"))


def test_a_projection_has_the_fields_and_what_decoding_needs() -> None:
    request = compiled(shop.OrderTotals(customer_id="ada"), projected=True)
    names = request["ExpressionAttributeNames"]
    projected = {names[alias] for alias in request["ProjectionExpression"].split(", ")}
    assert projected == {"orderId", "total", "PK", "SK", "type", "expiresAt", "_of", "_kept"}


def test_a_batch_has_its_keys_under_the_table() -> None:
    request = CompiledRequest(shop.ManyOrders.__plan__, "shop")
    key = request.key({"customer_id": "ada", "order_id": "1"})
    assert request.batch([key])["RequestItems"] == {"shop": {"Keys": [key]}}


def test_an_error_names_the_pattern() -> None:
    with pytest.raises(KeyValueError, match=r"^CustomerById: "):
        compiled(shop.CustomerById(customer_id=""))


def test_every_kind_of_pattern_has_an_operation() -> None:
    kinds = (shop.OrderById, shop.CustomerByEmail, shop.OrdersOf, shop.AllCustomers, shop.ManyOrders)
    operations = [CompiledRequest(kind.__plan__, "shop").operation for kind in kinds]
    assert operations == ["GetItem", "Query", "Query", "Scan", "BatchGetItem"]
