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
    BetweenNode,
    ComparisonNode,
    Constant,
    FunctionCall,
    NotNode,
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
        (ComparisonNode("=", N, number("5")), True),
        (ComparisonNode("<>", N, number("5")), False),
        (ComparisonNode("<", N, number("10")), True),
        (ComparisonNode(">=", number("5"), N), True),
        (ComparisonNode("<", S, number("10")), False),
        (ComparisonNode("=", Path(("missing",)), number("5")), False),
        (ComparisonNode("<>", Path(("missing",)), number("5")), True),
        (ComparisonNode("<", Path(("missing",)), number("5")), False),
        (BetweenNode(N, number("5"), number("6")), True),
        (BetweenNode(N, number("6"), number("7")), False),
        (Within(N, (number("4"), number("5"))), True),
        (Within(Path(("missing",)), (number("4"),)), False),
        (And((ComparisonNode("=", N, number("5")), ComparisonNode("=", S, number("5")))), False),
        (Or((ComparisonNode("=", N, number("5")), ComparisonNode("=", S, number("5")))), True),
        (NotNode(ComparisonNode("=", N, number("5"))), False),
        (FunctionCall("attribute_exists", (Path(("list", 0, "k")),)), True),
        (FunctionCall("attribute_not_exists", (Path(("list", 1)),)), True),
        (FunctionCall("attribute_type", (N, Constant({"S": "N"}))), True),
        (FunctionCall("begins_with", (S, Constant({"S": "ab"}))), True),
        (FunctionCall("contains", (Path(("set",)), Constant({"S": "a"}))), True),
        (ComparisonNode("=", FunctionCall("size", (Path(("set",)),)), number("2")), True),
        (ComparisonNode("=", FunctionCall("size", (N,)), number("1")), False),
    ],
)
def test_conditions(node: Any, expected: bool) -> None:
    assert predicate(node)(ITEM) is expected


def test_operands_are_read_from_the_item_or_the_request() -> None:
    assert getter(Path(("list", 0, "k")))({})(ITEM) == {"N": "1"}
    assert getter(number("7"))({})(ITEM) == {"N": "7"}
    assert getter(FunctionCall("size", (S,)))({})(ITEM) == {"N": "3"}
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
