"""Number formats: digits of fixed width, with a sign, with decimals; text sorts as the numbers do."""

from datetime import datetime
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.design.keys.number_formats import Width, is_number, parse_width
from tablewright.design.keys.templates import Template
from tablewright.errors import DesignError, KeyValueError


class Level(IntEnum):
    LOW = 1


class Change(Enum):
    DOWN = -1


@pytest.mark.parametrize(
    ("text", "value", "rendered", "restored"),
    [
        ("06", 42, "000042", "000042"),
        ("06d", Level.LOW, "000001", "000001"),
        ("06", "42", "000042", "000042"),
        ("06", Decimal("4.2E+1"), "000042", "000042"),
        ("06", 42.0, "000042", "000042"),
        ("08.2", Decimal("12.5"), "00012.50", "00012.50"),
        ("08.2f", Decimal("-0"), "00000.00", "00000.00"),
        ("08.2", Decimal("12.5000"), "00012.50", "00012.50"),
        ("08.2", Decimal("1.25E+3"), "01250.00", "01250.00"),
        ("08.2", 0.1, "00000.10", "00000.10"),
        ("08.2", 7, "00007.00", "00007.00"),
        ("+05", 42, "10042", "42"),
        ("+05", -1, "09999", "-1"),
        ("+05", Change.DOWN, "09999", "-1"),
        ("+05", "-9999", "00001", "-9999"),
        ("+07.2", Decimal("-0.05"), "0999.95", "-0.05"),
        ("+07.2", Decimal("1.5"), "1001.50", "1.50"),
    ],
)
def test_numbers_are_rendered_and_restored(text: str, value: Any, rendered: str, restored: str) -> None:
    template = Template(f"A#{{n:{text}}}#")
    assert template.render({"n": value}) == f"A#{rendered}#"
    assert template.parse(f"A#{rendered}#") == {"n": restored}


@pytest.mark.parametrize(
    ("text", "value", "words"),
    [
        ("02", 100, "n = 100 has too many digits: its key format 02 allows 0 to 99"),
        (
            "04",
            -1,
            r"n = -1 is negative, and its key format 04 allows 0 to 9999: write \{n:\+05\}, which has negative",
        ),
        ("04", "-1", "n = -1 is negative"),
        ("04", "+1", r"n = '\+1' must be a number: its key format is 04"),
        ("04", "abc", "n = 'abc' must be a number"),
        ("04", True, "n = True must be a number"),
        ("04", None, "n is None"),
        ("04", float("nan"), "n = NaN is not a number that a key can contain"),
        ("04", Decimal("Infinity"), "n = Infinity is not a number"),
        ("04", Decimal("1.5"), r"n = 1.5 has more decimals than its key format 04 allows \(whole numbers\)"),
        (
            "08.2",
            Decimal("0.001"),
            r"has more decimals than its key format 08.2 allows \(2 decimals\): round it",
        ),
        ("08.2", Decimal("1E-500000"), "has more decimals"),
        ("08.2", Decimal("1E+500000"), "has too many digits: its key format 08.2 allows 0 to 99999.99"),
        ("08.2", 0.1 + 0.2, "has more decimals"),
        ("+05", 10000, "has too many digits: its key format .05 allows -9999 to 9999"),
        ("+05", -10000, "n = -10000 has too many digits"),
    ],
)
def test_numbers_that_do_not_fit_are_rejected(text: str, value: Any, words: str) -> None:
    with pytest.raises(KeyValueError, match=words):
        Template(f"{{n:{text}}}").render({"n": value})


@pytest.mark.parametrize(
    ("text", "fix"),
    [("+01", r"use \+02 or more"), ("03.2", "use 04.2 or more"), ("+04.2", r"use \+05.2 or more")],
)
def test_a_format_needs_a_digit_before_the_point(text: str, fix: str) -> None:
    with pytest.raises(DesignError, match=f"has no digit before the point; {fix}"):
        parse_width(text)


@pytest.mark.parametrize("text", ["04", "+04", "08.2"])
def test_numbers_of_thousands_of_digits_are_rejected(text: str) -> None:
    for value in (10**5000, -(10**5000), Decimal(10**5000)):
        with pytest.raises(
            KeyValueError, match=r"a number of more than 60 digits\) (has too many digits|is negative)"
        ):
            Template(f"{{n:{text}}}").render({"n": value})


def test_texts_of_no_number_format() -> None:
    assert [parse_width(text) for text in ("6", "00", "06f", "06.", "-06", "06.2d", "x")] == [None] * 7


FORMATS = [Width(6), Width(6, signed=True), Width(12, decimals=3), Width(12, decimals=3, signed=True)]


def numbers(width: Width) -> st.SearchStrategy[Decimal]:
    """All numbers of a format, in every notation: exponents, trailing zeros, minus zero."""
    limit = Decimal("9" * (width.characters - width.signed - (width.decimals + 1 if width.decimals else 0)))
    plain = st.decimals(-limit if width.signed else 0, limit, places=width.decimals)
    return st.one_of(
        plain,
        plain.map(lambda number: number.normalize()),
        plain.map(lambda number: number * Decimal("1.000")),
        st.just(Decimal("-0")),
    )


@pytest.mark.parametrize("width", FORMATS, ids=lambda width: width.text)
@given(data=st.data())
def test_text_sorts_as_numbers_do_and_is_read_back(width: Width, data: Any) -> None:
    one, other = data.draw(numbers(width)), data.draw(numbers(width))
    texts = [width.render("n", number) for number in (one, other)]
    assert (texts[0] < texts[1], texts[0] == texts[1]) == (one < other, one == other)
    assert {len(text) for text in texts} == {width.characters} == {len(width.shape)}
    assert [Decimal(width.restore(text)) for text in texts] == [one, other]


@given(value=st.floats(-99999, 99999))
def test_a_float_is_written_exactly_or_rejected(value: float) -> None:
    width = Width(20, decimals=6, signed=True)
    try:
        text = width.render("n", value)
    except KeyValueError:
        assert float(f"{value:.6f}") != value
    else:
        assert float(width.restore(text)) == value


@pytest.mark.parametrize(
    ("width", "kind", "fix"),
    [
        (Width(6), int, ""),
        (Width(6), Decimal, ""),
        (Width(6), Level, ""),
        (Width(6), datetime, "make x an int"),
        (Width(6), str, "make x an int"),
        (Width(6), bool, "make x an int"),
        (Width(6, decimals=2), str, "make x a Decimal"),
        (Width(6, decimals=2), float, ""),
        (Width(6, decimals=2), int, "make x a Decimal, or write {x:03}"),
        (Width(6), Literal[-1, 1], "write {x:+07}, which has negative numbers"),
        (Width(6), Change, "write {x:+07}, which has negative numbers"),
        (Width(6, signed=True), Change, ""),
    ],
)
def test_each_format_requires_a_type(width: Width, kind: Any, fix: str) -> None:
    assert width.fix("x", kind) == fix


def test_booleans_and_mixtures_are_no_numbers() -> None:
    mixed = Enum("mixed", {"A": 1, "B": "b"})
    found = [
        is_number(kind) for kind in (int, float, Decimal, Level, bool, mixed, str, Literal[1, "a"], list[int])
    ]
    assert found == [True, True, True, True, False, False, False, False, False]
