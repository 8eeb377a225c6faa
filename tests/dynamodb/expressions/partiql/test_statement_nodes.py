"""Nodes of statements: their names in AWS's messages."""

import pytest

from tablewright.dynamodb.expressions.partiql.expression_grammar import ExpressionReader
from tablewright.dynamodb.expressions.partiql.statement_grammar import parse
from tablewright.dynamodb.expressions.partiql.statement_nodes import kind_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a", "Id"),
        ("'a'", "Lit"),
        ("`a`", "Lit"),
        ("[a]", "List"),
        ("<<a>>", "Bag"),
        ("{'a': 1}", "Struct"),
        ("a.b", "Path"),
        ("a IS NULL", "IsType"),
        ("a <= b", "Lte"),
        ("a IN [1]", "InCollection"),
        ("a AND b", "And"),
        ("MISSING", "Missing"),
    ],
)
def test_names_of_expressions(text: str, name: str) -> None:
    assert kind_name(ExpressionReader(text).expression()) == name


def test_names_of_statements() -> None:
    assert kind_name(parse("SELECT * FROM t")[0]) == "Select"
    assert kind_name(parse("DELETE FROM t")[0]) == "Delete"


def test_long_chains_are_flat() -> None:
    node = ExpressionReader(" AND ".join(["a"] * 500)).expression()
    assert len(node.operands) == 500  # type: ignore[union-attr]
