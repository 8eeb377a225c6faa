"""Updates of items: golden cases, and the attributes that they change."""

import pytest

from tablewright.dynamodb.expressions import (
    Scope,
    update,
)
from tablewright.dynamodb.expressions.nodes import (
    AddToValue,
    Arithmetic,
    Assign,
    DeleteFromSet,
    FunctionCall,
    Path,
    Reference,
    RemovePath,
)
from tablewright.dynamodb.expressions.update import parse_projection, parse_update
from tablewright.errors import ValidationError
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


A, B, V = Path(("a",)), Path(("b", 0)), Reference(":v")


def test_every_section_is_parsed() -> None:
    text = "SET a = :v REMOVE b[0] ADD a :v DELETE a :v"
    assert parse_update(text) == (Assign(A, V), RemovePath(B), AddToValue(A, V), DeleteFromSet(A, V))
    assert parse_update("set a = :v, b[0] = a") == (Assign(A, V), Assign(B, A))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a + :v", Arithmetic("+", A, V)),
        ("(a - :v)", Arithmetic("-", A, V)),
        ("if_not_exists(a, :v) + :v", Arithmetic("+", FunctionCall("if_not_exists", (A, V)), V)),
        (
            "list_append(a, if_not_exists(b[0], :v))",
            FunctionCall("list_append", (A, FunctionCall("if_not_exists", (B, V)))),
        ),
    ],
)
def test_values(text: str, value: object) -> None:
    assert parse_update(f"SET c = {text}") == (Assign(Path(("c",)), value),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SET a = :v SET b = :v", 'The "SET" section can only be used once'),
        ("SET a", "Syntax error"),
        ("ADD a b", "Syntax error"),
        ("SET a = a + :v + :v", "Syntax error"),
        ("SET a = size(b)", "not allowed to be used this way"),
        ("SET a = if_not_exists(a, list_append(a, :v))", "not allowed to be used this way"),
    ],
)
def test_invalid_updates_are_rejected(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_update(text)
    assert message in caught.value.message


def test_projections_are_lists_of_paths() -> None:
    assert parse_projection("a, b[0]") == (A, B)
    with pytest.raises(ValidationError, match="Syntax error"):
        parse_projection("a,")
