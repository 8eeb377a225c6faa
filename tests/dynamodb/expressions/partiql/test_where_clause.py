"""WHERE clauses: conditions of statements, evaluated on items."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions import ItemCondition
from tablewright.dynamodb.expressions.partiql import Select, bind
from tablewright.errors import ValidationError

ITEM: dict[str, Any] = {"n": {"N": "5"}, "s": {"S": "abc"}, "b": {"BOOL": True}, "z": {"NULL": True}}


def holds(where: str, *parameters: dict[str, Any]) -> bool:
    statement = bind(f"SELECT * FROM t WHERE {where}", list(parameters))
    assert isinstance(statement, Select)
    assert statement.where is not None
    return ItemCondition.of(statement.where).matches(ITEM)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("n = 5 AND s <> 'x'", True),
        ("n < 5 OR NOT s = 'abc'", False),
        ("n BETWEEN 1 AND 5", True),
        ("n IN [1, 5]", True),
        ("n NOT IN [1, 5]", False),
        ("begins_with(s, 'ab')", True),
        ("size(s) > 2", True),
        ("s IS STRING", True),
        ("z IS NULL", True),
        ("x IS MISSING", True),
        ("s IS NOT MISSING", True),
        ("attribute_exists(n) = true", True),
        ("attribute_exists(n) = false", False),
        ("attribute_exists(x) = attribute_exists(y)", True),
        ("(n = 5) = b", True),
        ("(n = 6) <> b", True),
        ("(n = 5) IN [true]", True),
    ],
)
def test_conditions(where: str, expected: bool) -> None:
    assert holds(where) is expected


def test_parameters_are_values() -> None:
    assert holds("n = ? AND s = ?", {"N": "5"}, {"S": "abc"})


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("n", "must contain an expression that resolves to a boolean"),
        ("n = 1 AND s", "arguments to AND/OR must be Expressions"),
        ("NOT n", "argument to NOT must be"),
        ("n LIKE 'x'", "Unsupported operator in Condition Expression. Operator: LIKE"),
        ("nonsense(n)", "Unrecognized function: nonsense at"),
        ("n = MISSING", "MISSING must be compared using IS operator"),
        ("n IN []", "IN operator must have"),
        ("n IS BAG", "Unsupported data type for IS operator: BAG"),
        ("(n = 5) < true", "operand type: BOOL"),
    ],
)
def test_invalid_conditions_are_rejected(where: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        holds(where)
