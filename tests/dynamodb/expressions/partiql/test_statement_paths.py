"""Document paths in statements, and their column names."""

import pytest

from tablewright.dynamodb.expressions.nodes import Path
from tablewright.dynamodb.expressions.partiql.expression_grammar import ExpressionReader
from tablewright.dynamodb.expressions.partiql.statement_paths import column_name, path_of
from tablewright.errors import ValidationError


def path(text: str) -> Path | None:
    return path_of(ExpressionReader(text).expression())


@pytest.mark.parametrize(
    ("text", "parts"),
    [("a", ("a",)), ('"a b".c', ("a b", "c")), ("a[2].b", ("a", 2, "b")), ("a['k'][0]", ("a", "k", 0))],
)
def test_paths(text: str, parts: tuple[str | int, ...]) -> None:
    assert path(text) == Path(parts)


def test_other_expressions_are_no_paths() -> None:
    assert path("5") is None
    assert path("size(a)") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a[*]", "Wildcard path component"),
        ("a.*", "Unpivot path component"),
        ("a[2147483648]", r"List index is not within the allowable range; index: \[2147483648\] at 1:3:10"),
        ("a[1.5]", "Unexpected path component at"),
        ('a.""', "Path component cannot be an empty string"),
    ],
)
def test_invalid_components_are_rejected(text: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        path(text)


def test_a_column_is_named_by_the_last_name_and_its_indexes() -> None:
    assert column_name(Path(("a",))) == "a"
    assert column_name(Path(("m", "l", 0, 1))) == "l[0][1]"
