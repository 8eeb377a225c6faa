"""Numbers: one canonical text, exact arithmetic, bytes that sort as the values do."""

from decimal import Context, Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tablewright.dynamodb.values.numbers import canonical, measured, minus, number_key, number_size, plus
from tablewright.errors import ValidationError
from tests.golden import arrows


def numerals() -> st.SearchStrategy[str]:
    """Every number DynamoDB can hold, written in scientific notation."""
    digits = st.integers(1, 38).flatmap(lambda n: st.integers(10 ** (n - 1), 10**n - 1))
    return st.builds(_numeral, st.sampled_from(["", "-"]), digits, st.integers(-130, 125)) | st.just("0")


def _numeral(sign: str, digits: int, magnitude: int) -> str:
    return f"{sign}{digits}e{magnitude - len(str(digits)) + 1}"


@pytest.mark.parametrize(("text", "reply"), arrows("values/numbers.txt"))
def test_canonical(text: str, reply: str) -> None:
    if reply.startswith("! "):
        with pytest.raises(ValidationError) as caught:
            canonical(text)
        assert caught.value.message == reply[2:]
    else:
        assert canonical(text) == reply


@given(numerals())
def test_canonical_keeps_the_value_and_is_stable(text: str) -> None:
    assert Decimal(canonical(text)) == Decimal(text)
    assert canonical(canonical(text)) == canonical(text)


@given(numerals(), numerals())
def test_equal_values_have_one_canonical_text(one: str, other: str) -> None:
    assert (canonical(one) == canonical(other)) == (Decimal(one) == Decimal(other))


@given(numerals(), numerals())
def test_key_bytes_sort_as_numbers(one: str, other: str) -> None:
    low, high = number_key(canonical(one)), number_key(canonical(other))
    assert (low < high) == (Decimal(one) < Decimal(other))
    assert (low == high) == (Decimal(one) == Decimal(other))


@given(st.integers(-(10**37), 10**37), st.integers(-(10**37), 10**37))
def test_arithmetic_is_exact(one: int, other: int) -> None:
    assume(len(str(abs(one + other))) <= 38)
    assert plus(canonical(str(one)), canonical(str(other))) == str(one + other)
    assert minus(canonical(str(one)), canonical(str(other))) == str(one - other)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("9e125", "9e125"),
        ("1e50", "1"),
        ("1e125", "1e-130"),
        ("99999999999999999999999999999999999999", "0.1"),
    ],
)
def test_sums_that_do_not_fit_are_rejected(left: str, right: str) -> None:
    with pytest.raises(ValidationError, match="Number overflow"):
        plus(canonical(left), canonical(right))


@given(numerals())
def test_sizes_are_between_1_and_21_bytes(text: str) -> None:
    assert 1 <= number_size(canonical(text)) <= 22


@given(numerals())
def test_a_remembered_number_is_the_canonical_number(text: str) -> None:
    assert measured(text) == (canonical(text), number_size(canonical(text)))


@given(st.from_regex(r"-?(0|[1-9][0-9]{0,17})\.[0-9]{0,17}[1-9]0{1,18}", fullmatch=True))
def test_a_number_that_ends_with_zeros_is_what_decimal_says(text: str) -> None:
    assert canonical(text) == format(Decimal(text).normalize(Context(prec=60)), "f")
