"""The grammars of UpdateExpression and ProjectionExpression."""

import pytest

from tablewright.dynamodb.expressions.nodes import (
    Add,
    Arithmetic,
    Assign,
    Call,
    Delete,
    Path,
    Reference,
    Remove,
)
from tablewright.dynamodb.expressions.update_grammar import parse_projection, parse_update
from tablewright.errors import ValidationError

A, B, V = Path(("a",)), Path(("b", 0)), Reference(":v")


def test_every_section_is_parsed() -> None:
    text = "SET a = :v REMOVE b[0] ADD a :v DELETE a :v"
    assert parse_update(text) == (Assign(A, V), Remove(B), Add(A, V), Delete(A, V))
    assert parse_update("set a = :v, b[0] = a") == (Assign(A, V), Assign(B, A))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a + :v", Arithmetic("+", A, V)),
        ("(a - :v)", Arithmetic("-", A, V)),
        ("if_not_exists(a, :v) + :v", Arithmetic("+", Call("if_not_exists", (A, V)), V)),
        ("list_append(a, if_not_exists(b[0], :v))", Call("list_append", (A, Call("if_not_exists", (B, V))))),
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
