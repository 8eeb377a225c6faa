"""Projections: golden cases, and the attributes that they select."""

from tablewright.dynamodb.expressions import Scope, projection
from tests.dynamodb.expressions.plain import plain_item
from tests.dynamodb.expressions.scripts import Scene, play


def test_projections(update_golden: bool) -> None:
    play("projections.txt", _projection, update=update_golden)


def _projection(text: str, scene: Scene) -> str:
    return plain_item(projection(text, scene.scope()).of(scene.item))


NAMES = {"#n": "n"}


def test_a_projection_names_its_attributes() -> None:
    chosen = projection("a.b, #n, a.c[1]", Scope(NAMES))
    assert chosen.attributes == ("a", "n")
    assert chosen.nested_attributes == {"a"}
