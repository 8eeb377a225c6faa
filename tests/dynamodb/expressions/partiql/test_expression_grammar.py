"""The grammar of PartiQL's expressions: precedence, paths, literals and errors."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions.nodes import Path
from tablewright.dynamodb.expressions.partiql.expression_grammar import ExpressionReader, column_name, path_of
from tablewright.dynamodb.expressions.partiql.statement_grammar import parse
from tablewright.dynamodb.expressions.partiql.statement_nodes import (
    Access,
    CallNode,
    Collection,
    Literal,
    Name,
    OperationNode,
    ParameterNode,
    Struct,
    TypeTest,
)
from tablewright.errors import ValidationError


def shown(node: Any) -> Any:
    """A node as nested tuples, without positions."""
    match node:
        case OperationNode(operator, operands):
            return (operator, *map(shown, operands))
        case Name(text) | Literal(_, text):
            return text
        case Access(root, steps):
            return (shown(root), *[step.content and shown(step.content) for step in steps])
        case CallNode(function, arguments):
            return (function, *map(shown, arguments))
        case Collection(kind, members):
            return (kind, *map(shown, members))
        case Struct(members):
            return {shown(key): shown(value) for key, value in members}
        case TypeTest(operand, kind):
            return ("is", shown(operand), kind)
        case ParameterNode(number):
            return f"?{number}"
        case _:
            return type(node).__name__


def parsed(text: str) -> Any:
    return shown(ExpressionReader(text).expression())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1 AND b < 2 OR c", ("or", ("and", ("=", "a", "1"), ("<", "b", "2")), "c")),
        ("NOT a = 1", ("not", ("=", "a", "1"))),
        ("a + b * c", ("+", "a", ("*", "b", "c"))),
        ("a BETWEEN 1 AND 2 AND b", ("and", ("between", "a", "1", "2"), "b")),
        ("a IN [1, ?]", ("in", "a", ("List", "1", "?0"))),
        ('a.b[0]."c d"', ("a", "b", "0", "c d")),
        ("{'k': 1, 'l': << 'x' >>}", {"k": "1", "l": ("Bag", "x")}),
        ("begins_with(a, 'x')", ("begins_with", "a", "x")),
        ("a IS NULL", ("is", "a", "null")),
        ("-5", "-5"),
        ("(a)", "a"),
    ],
)
def test_expressions(text: str, expected: Any) -> None:
    assert parsed(text) == expected


@pytest.mark.parametrize("text", ["a +", "(a", "[1", "{'a' 1}", "a.", "f(", "", "a IS"])
def test_incomplete_expressions_are_rejected(text: str) -> None:
    with pytest.raises(ValidationError, match="Statement wasn't well formed"):
        ExpressionReader(text).expression()


@pytest.mark.parametrize(
    "opening", ["(", "[", "{'a':", "<<", "a[", "size(", "f(1, ", "NOT ", "- ", "1 IN (", "a IS char("]
)
def test_deep_nesting_is_rejected_before_the_stack_ends(opening: str) -> None:
    with pytest.raises(ValidationError):
        parse(opening * 900)


@pytest.mark.parametrize("opening", ["SELECT * FROM ", "SELECT ", "EXISTS(SELECT ", "FROM ", "VALUES ("])
def test_deeply_nested_statements_are_rejected_before_the_stack_ends(opening: str) -> None:
    with pytest.raises(ValidationError):
        parse(opening * 900)


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
