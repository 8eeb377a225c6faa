"""Condition text: conditions on fields become DynamoDB expressions with stored names and placeholders."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright import errors
from tablewright.access.expressions.aliases import Aliases
from tablewright.access.expressions.condition_text import condition_text
from tests.access.shop import Customer, Order, Status

order: Any = Order  # a type checker sees the types of the fields, not their conditions


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
        (order.size == None, "attribute_not_exists(#0)", ["size"], []),  # noqa: E711
        (order.size != None, "attribute_exists(#0)", ["size"], []),  # noqa: E711
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
            Customer.email == "x",
            "the condition names email, which is not a field of Order; its fields are: customer_id",
        ),
        (order.tags == set(), r"Order\.tags cannot equal an empty set"),
        (order.order_id.one_of(), "takes 1 to 100 values, not 0"),
        (order.size == object(), r"Order\.size: "),
        ("size > 1", "'size > 1' is not a condition; compare a field"),
    ],
)
def test_conditions_that_cannot_be_written(condition: Any, message: str) -> None:
    with pytest.raises(errors.InvalidWrite, match=message):
        written(condition)
