"""Rows of other programs: plain values become attributes."""

from typing import Any

import pytest
from tablewright_systems.registry import SYSTEMS
from tablewright_systems.verification import attribute, put_row

from tablewright import connect


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, {"NULL": True}),
        (True, {"BOOL": True}),
        (1.5, {"N": "1.5"}),
        ("", {"S": ""}),
        ([{"a": 1}], {"L": [{"M": {"a": {"N": "1"}}}]}),
    ],
)
def test_plain_values_are_stored_as_dynamodb_does(value: Any, expected: dict[str, Any]) -> None:
    assert attribute(value) == expected


def test_a_row_is_stored_as_it_is() -> None:
    boards = SYSTEMS[0].design
    with connect(boards, environment="test") as db:
        table = boards.tables[0]
        row = dict.fromkeys(table.key, "x")
        put_row(db, table, row | {"ours": False})
        found = db.connection.call("Scan", {"TableName": db.context.table_name(table)})
        assert found["Items"] == [{**{name: {"S": "x"} for name in row}, "ours": {"BOOL": False}}]
