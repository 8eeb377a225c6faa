"""The grammar of PartiQL's statements: every kind, and syntax that DynamoDB does not support."""

import pytest

from tablewright.dynamodb.expressions.partiql.statement_grammar import parse
from tablewright.dynamodb.expressions.partiql.statement_nodes import (
    DeleteNode,
    InsertNode,
    RemoveNode,
    SelectNode,
    SetNode,
    UpdateNode,
)
from tablewright.errors import ValidationError


@pytest.mark.parametrize(
    ("text", "kind", "parameters"),
    [
        ("SELECT a, b FROM t WHERE a = ? ORDER BY b DESC", SelectNode, 1),
        ("INSERT INTO t VALUE {'a': ?, 'b': ?}", InsertNode, 2),
        ("UPDATE t SET a = 1 REMOVE b WHERE c = ? RETURNING ALL NEW *", UpdateNode, 1),
        ("FROM t WHERE c = 1 SET a = 1", UpdateNode, 0),
        ("DELETE FROM t WHERE a = 1", DeleteNode, 0),
        ("select * from t;", SelectNode, 0),
    ],
)
def test_statements(text: str, kind: type, parameters: int) -> None:
    node, count = parse(text)
    assert (type(node), count) == (kind, parameters)


def test_the_parts_of_an_update() -> None:
    node, _ = parse("UPDATE t SET a = 1, b = 2 REMOVE c SET d = 3 WHERE e = 4 RETURNING MODIFIED OLD *")
    assert isinstance(node, UpdateNode)
    assert [type(change) for change in node.changes] == [SetNode, SetNode, RemoveNode, SetNode]
    assert node.where is not None
    assert len(node.returning) == 1


def test_the_parts_of_a_select() -> None:
    node, _ = parse('SELECT a, m.b FROM "t"."index" WHERE a = 1 ORDER BY b DESC, c')
    assert isinstance(node, SelectNode)
    assert len(node.columns) == 2
    assert [ordering.descending for ordering in node.order] == [True, False]
    assert node.unsupported is None


@pytest.mark.parametrize("clause", ["GROUP BY a", "LIMIT 5"])
def test_unsupported_clauses_are_parsed_for_their_error(clause: str) -> None:
    node, _ = parse(f"SELECT * FROM t WHERE a = 1 {clause}")
    assert isinstance(node, SelectNode)
    assert node.unsupported is not None


@pytest.mark.parametrize(
    "text", ["", "SELECT", "SELECT * t", "INSERT INTO t", "UPDATE t", "DELETE t", "SELECT * FROM t; x"]
)
def test_incomplete_statements_are_rejected(text: str) -> None:
    with pytest.raises(ValidationError):
        parse(text)
