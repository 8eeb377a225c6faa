"""Condition text: conditions on fields become DynamoDB expressions with stored names and placeholders."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright import Entity, Keys, errors
from tablewright.access.condition_text import Aliases, condition_text
from tablewright.design.fields.entity_attributes import Attribute
from tests.access.shop import Customer, Order, Status


class Named(Entity):
    name: str


class Vip(Named, table=Customer.layout.table, type="VIP"):
    vip_id: str
    keys = Keys(primary=("VIP#{vip_id}", "VIP"))


# A type checker sees the types of the fields, not their conditions.
order: Any = Order
customer: Any = Customer
vip: Any = Vip


def written(condition: Any) -> tuple[str, list[str], list[Any]]:
    aliases = Aliases()
    text = condition_text(Order.layout, condition, aliases)
    members = aliases.members()
    names = members.get("ExpressionAttributeNames", {})
    values = members.get("ExpressionAttributeValues", {})
    return text, list(names.values()), [next(iter(value.values())) for value in values.values()]


@pytest.mark.parametrize(
    ("condition", "text", "names", "values"),
    [
        (order.status == Status.PAID, "#0 = :0", ["status"], ["paid"]),
        (order.order_id != "7", "#0 <> :0", ["orderId"], ["7"]),
        (order.total == None, "attribute_not_exists(#0)", ["total"], []),  # noqa: E711
        (order.total != None, "attribute_exists(#0)", ["total"], []),  # noqa: E711
        (
            order.size == None,  # noqa: E711
            "(attribute_not_exists(#0)) OR (attribute_type(#0, :0))",
            ["size"],
            ["NULL"],
        ),
        (order.total.between(Decimal(1), Decimal(2)), "#0 BETWEEN :0 AND :1", ["total"], ["1", "2"]),
        (order.order_id.one_of("1", "2"), "#0 IN (:0, :1)", ["orderId"], ["1", "2"]),
        (order.order_id.begins_with("1"), "begins_with(#0, :0)", ["orderId"], ["1"]),
        ((order.size > 1) & (order.size < 5), "(#0 > :0) AND (#0 < :1)", ["size"], ["1", "5"]),
        ((order.size > 1) | ~(order.size > 5), "(#0 > :0) OR (NOT (#0 > :1))", ["size"], ["1", "5"]),
        (order.order_id == order.customer_id, "#0 = #1", ["orderId", "customerId"], []),
    ],
)
def test_conditions(condition: Any, text: str, names: list[str], values: list[str]) -> None:
    assert written(condition) == (text, names, values)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (
            Attribute("email") == "x",
            "email is not a field of Order; its fields are: customer_id",
        ),
        (order.tags == set(), r"Order\.tags cannot equal an empty set"),
        (order.order_id.one_of(), "takes 1 to 100 values, not 0"),
        (order.size == object(), r"Order\.size must be compared with a number"),
        ("size > 1", "'size > 1' is not a condition; compare a field"),
    ],
)
def test_conditions_that_cannot_be_written(condition: Any, message: str) -> None:
    with pytest.raises(errors.InvalidWrite, match=message):
        written(condition)


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        (order.status == "paid", ["paid"]),
        (order.status.one_of("paid", Status.OPEN), ["paid", "open"]),
        (order.status.one_of(["paid", "open"]), ["paid", "open"]),
        (order.status.one_of((Status.PAID,)), ["paid"]),
        (order.tags.contains("new"), ["new"]),
        (order.status.begins_with("pa"), ["pa"]),
    ],
)
def test_values_are_compared_in_their_stored_form(condition: Any, values: list[Any]) -> None:
    assert written(condition)[2] == values


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (
            order.status == "payed",
            r"Order\.status must be compared with one of .*'paid'.* did you mean 'paid'",
        ),
        (order.status != 3, r"Order\.status must be compared with one of"),
        (order.status.one_of(["paid", "payed"]), "did you mean 'paid'"),
        (order.status.one_of([]), "takes 1 to 100 values, not 0"),
        (order.status.one_of(None, "paid"), r"Order\.status cannot be compared with None"),
        (order.size == "3", r"Order\.size must be compared with a number, got '3'"),
        (order.size > None, r"Order\.size cannot be compared with None, .* use is_absent\(\) or exists\(\)"),
        (order.size.between(1, "5"), "a number, got '5'"),
        (order.size.between(1, None), "None"),
        (order.size.begins_with("1"), "is a number, and begins_with needs text"),
        (order.size.contains(1), "is a number, and contains needs text, a list or a set"),
        (order.order_id.begins_with(None), "None"),
        (order.order_id.begins_with(7), "text, got 7"),
        (order.tags.contains(7), "text, got 7"),
        (order.tags > {"a"}, "is a set, which has no order"),
        (
            order.size == order.order_id,
            r"Order\.size compared with Order\.order_id is a number and never matches text",
        ),
        ((order.size > 1) & ~(order.size == "3"), "a number, got '3'"),
    ],
)
def test_values_that_the_field_never_has_are_rejected(condition: Any, message: str) -> None:
    with pytest.raises(errors.InvalidWrite, match=message):
        written(condition)


@pytest.mark.parametrize("condition", [Named.name == "Ada", Attribute("name") == "Ada", vip.name == "Ada"])
def test_inherited_fields_are_accepted(condition: Any) -> None:
    assert condition_text(Vip.layout, condition, Aliases()) == "#0 = :0"


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (
            order.customer_id == "x",
            "the condition uses Order.customer_id, but the items are Customer; write Customer.customer_id",
        ),
        (vip.name == "Ada", "the condition uses Vip.name, but the items are Customer; write Customer.name"),
        (Named.name == "Ada", "the condition uses Named.name, but the items are Customer"),
        (
            customer.name == order.order_id,
            "uses Order.order_id, but the items are Customer; did you mean customer_id",
        ),
        (~(order.status == "paid") & (customer.name == "x"), "uses Order.status"),
    ],
)
def test_fields_of_other_entities_are_rejected(condition: Any, message: str) -> None:
    with pytest.raises(errors.InvalidWrite, match=message):
        condition_text(Customer.layout, condition, Aliases())


def test_a_name_has_one_alias() -> None:
    aliases = Aliases()
    assert [aliases.name(name) for name in ("size", "#odd name", "size")] == ["#0", "#1", "#0"]
    assert aliases.members() == {"ExpressionAttributeNames": {"#0": "size", "#1": "#odd name"}}


def test_each_value_has_its_own_alias() -> None:
    aliases = Aliases()
    assert [aliases.value({"S": "x"}), aliases.value({"S": "x"}), aliases.value({"N": "1"}, ":given")] == [
        ":0",
        ":1",
        ":given",
    ]
    values = {":0": {"S": "x"}, ":1": {"S": "x"}, ":given": {"N": "1"}}
    assert aliases.members() == {"ExpressionAttributeValues": values}


def test_members_without_aliases_are_left_out() -> None:
    assert Aliases().members() == {}
