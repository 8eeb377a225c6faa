"""Conditions on nested fields and sizes, in writes and in filters, on every backend."""

from typing import Any

import pytest

from tablewright import Query, Scan, errors, fields
from tests.access.shop import Address, Customer, Order, Status

customer: Any = Customer
order: Any = Order


class CustomersAt(Scan[Customer]):
    """Filtered by a condition in Python."""

    code: str
    filter = fields.of(fields.present(Customer.address).zip_code).begins_with(fields.parameter("code"))


class OrdersTagged(Query[Order]):
    """Filtered by a condition with values and a parameter."""

    customer_id: str
    least: int
    key = "PK = CUSTOMER#{customer_id} AND begins_with(SK, ORDER#)"
    filter = (fields.of(Order.tags).size() >= fields.parameter("least")) & (Order.status == Status.OPEN)


class OrdersPaid(Query[Order]):
    """Filtered by text with a value."""

    customer_id: str
    key = "PK = CUSTOMER#{customer_id} AND begins_with(SK, ORDER#)"
    filter = "status = 'paid' AND total < 1.5"


ADA = Customer(customer_id="ada", email="a@x", address=Address(street_name="High", zipCode="101"))


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (customer.address.zip_code == "101", True),
        (customer.address.street_name == "101", False),
        (customer.address.zip_code.size() == 3, True),
        (customer.address.zip_code.size() > customer.email.size(), False),
        (customer.address.size().between(2, 3) & customer.name.exists(), True),
        (customer.address.is_absent(), False),
        (customer.email == customer.address.zip_code, False),
        (customer.address == Address(street_name="High", zipCode="101"), True),
        (customer.address == {"street_name": "High", "zip_code": "101"}, True),
        (customer.address != {"street_name": "High", "zip_code": "101"}, False),
        (customer.address.one_of({"street_name": "High", "zip_code": "101"}), True),
    ],
)
def test_nested_conditions_of_writes(db: Any, condition: Any, holds: bool) -> None:
    db.create(ADA)
    if holds:
        assert db.update(ADA, set={"name": "Ada"}, when=condition).name == "Ada"
        return
    with pytest.raises(errors.ConditionNotMet, match="does not meet the condition Customer"):
        db.update(ADA, set={"name": "Ada"}, when=condition)


def test_filters(db: Any) -> None:
    db.put(ADA)
    db.put(Customer(customer_id="bob", email="b@x", address=Address(street_name="Low", zipCode="202")))
    db.put(Customer(customer_id="eve", email="e@x"))
    assert [found.customer_id for found in db.all(CustomersAt(code="1"))] == ["ada"]
    for order_id, tags, status in (
        ("1", {"a", "b"}, Status.OPEN),
        ("2", {"a"}, Status.OPEN),
        ("3", {"a", "b"}, Status.PAID),
        ("4", set(), Status.OPEN),
    ):
        db.put(Order(customer_id="ada", order_id=order_id, tags=frozenset(tags), status=status))
    assert [found.order_id for found in db.all(OrdersTagged(customer_id="ada", least=2))] == ["1"]
    assert [found.order_id for found in db.all(OrdersPaid(customer_id="ada"))] == ["3"]


def test_a_condition_on_another_entity_writes_nothing(db: Any) -> None:
    db.create(ADA)
    with pytest.raises(
        errors.InvalidWrite, match=r"uses Order\.customer_id, but the items are Customer; write"
    ):
        db.update(ADA, set={"name": "x"}, when=order.customer_id == "ada")


class Unnamed(Query[Customer]):
    """Filtered by absence."""

    customer_id: str
    filter = "attribute_not_exists(address)"


def test_null_of_another_program_is_absent(db: Any) -> None:
    """Entities are read with None, so conditions and filters see no value either."""
    db.create(Customer(customer_id="ada", email="a@x"))
    found = db.context.table_name(Customer.layout.table)
    key = {"PK": {"S": "CUSTOMER#ada"}, "SK": {"S": "PROFILE"}}
    change = {
        "UpdateExpression": "SET address = :null",
        "ExpressionAttributeValues": {":null": {"NULL": True}},
    }
    db.connection.call("UpdateItem", {"TableName": found, "Key": key, **change})
    (unnamed,) = db.all(Unnamed(customer_id="ada"))
    assert unnamed.address is None
    with pytest.raises(errors.ConditionNotMet):
        db.update(ADA, set={"name": "x"}, when=customer.address.exists())
    assert db.update(ADA, set={"name": "x"}, when=customer.address.is_absent()).name == "x"
