"""Conditions built from the attributes of an entity."""

from typing import Any

import pytest

from tablewright.design.fields.conditions import (
    Between,
    Both,
    Comparison,
    Condition,
    FieldPath,
    Function,
    Hidden,
    Not,
    OneOf,
)
from tablewright.design.fields.entity_attributes import Attribute

age: Attribute[Any] = Attribute("age")
token: Attribute[Any] = Attribute("token", secret=True)
AGE, TOKEN = FieldPath(None, ("age",)), FieldPath(None, ("token",), secret=True)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (age == 1, Comparison("=", AGE, 1)),
        (age != 1, Comparison("<>", AGE, 1)),
        (age < 1, Comparison("<", AGE, 1)),
        (age <= 1, Comparison("<=", AGE, 1)),
        (age > 1, Comparison(">", AGE, 1)),
        (age >= 1, Comparison(">=", AGE, 1)),
        (age.between(1, 2), Between(AGE, 1, 2)),
        (age.one_of(1, 2), OneOf(AGE, (1, 2))),
        (age.exists(), Function("attribute_exists", AGE)),
        (age.is_absent(), Function("attribute_not_exists", AGE)),
        (age.begins_with("x"), Function("begins_with", AGE, "x")),
        (age.contains("x"), Function("contains", AGE, "x")),
        (~age.exists(), Not(Function("attribute_exists", AGE))),
    ],
)
def test_operators_make_conditions(condition: Condition, expected: Condition) -> None:
    assert condition == expected


def test_conditions_are_combined() -> None:
    one, other = age > 1, age.exists()
    assert (one & other) == Both("AND", one, other)
    assert (one | other) == Both("OR", one, other)


def test_and_or_cannot_be_used_by_mistake() -> None:
    with pytest.raises(TypeError, match=r"combine conditions with & and \|, not with `and`"):
        bool(age > 1 and age < 3)


@pytest.mark.parametrize(
    "use",
    [
        lambda: (age > 1) & True,
        lambda: False | (age > 1),
        lambda: True & (age > 1),
        lambda: (age > 1) | False,
    ],
)
def test_conditions_are_combined_with_conditions_only(use: Any) -> None:
    with pytest.raises(TypeError, match="which is not a condition; compare a field of the class"):
        use()


def test_values_of_secrets_are_masked() -> None:
    for condition in (
        token == "abc",
        token.one_of("abc"),
        token.between("abc", "abd"),
        token.contains("abc"),
    ):
        assert "abc" not in repr(condition)
    assert (token == "abc") == Comparison("=", TOKEN, Hidden("abc"))
    assert (token == None) == Comparison("=", TOKEN, None)  # noqa: E711 - builds a condition
