"""Parameters: invalid numbers have the messages of Java's BigDecimal."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions.partiql.binding import parameters_of
from tablewright.dynamodb.values.numbers import OVERFLOW, TOO_PRECISE, UNDERFLOW
from tablewright.errors import ValidationError

NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)


def deep(levels: int, leaf: dict[str, Any]) -> dict[str, Any]:
    """A leaf inside of so many maps."""
    for _ in range(levels):
        leaf = {"M": {"n": leaf}}
    return leaf


def error_message(*given: Any) -> str:
    """The error message for parameters."""
    with pytest.raises(ValidationError) as caught:
        parameters_of(given)
    return caught.value.message


@pytest.mark.parametrize(
    "numeral",
    ["1e99999999999", "-1e99999999999", "1e-99999999999", "1e2147483648", "1e-2147483648", "abc", "1 "],
)
def test_an_invalid_number_cannot_be_converted(numeral: str) -> None:
    assert error_message({"N": numeral}) == f"{NOT_NUMERIC}: {numeral}"
    assert error_message({"NS": ["1", numeral]}) == f"{NOT_NUMERIC}: {numeral}"
    assert error_message({"M": {"x": {"L": [{"N": "1"}, {"N": numeral}]}}}) == f"{NOT_NUMERIC}: {numeral}"


def test_an_empty_numeral_is_not_shown() -> None:
    assert error_message({"N": ""}) == NOT_NUMERIC


def test_magnitude_wraps_round_at_32_bits() -> None:
    assert error_message({"N": "1e2147483647"}) == UNDERFLOW
    assert error_message({"N": "1e2147483646"}) == OVERFLOW
    assert error_message({"N": "1e126"}) == OVERFLOW
    assert error_message({"N": "-1e-131"}) == UNDERFLOW
    assert error_message({"N": "1" * 39}) == TOO_PRECISE


def test_the_first_invalid_parameter_is_reported() -> None:
    assert error_message(deep(32, {"S": "x"}), {"N": "abc"}) == TOO_DEEP
    assert error_message({"N": "abc"}, deep(32, {"S": "x"})) == f"{NOT_NUMERIC}: abc"
    assert error_message({"M": {"d": deep(40, {"N": "abc"}), "n": {"N": "abc"}}}) == TOO_DEEP
    assert error_message({"M": {"n": {"N": "abc"}, "d": deep(40, {"N": "1e126"})}}) == f"{NOT_NUMERIC}: abc"


def test_31_containers_may_be_around_a_value() -> None:
    value = deep(31, {"N": "1"})
    assert parameters_of([value]) == [value]
