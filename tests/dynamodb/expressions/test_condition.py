"""Conditions on items: golden cases, and the attributes that they read."""

import pytest

from tablewright.dynamodb.expressions import Scope, condition
from tablewright.dynamodb.expressions.condition import conjunction, disjunction, parse_condition
from tablewright.dynamodb.expressions.nodes import (
    And,
    BetweenNode,
    ComparisonNode,
    FunctionCall,
    NotNode,
    Or,
    Path,
    Reference,
    Within,
)
from tablewright.errors import ValidationError
from tests.dynamodb.expressions.scripts import Scene, play


def test_conditions(update_golden: bool) -> None:
    play("conditions.txt", _condition, update=update_golden)


def test_conditions_rejected(update_golden: bool) -> None:
    play("conditions_refused.txt", _condition, update=update_golden)


def _condition(text: str, scene: Scene) -> str:
    return str(condition(text, scene.scope()).matches(scene.item)).lower()


VALUES = {":v": {"N": "1"}, ":s": {"SS": ["a"]}}


NAMES = {"#n": "n"}


def test_a_condition_names_its_attributes_in_order() -> None:
    parsed = condition(
        "b.x = :v OR NOT (size(a) > :v AND contains(c[0], #n)) AND b IN (d, :v)", Scope(NAMES, VALUES)
    )
    assert parsed.attributes == ("b", "a", "c", "n", "d")
    assert parsed.nested_attributes == {"b", "c"}


def test_an_item_that_does_not_exist_has_no_attributes() -> None:
    assert condition("attribute_not_exists(a)", Scope()).matches(None)
    assert not condition("attribute_exists(a)", Scope()).matches(None)


A, B, C = (ComparisonNode("=", Path((name,)), Reference(":v")) for name in "abc")


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("a = :v OR b = :v AND c = :v", Or((A, And((B, C))))),
        ("(a = :v OR b = :v) AND c = :v", And((Or((A, B)), C))),
        ("a = :v AND (b = :v AND c = :v)", And((A, B, C))),
        ("NOT a = :v AND b = :v", And((NotNode(A), B))),
        ("NOT NOT NOT a = :v", NotNode(A)),
        ("NOT NOT a = :v", NotNode(NotNode(A))),
        ("a between :v and :w", BetweenNode(Path(("a",)), Reference(":v"), Reference(":w"))),
        ("a IN (:v, :w)", Within(Path(("a",)), (Reference(":v"), Reference(":w")))),
        ("contains(a.b[0], :v)", FunctionCall("contains", (Path(("a", "b", 0)), Reference(":v")))),
    ],
)
def test_conditions_are_parsed(text: str, node: object) -> None:
    assert parse_condition(text, "FilterExpression") == node


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The expression can not be empty"),
        ("a =", 'Syntax error; token: "<EOF>"'),
        ("a = :v b", 'Syntax error; token: "b"'),
        ("((a = :v))", "The expression has redundant parentheses"),
        ("status = :v", "Attribute name is a reserved keyword; reserved keyword: status"),
        ("f(a)", "Invalid function name; function: f"),
        ("size(a)", "function"),
        ("a = attribute_exists(b)", "The function is not allowed to be used this way"),
    ],
)
def test_faults_are_reported(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_condition(text, "FilterExpression")
    assert message in caught.value.message


def test_terms_of_the_same_connective_are_flattened() -> None:
    assert conjunction([A]) is A
    assert conjunction([And((A, B)), C]) == And((A, B, C))
    assert disjunction([A, Or((B, C))]) == Or((A, B, C))
    assert disjunction([A, And((B, C))]) == Or((A, And((B, C))))
