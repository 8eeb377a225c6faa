"""Text formats: cases, folded names, shards, and the plain text of values."""

from datetime import datetime
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.design.keys.templates import Template
from tablewright.design.keys.text_formats import Case, Shard, fold, key_text
from tablewright.errors import DesignError, KeyValueError


class Colour(Enum):
    RED = "Red"


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("EMAIL#{at:lower}", "Ada@X.org", "EMAIL#ada@x.org"),
        ("{at:upper}#", Colour.RED, "RED#"),
        ("NICK#{at:fold}", " \N{FULLWIDTH LATIN CAPITAL LETTER A}da Groß", "NICK#ada gross"),
        ("#{at:shard(8)}", "u1", "#6"),
        ("#{at:shard(100)}", 5, "#66"),
    ],
)
def test_values_are_rendered_and_parsed(template: str, value: Any, text: str) -> None:
    made = Template(template)
    assert made.render({"at": value}) == text
    assert made.parse(text) is not None


@pytest.mark.parametrize(
    ("template", "value", "words"),
    [
        ("{at}", datetime(2025, 8, 8), "has no time zone"),
        ("{at:shard(2)}", None, "at is None"),
        ("{at:lower}#", "A#", "contains '#'"),
        ("{at:fold}#", "a\N{FULLWIDTH NUMBER SIGN}", "contains '#'"),
        ("{at:fold}", " ", "is empty"),
        ("{at:lower}", "", "is empty"),
    ],
)
def test_values_that_do_not_fit_are_rejected(template: str, value: Any, words: str) -> None:
    with pytest.raises(KeyValueError, match=words):
        Template(template).render({"at": value})


def test_one_shard_is_rejected() -> None:
    with pytest.raises(DesignError, match=r"shard\(1\) has fewer than 2 shards"):
        Shard(1)


@given(value=st.one_of(st.text(min_size=1), st.integers(), st.uuids()), count=st.integers(2, 300))
def test_a_shard_is_a_number_below_the_count(value: str | int | UUID, count: int) -> None:
    text = Template(f"{{v:shard({count})}}").render({"v": value})
    assert 0 <= int(text) < count
    assert len(text) == len(str(count - 1))


def test_shards_are_evenly_distributed() -> None:
    template = Template("{v:shard(8)}")
    counts = [0] * 8
    for number in range(8000):
        counts[int(template.render({"v": f"user-{number}"}))] += 1
    assert min(counts) > 900


def test_a_case_requires_text() -> None:
    assert [Case("lower").fix("x", kind) for kind in (str, Colour, int)] == ["", "", "make x a str"]
    assert Shard(4).fix("x", int) == ""


def test_folded_names_that_read_equal_are_equal() -> None:
    assert fold(" Strasse") == fold("stra\N{LATIN SMALL LETTER SHARP S}e")
    assert fold("ada") != fold("eda")


@pytest.mark.parametrize("value", [True, 1.5, b"x", ["a"]])
def test_values_of_other_types_are_no_key_text(value: Any) -> None:
    with pytest.raises(KeyValueError, match="cannot be part of a key"):
        key_text("field", value)
