"""Bound statements: frozen values with their table, index and condition."""

from dataclasses import FrozenInstanceError

import pytest

from tablewright.dynamodb.expressions.partiql import Exists, Select, bind
from tablewright.dynamodb.expressions.partiql.statements import Delete, Insert, Ordering, Update
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
    assert [type(each) for each in statements] == [Select, Exists, Insert, Update, Delete]
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
