"""Get reads: one entity by its key, or None; an item that is not the entity is an error."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright.errors import UnknownItem, UsageError
from tests.access import shop
from tests.access.reads.orders import put_raw
from tests.access.shop import Customer, Status, order


def test_get_returns_the_entity_or_none(db: Any, ada: Customer) -> None:
    assert db.run(shop.CustomerById(customer_id="ada")) == ada
    assert db.run(shop.CustomerById(customer_id="bob")) is None


def test_values_of_every_type_round_trip(db: Any) -> None:
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


def test_get_raises_an_item_of_another_type(db: Any) -> None:
    item = {"PK": {"S": "CUSTOMER#x"}, "SK": {"S": "PROFILE"}, "customerId": {"S": "x"}, "email": {"S": "e"}}
    put_raw(db, shop.main, item)
    with pytest.raises(UnknownItem, match="has no type; expected 'CUSTOMER'") as caught:
        db.run(shop.CustomerById(customer_id="x"))
    assert caught.value.item == item
    assert caught.value.key == {"PK": {"S": "CUSTOMER#x"}, "SK": {"S": "PROFILE"}}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"customerId": {"S": "eve"}}, "a key that does not match its fields"),
        ({"name": {"L": []}}, "name: Input should be a valid string"),
        ({"address": {"M": {"zipCode": {"S": "1"}}}}, "address.street_name: Field required"),
    ],
)
def test_an_invalid_item_is_unknown_and_its_values_are_not_shown(
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
    assert found.customer_id == "x", "decoded from the key"
    assert found.unknown_attributes == {
        "customer_id": {"S": "a Python name is no stored name"},
        "colour": {"S": "red"},
    }
    db.put(found.changed(name="X"))
    assert db.run(shop.CustomerById(customer_id="x")).unknown_attributes["colour"] == {"S": "red"}


@pytest.mark.parametrize("paging", [{"limit": 1}, {"cursor": "1x"}])
def test_get_has_no_pages(db: Any, paging: dict[str, Any]) -> None:
    with pytest.raises(
        UsageError, match=f"CustomerById is a Get and has no pages; leave out {next(iter(paging))}"
    ):
        db.run(shop.CustomerById(customer_id="ada"), **paging)
