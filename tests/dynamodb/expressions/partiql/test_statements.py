"""Bound statements: frozen values with their table, index and condition."""

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from tablewright.dynamodb.expressions.partiql import Exists, Select, bind
from tablewright.dynamodb.expressions.partiql.statements import (
    Columns,
    DeleteStatement,
    Insert,
    Ordering,
    UpdateStatement,
)
from tablewright.errors import ValidationError


def test_every_kind_of_statement_names_its_table() -> None:
    where = "WHERE a = 1"
    statements = [
        bind(f'SELECT * FROM t."by-a" {where} ORDER BY a DESC'),
        bind(f"EXISTS(SELECT * FROM t {where})"),
        bind("INSERT INTO t VALUE {'a': 1}"),
        bind(f"UPDATE t SET b = 1 {where}"),
        bind(f"DELETE FROM t {where}"),
    ]
    assert [type(each) for each in statements] == [Select, Exists, Insert, UpdateStatement, DeleteStatement]
    assert {each.table for each in statements} == {"t"}
    select = statements[0]
    assert isinstance(select, Select)
    assert (select.index, select.order) == ("by-a", (Ordering("a", descending=True),))


def test_columns_are_checked_only_when_the_projection_is_needed() -> None:
    statement = bind("SELECT a, a FROM t")
    assert isinstance(statement, Select)
    with pytest.raises(ValidationError, match="Duplicate identifiers"):
        statement.projection()


def test_statements_cannot_be_changed() -> None:
    statement = bind("DELETE FROM t WHERE a = 1")
    with pytest.raises(FrozenInstanceError):
        statement.table = "other"  # type: ignore[misc]


ITEM: dict[str, Any] = {"a": {"N": "1"}, "m": {"M": {"k": {"L": [{"S": "x"}]}}}}


def columns(text: str) -> Columns | None:
    statement = bind(f"SELECT {text} FROM t")
    assert isinstance(statement, Select)
    return statement.projection()


def test_each_column_has_the_last_name_of_its_path() -> None:
    selected = columns("a, m.k, m.k[0], absent")
    assert selected is not None
    assert selected.of(ITEM) == {"a": {"N": "1"}, "k": {"L": [{"S": "x"}]}, "k[0]": {"S": "x"}}
    assert selected.attributes == ("a", "m", "absent")


def test_a_star_selects_everything() -> None:
    assert columns("*") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a, m.a", "Duplicate identifiers in select clause: a"),
        ("a, 5", "Unexpected path component at 1:11:1"),
    ],
)
def test_columns_are_paths_with_distinct_names(text: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        columns(text)
