"""Literals of statements as attribute values, with the path of an error."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions.partiql.expression_grammar import ExpressionReader
from tablewright.dynamodb.expressions.partiql.literals import literal
from tablewright.errors import ValidationError


def value(text: str) -> Any:
    return literal(ExpressionReader(text).expression())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'it''s'", {"S": "it's"}),
        ("1.50e1", {"N": "15"}),
        ("true", {"BOOL": True}),
        ("null", {"NULL": True}),
        ("[1, 'a']", {"L": [{"N": "1"}, {"S": "a"}]}),
        ("{'k': {'l': []}}", {"M": {"k": {"M": {"l": {"L": []}}}}}),
        ("<<'b', 'a'>>", {"SS": ["a", "b"]}),
        ("<<10, 9>>", {"NS": ["9", "10"]}),
    ],
)
def test_values(text: str, expected: object) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<<>>", "Empty bags are not supported"),
        ("<<1, 'a'>>", "only supports either numbers or strings in bags"),
        ("<<1, 1.0>>", r"Input collection \[1, 1.0\] contains duplicates! under root"),
        ("<<'a', 'a'>>", r"Input collection \[a, a\] contains duplicates"),
        ("{'k': 1, 'k': 2}", "Duplicate keys in tuple. Key: k under root"),
        ("{k: 1}", "Tuple keys must be of type String"),
        ("{'k': [1, name]}", r"Unsupported data type: Id under key root.k\[1\] at "),
        ("`ion`", "Ion Literals are not supported: ion"),
        ("-0.0", "Negative zero decimal is not supported"),
        ("1e200", "under root"),
    ],
)
def test_errors_name_the_path(text: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        value(text)
