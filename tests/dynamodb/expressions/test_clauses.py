"""Clauses: checked for counts, distinct operands and types once their values are known."""

import pytest

from tablewright.dynamodb.expressions import Scope
from tablewright.dynamodb.expressions.clauses import bind_condition, check_clause, operands_of, operator_of
from tablewright.dynamodb.expressions.condition import parse_condition
from tablewright.dynamodb.expressions.nodes import (
    BetweenNode,
    Clause,
    ComparisonNode,
    Constant,
    FunctionCall,
    NotNode,
    Path,
    Within,
)
from tablewright.errors import ValidationError

A, B = Path(("a",)), Path(("b",))
ONE, TWO, TEXT = Constant({"N": "1"}), Constant({"N": "2"}), Constant({"S": "x"})


def test_binding_replaces_placeholders_at_every_depth() -> None:
    node = parse_condition("NOT (#n = :v AND size(b) > :v)", "FilterExpression")
    bound = bind_condition(node, Scope({"#n": "a"}, {":v": {"N": "1"}}), "FilterExpression")
    assert isinstance(bound, NotNode)
    first, second = bound.term.terms  # type: ignore[union-attr]
    assert first == ComparisonNode("=", A, ONE)
    assert second == ComparisonNode(">", FunctionCall("size", (B,)), ONE)


@pytest.mark.parametrize(
    ("clause", "operands", "operator"),
    [
        (ComparisonNode("<", A, ONE), (A, ONE), "<"),
        (BetweenNode(A, ONE, TWO), (A, ONE, TWO), "BETWEEN"),
        (Within(A, (ONE, TWO)), (A, ONE, TWO), "IN"),
        (FunctionCall("contains", (A, ONE)), (A, ONE), "contains"),
    ],
)
def test_every_kind_of_clause_has_operands_and_an_operator(
    clause: Clause, operands: tuple[object, ...], operator: str
) -> None:
    assert operands_of(clause) == operands
    assert operator_of(clause) == operator
    check_clause(clause)


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        (FunctionCall("contains", (A,)), "Incorrect number of operands .* contains, number of operands: 1"),
        (ComparisonNode("=", A, A), r"operator: =, first operand: \[a\]"),
        (ComparisonNode("<", A, Constant({"BOOL": True})), "operator or function: <, operand type: BOOL"),
        (FunctionCall("begins_with", (A, ONE)), "begins_with, operand type: N"),
        (FunctionCall("attribute_exists", (ONE,)), "requires a document path"),
        (FunctionCall("attribute_type", (A, TEXT)), "Invalid attribute type name found; type: x"),
        (BetweenNode(A, TWO, ONE), "upper bound to be greater than or equal to lower bound"),
        (BetweenNode(A, ONE, TEXT), "same data type for lower and upper bounds"),
        (ComparisonNode("=", FunctionCall("size", (ONE,)), TWO), "size, operand type: N"),
        (Within(A, (ONE,) * 101), "too many operands; number of operands: 101"),
    ],
)
def test_invalid_operands_are_rejected(clause: Clause, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        check_clause(clause)
