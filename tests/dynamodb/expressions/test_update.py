"""Updates of items: golden cases, and the attributes that they change."""

import pytest

from tablewright.dynamodb.expressions import (
    Scope,
    update,
)
from tests.dynamodb.expressions.plain import plain_item
from tests.dynamodb.expressions.scripts import Scene, play


def test_updates(update_golden: bool) -> None:
    play("updates.txt", _update, update=update_golden)


def test_updates_rejected(update_golden: bool) -> None:
    play("updates_refused.txt", _update, update=update_golden)


def test_attributes_that_updates_change(update_golden: bool) -> None:
    play("updates_touched.txt", _touched, update=update_golden)


def _update(text: str, scene: Scene) -> str:
    return plain_item(update(text, scene.scope()).apply(scene.item))


def _touched(text: str, scene: Scene) -> str:
    change = update(text, scene.scope())
    return f"{plain_item(change.touched(scene.item))} then {plain_item(change.touched(change.apply(scene.item)))}"


VALUES = {":v": {"N": "1"}, ":s": {"SS": ["a"]}}


NAMES = {"#n": "n"}


def test_an_update_names_what_it_changes() -> None:
    change = update("SET a.b = c[0] + :v, d = :v REMOVE #n, a.c ADD e :v", Scope(NAMES, VALUES))
    assert change.actions.attributes == ("a", "d", "n", "e")
    assert change.actions.nested_attributes == {"a", "c"}
    assert [str(path) for path in change.actions.paths] == ["[a, b]", "[d]", "[n]", "[a, c]", "[e]"]


@pytest.mark.parametrize(
    ("text", "only_removes"),
    [
        ("REMOVE a", True),
        ("REMOVE a, b.c", True),
        ("DELETE a :s", True),
        ("REMOVE a DELETE b :s", True),
        ("REMOVE a SET b = :v", False),
        ("ADD a :v", False),
        ("SET a = if_not_exists(a, :v)", False),
    ],
)
def test_an_update_that_only_removes_creates_nothing(text: str, only_removes: bool) -> None:
    assert update(text, Scope(None, VALUES)).actions.only_remove is only_removes
