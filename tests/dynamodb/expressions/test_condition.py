"""Conditions on items: golden cases, and the attributes that they read."""

from tablewright.dynamodb.expressions import Scope, condition
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
