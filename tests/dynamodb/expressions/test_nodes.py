"""Nodes: printable, comparable, and what they say about types and paths."""

import pytest

from tablewright.dynamodb.expressions.nodes import (
    Arithmetic,
    Constant,
    FunctionCall,
    Operand,
    Path,
    Reference,
    Slot,
    known_type,
    paths_in,
)

A, B = Path(("a",)), Path(("b", 0))


def test_a_path_is_printed_as_aws_prints_it() -> None:
    assert str(Path(("a", "b", 3))) == "[a, b, [3]]"
    assert Path(("a", "b")).attribute == "a"


def test_equal_paths_are_equal_with_or_without_placeholders() -> None:
    assert Path(("a",), has_placeholders=True) == Path(("a",))
    assert hash(Path(("a",), has_placeholders=True)) == hash(Path(("a",)))


@pytest.mark.parametrize(
    ("operand", "kind"),
    [
        (Constant({"N": "1"}), "N"),
        (Slot(":v", "SS"), "SS"),
        (A, None),
        (Reference(":v"), None),
        (FunctionCall("if_not_exists", (A, Constant({"N": "1"}))), None),
    ],
)
def test_only_values_of_the_request_have_a_known_type(operand: Operand, kind: str | None) -> None:
    assert known_type(operand) == kind


def test_paths_are_found_inside_functions_and_arithmetic() -> None:
    operand = Arithmetic("+", FunctionCall("if_not_exists", (B, Constant({"N": "1"}))), A)
    assert list(paths_in(operand)) == [B, A]
    assert list(paths_in(Constant({"N": "1"}))) == []
