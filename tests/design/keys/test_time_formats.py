"""Time formats: parts of dates and times, and seconds since 1970."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.design.keys.templates import Template
from tablewright.design.keys.time_formats import Calendar, Epoch, natural_shape, natural_text
from tablewright.design.keys.timestamps import parse_timestamp
from tablewright.errors import DesignError, KeyValueError

LATE = datetime(2025, 8, 8, 23, 30, tzinfo=timezone(timedelta(hours=-2)))
MOON = datetime(1969, 7, 20, 20, 17, 40, tzinfo=UTC)

TIMES = st.datetimes(
    min_value=datetime(1, 1, 2),
    max_value=datetime(9999, 12, 30),
    timezones=st.integers(-23, 23).map(lambda hours: timezone(timedelta(hours=hours))),
)


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("AUDIT#{at:%Y-%m-%d}", LATE, "AUDIT#2025-08-09"),
        ("DUE#{at:%Y%m%d}", date(2025, 8, 8), "DUE#20250808"),
        ("MONTH#{at:%Y-%m}#", LATE, "MONTH#2025-08#"),
        ("{at:%Y-%m-%d}-{at:%H:%M:%S}", LATE, "2025-08-09-01:30:00"),
        ("{at:%Y}", date(33, 4, 3), "0033"),
        ("{at:%G-W%V}", date(2024, 12, 30), "2025-W01"),
        ("{at:%j}", date(2025, 2, 1), "032"),
        ("{at:epoch}#", LATE, "1754703000#"),
        ("{at:epoch_ms}#", LATE, "1754703000000#"),
        ("{at:epoch_ms}", "2025-08-09T01:30:00.000Z", "1754703000000"),
        ("{at:epoch}", datetime(1970, 1, 1, 0, 1, tzinfo=UTC), "0000000060"),
    ],
)
def test_values_are_rendered_and_parsed(template: str, value: Any, text: str) -> None:
    made = Template(template)
    assert made.render({"at": value}) == text
    assert made.parse(text) is not None


@pytest.mark.parametrize(
    ("template", "value", "words"),
    [
        ("{at:%Y}", "2025-08-08", "must be a datetime or a date"),
        ("{at:%Y}", None, "at is None"),
        ("{at:%H}", date(2025, 8, 8), "is a date, and its key format %H needs a time; give a datetime"),
        ("{at:%Y}", datetime(2025, 8, 8), "has no time zone"),
        ("{at:epoch}", datetime(2025, 8, 8), "has no time zone"),
        ("{at:epoch}", None, "at is None"),
        ("{at:epoch}", 5, "at = 5 must be a datetime: its key format is epoch"),
        ("{at:epoch}", "soon", "at = 'soon' must be a datetime"),
        (
            "{at:epoch}",
            MOON,
            "does not fit its key format epoch, which has the years 1970 to 2286 in a text key",
        ),
        ("{at:epoch_ms}", datetime(2286, 11, 21, tzinfo=UTC), r"write \{at\}, which has all years"),
    ],
)
def test_values_that_do_not_fit_are_rejected(template: str, value: Any, words: str) -> None:
    with pytest.raises(KeyValueError, match=words):
        Template(template).render({"at": value})


@pytest.mark.parametrize(
    ("text", "wrong"), [("%y", "contains %y; use %Y, %m"), ("%Y-0", "contains the digit 0")]
)
def test_invalid_formats_are_rejected(text: str, wrong: str) -> None:
    with pytest.raises(DesignError, match=wrong):
        Calendar(text)


@given(times=st.tuples(TIMES, TIMES))
def test_calendar_parts_sort_by_time(times: tuple[datetime, datetime]) -> None:
    for text in ("%Y-%m-%d", "%Y%m%d", "%Y-%m", "%Y-%m-%dT%H", "%Y-%j", "%G-W%V"):
        one, other = (Calendar(text).render("at", time) for time in sorted(times))
        assert one <= other
        assert len(one) == len(other)


@given(times=st.tuples(TIMES, TIMES))
def test_number_keys_sort_by_time(times: tuple[datetime, datetime]) -> None:
    for key_format in (Epoch("epoch"), Epoch("epoch_ms"), Calendar("%Y%m%d"), Calendar("%Y%m%d%H%M%S")):
        one, other = (int(key_format.render_number("at", time)) for time in sorted(times))
        assert one <= other


@given(time=TIMES)
def test_a_timestamp_is_read_back_from_milliseconds(time: datetime) -> None:
    epoch = Epoch("epoch_ms")
    assert parse_timestamp(epoch.restore(epoch.render_number("at", time))) == parse_timestamp(time)


def test_a_number_that_is_no_timestamp_is_kept() -> None:
    assert Epoch("epoch_ms").restore("9" * 30) == "9" * 30


def test_formats_that_are_numbers() -> None:
    assert [Calendar(text).is_number for text in ("%Y%m%d", "%Y-%m-%d", "W%V")] == [True, False, False]


@pytest.mark.parametrize(
    ("key_format", "kind", "fix"),
    [
        (Calendar("%Y"), date, ""),
        (Calendar("%Y"), str, "make x a Timestamp or a date"),
        (Calendar("%Y%H"), date, "make x a Timestamp"),
        (Epoch("epoch"), datetime, ""),
        (Epoch("epoch"), date, "write {x:%Y%m%d}, or make x a Timestamp"),
        (Epoch("epoch"), int, "make x a Timestamp"),
    ],
)
def test_each_format_requires_a_type(key_format: Any, kind: Any, fix: str) -> None:
    assert key_format.fix("x", kind) == fix


def test_natural_shapes_are_those_of_dates_and_times() -> None:
    assert [len(natural_shape(kind)) for kind in (datetime, date, str)] == [24, 10, 0]
    assert [natural_text(kind) for kind in (date, str)] == ["%Y-%m-%d", ""]


@pytest.mark.parametrize("text", ["%G-W%V", "%Y-%m-%d-%V", "%Y-%j-%V", "%G-%V-%Y-%m", "%V", "%m-%d"])
def test_weeks_have_the_year_of_weeks(text: str) -> None:
    assert Calendar(text).text == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("%Y-W%V", r"ISO weeks \(%V\) with calendar years \(%Y\).*write %G-W%V"),
        ("%Y-%m-W%V", "the last days of a year can be in its first week"),
        ("%G-%m", "calendar months or days with the year of ISO weeks .*write %Y-%m"),
        ("%Y-%m-1", "contains the digit 1"),
    ],
)
def test_parts_of_different_calendars_are_rejected(text: str, words: str) -> None:
    with pytest.raises(DesignError, match=words):
        Calendar(text)


def test_parts_in_order() -> None:
    assert Calendar("%Y-%m-%dT%H").in_order == "%Y-%m-%dT%H"
    assert Calendar("%d/%m/%Y %M:%H").in_order == "%Y/%m/%d %H:%M"
