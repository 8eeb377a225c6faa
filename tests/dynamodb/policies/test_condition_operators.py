"""Condition operators: every operator that AWS documents exists, and values are read once."""

import pytest

from tablewright.dynamodb.policies.condition_operators import OPERATORS, number, seconds, truth
from tablewright.dynamodb.policies.policy_texts import PolicyText
from tablewright.errors import PolicyError

DOCUMENTED = """
    StringEquals StringNotEquals StringEqualsIgnoreCase StringNotEqualsIgnoreCase StringLike StringNotLike NumericEquals
    NumericNotEquals NumericLessThan NumericLessThanEquals NumericGreaterThan NumericGreaterThanEquals DateEquals
    DateNotEquals DateLessThan DateLessThanEquals DateGreaterThan DateGreaterThanEquals Bool BinaryEquals IpAddress
    NotIpAddress ArnEquals ArnLike ArnNotEquals ArnNotLike
""".split()


def test_all_documented_operators_exist() -> None:
    assert {operator.name for operator in OPERATORS.values()} == set(DOCUMENTED)


def test_negated_operators_are_those_named_not() -> None:
    assert {name for name in DOCUMENTED if "Not" in name} == {
        operator.name for operator in OPERATORS.values() if operator.is_negated
    }


@pytest.mark.parametrize("text", ["x", "NaN", "Infinity"])
def test_values_that_are_no_numbers(text: str) -> None:
    with pytest.raises(ValueError, match=text):
        number(text)


def test_dates_and_truth_values() -> None:
    assert seconds("2026-01-01T00:00:00Z") == seconds("2026-01-01") == seconds("1767225600")
    assert truth("True")
    with pytest.raises(ValueError, match="1"):
        truth("1")


def test_an_invalid_value_of_a_policy_is_named() -> None:
    with pytest.raises(PolicyError, match="'soon' is not a date"):
        OPERATORS["dateequals"].read(PolicyText.parse("soon"))
