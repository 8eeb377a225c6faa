"""Select lists: columns and their names."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions.partiql import Select, bind
from tablewright.dynamodb.expressions.partiql.select_list import Columns
from tablewright.errors import ValidationError

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
