"""Evaluation: conditions as functions of an item, with missing attributes and other types."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions.evaluation import (
    begins_with,
    contains,
    getter,
    predicate,
    size_of,
    value_at,
)
from tablewright.dynamodb.expressions.nodes import (
    And,
    Between,
    Call,
    Comparison,
    Constant,
    Not,
    Or,
    Path,
    Within,
)

N, S = Path(("n",)), Path(("s",))
ITEM: dict[str, Any] = {
    "n": {"N": "5"},
    "s": {"S": "abc"},
    "set": {"SS": ["a", "b"]},
    "list": {"L": [{"M": {"k": {"N": "1"}}}]},
}


def number(text: str) -> Constant:
    return Constant({"N": text})


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (Comparison("=", N, number("5")), True),
        (Comparison("<>", N, number("5")), False),
        (Comparison("<", N, number("10")), True),
        (Comparison(">=", number("5"), N), True),
        (Comparison("<", S, number("10")), False),
        (Comparison("=", Path(("missing",)), number("5")), False),
        (Comparison("<>", Path(("missing",)), number("5")), True),
        (Comparison("<", Path(("missing",)), number("5")), False),
        (Between(N, number("5"), number("6")), True),
        (Between(N, number("6"), number("7")), False),
        (Within(N, (number("4"), number("5"))), True),
        (Within(Path(("missing",)), (number("4"),)), False),
        (And((Comparison("=", N, number("5")), Comparison("=", S, number("5")))), False),
        (Or((Comparison("=", N, number("5")), Comparison("=", S, number("5")))), True),
        (Not(Comparison("=", N, number("5"))), False),
        (Call("attribute_exists", (Path(("list", 0, "k")),)), True),
        (Call("attribute_not_exists", (Path(("list", 1)),)), True),
        (Call("attribute_type", (N, Constant({"S": "N"}))), True),
        (Call("begins_with", (S, Constant({"S": "ab"}))), True),
        (Call("contains", (Path(("set",)), Constant({"S": "a"}))), True),
        (Comparison("=", Call("size", (Path(("set",)),)), number("2")), True),
        (Comparison("=", Call("size", (N,)), number("1")), False),
    ],
)
def test_conditions(node: Any, expected: bool) -> None:
    assert predicate(node)(ITEM) is expected


def test_operands_are_read_from_the_item_or_the_request() -> None:
    assert getter(Path(("list", 0, "k")))({})(ITEM) == {"N": "1"}
    assert getter(number("7"))({})(ITEM) == {"N": "7"}
    assert getter(Call("size", (S,)))({})(ITEM) == {"N": "3"}
    assert value_at(ITEM, ("s", "k")) is None
    assert value_at(ITEM, ("list", 5)) is None


def test_functions_need_fitting_types() -> None:
    assert size_of({"B": "YWJj"}) == 3
    assert size_of({"BOOL": True}) is None
    assert not begins_with({"S": "abc"}, {"B": "YWJj"})
    assert begins_with({"B": "YWJj"}, {"B": "YWI="})
    assert not contains({"N": "12"}, {"N": "1"})
    assert contains({"L": [{"N": "1"}]}, {"N": "1"})
    assert not contains({"SS": ["a"]}, {"N": "1"})
