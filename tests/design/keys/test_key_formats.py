"""Key formats: calendar parts, cases, widths and shards."""

from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.design.keys.key_formats import key_text, natural_shape, parse_key_format
from tablewright.design.keys.templates import Template
from tablewright.errors import DesignError, KeyValueError

LATE = datetime(2025, 8, 8, 23, 30, tzinfo=timezone(timedelta(hours=-2)))


class Colour(Enum):
    RED = "Red"


RENDERED = [
    ("AUDIT#{at:%Y-%m-%d}", LATE, "AUDIT#2025-08-09"),
    ("DUE#{at:%Y%m%d}", date(2025, 8, 8), "DUE#20250808"),
    ("MONTH#{at:%Y-%m}#", LATE, "MONTH#2025-08#"),
    ("{at:%Y-%m-%d}-{at:%H:%M:%S}", LATE, "2025-08-09-01:30:00"),
    ("{at:%Y}", date(33, 4, 3), "0033"),
    ("{at:%G-W%V}", date(2024, 12, 30), "2025-W01"),
    ("{at:%j}", date(2025, 2, 1), "032"),
    ("EMAIL#{at:lower}", "Ada@X.org", "EMAIL#ada@x.org"),
    ("{at:upper}#", Colour.RED, "RED#"),
    ("NICK#{at:fold}", " \N{FULLWIDTH LATIN CAPITAL LETTER A}da Groß", "NICK#ada gross"),
    ("{at:06d}", 42, "000042"),
    ("{at:06}", "42", "000042"),
    ("#{at:shard(8)}", "u1", "#6"),
    ("#{at:shard(100)}", 5, "#66"),
]


@pytest.mark.parametrize(("template", "value", "text"), RENDERED, ids=[each[0] for each in RENDERED])
def test_values_are_rendered_and_parsed(template: str, value: Any, text: str) -> None:
    made = Template(template)
    assert made.render({"at": value}) == text
    assert made.parse(text) is not None


INVALID = [
    ("{at:%Y}", "2025-08-08", "must be a datetime or a date"),
    ("{at:%Y}", None, "at is None"),
    ("{at:%H}", date(2025, 8, 8), "is a date, and its key format %H needs a time; give a datetime"),
    ("{at:%Y}", datetime(2025, 8, 8), "has no time zone"),
    ("{at}", datetime(2025, 8, 8), "has no time zone"),
    ("{at:shard(2)}", None, "at is None"),
    ("{at:lower}#", "A#", "contains '#'"),
    ("{at:fold}#", "a\N{FULLWIDTH NUMBER SIGN}", "contains '#'"),
    ("{at:fold}", " ", "is empty"),
    ("{at:lower}", "", "is empty"),
    ("{at:02}", 100, "has more than the 2 digits that its key format 02 allows"),
    ("{at:04}", -1, "at = -1 has a sign, .* its key format 04 allows 0 to 9999: add an offset"),
    ("{at:04}", "-1", "at = -1 has a sign"),
    ("{at:04}", "+1", r"at = \+1 has a sign"),
    ("{at:02}", -100, "has a sign"),
]


@pytest.mark.parametrize(("template", "value", "words"), INVALID, ids=[each[2] for each in INVALID])
def test_values_that_do_not_fit_are_rejected(template: str, value: Any, words: str) -> None:
    with pytest.raises(KeyValueError, match=words):
        Template(template).render({"at": value})


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("A#{at:%y}", 'in the key template "A#{at:%y}", the key format "%y" contains %y; use %Y, %m'),
        ("{at:shard(1)}", r"shard\(1\) has fewer than 2 shards"),
        ("{at:title}", '"title" is no key format; use 06, %Y-%m-%d, lower, upper, fold or shard'),
        ("{at:%Y-0}", "contains the digit 0"),
    ],
)
def test_invalid_formats_are_rejected(template: str, words: str) -> None:
    with pytest.raises(DesignError, match=words):
        Template(template)


def test_only_whole_values_are_parsed() -> None:
    template = Template("{user:shard(4)}#{at:%Y-%m-%d}#{email:lower}#{user}#{level:03}")
    assert template.parsed_names == ("user", "level")
    values = {"user": "u", "at": LATE, "email": "E", "level": 7}
    assert template.parse(template.render(values)) == {"user": "u", "level": "007"}
    assert template.parse("x#2025-08-09#e#u#007") is None


@given(times=st.tuples(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC))))
def test_calendar_parts_sort_by_time(times: tuple[datetime, datetime]) -> None:
    for text in ("%Y-%m-%d", "%Y%m%d", "%Y-%m", "%Y-%m-%dT%H", "%Y-%j", "%G-W%V"):
        one, other = (Template(f"{{at:{text}}}").render({"at": time}) for time in sorted(times))
        assert one <= other
        assert len(one) == len(other)


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


@pytest.mark.parametrize(
    ("text", "kind", "required"),
    [
        ("06", int, ""),
        ("06", datetime, "an int"),
        ("%Y", date, ""),
        ("%Y", str, "a Timestamp or a date"),
        ("%Y%H", date, "a Timestamp"),
        ("lower", str, ""),
        ("lower", Colour, ""),
        ("lower", int, "a str"),
        ("shard(4)", int, ""),
    ],
)
def test_each_format_requires_a_type(text: str, kind: Any, required: str) -> None:
    assert parse_key_format(text).required_type(kind) == required


@pytest.mark.parametrize(
    ("text", "shape"), [("06", "000000"), ("%Y-%m-%d", "0000-00-00"), ("fold", ""), ("shard(100)", "00")]
)
def test_the_shape_has_a_zero_for_every_digit(text: str, shape: str) -> None:
    assert parse_key_format(text).shape == shape


@pytest.mark.parametrize("value", [True, 1.5, b"x", ["a"]])
def test_values_of_other_types_are_no_key_text(value: Any) -> None:
    with pytest.raises(KeyValueError, match="cannot be part of a key"):
        key_text("field", value)


def test_natural_shapes_are_those_of_dates_and_times() -> None:
    assert [len(natural_shape(kind)) for kind in (datetime, date, str)] == [24, 10, 0]
