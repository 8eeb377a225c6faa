"""SET and REMOVE: the changes of a statement, applied to items."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions.partiql import bind
from tablewright.dynamodb.expressions.partiql.statements import UpdateStatement
from tablewright.errors import ValidationError

ITEM: dict[str, Any] = {"n": {"N": "1"}, "l": {"L": [{"N": "1"}]}, "s": {"SS": ["a"]}, "m": {"M": {}}}


def changed(clauses: str, *parameters: dict[str, Any]) -> dict[str, Any]:
    statement = bind(f"UPDATE t {clauses} WHERE pk = 'x'", list(parameters))
    assert isinstance(statement, UpdateStatement)
    return statement.update.apply(ITEM)


@pytest.mark.parametrize(
    ("clauses", "attribute", "value"),
    [
        ("SET n = n + 2", "n", {"N": "3"}),
        ("SET n = n - 2", "n", {"N": "-1"}),
        ("SET m.k = 'x'", "m", {"M": {"k": {"S": "x"}}}),
        ("SET l = list_append(l, [2])", "l", {"L": [{"N": "1"}, {"N": "2"}]}),
        ("SET s = set_add(s, <<'b'>>)", "s", {"SS": ["a", "b"]}),
        ("SET added = if_not_exists(added, 5)", "added", {"N": "5"}),
        ("REMOVE l[0]", "l", {"L": []}),
        ("REMOVE n", "n", None),
        ("SET n = 1 SET added = n", "added", {"N": "1"}),
    ],
)
def test_changes(clauses: str, attribute: str, value: object) -> None:
    assert changed(clauses).get(attribute) == value


def test_parameters_are_filled_in() -> None:
    assert changed("SET n = ? SET added = ?", {"N": "7"}, {"S": "x"})["added"] == {"S": "x"}


@pytest.mark.parametrize(
    ("clauses", "message"),
    [
        ("SET n = 1 REMOVE n", "Two document paths overlap"),
        ("SET n = nonsense(n)", "function"),
        ("SET n = n = 1", "Unsupported"),
    ],
)
def test_invalid_changes_are_rejected(clauses: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        changed(clauses)
