"""Key formats: descending order, and the parser of formats."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.design.keys.key_formats import Descending, key_shape, parse_key_format
from tablewright.design.keys.number_formats import Width
from tablewright.design.keys.templates import Template
from tablewright.design.keys.timestamps import parse_timestamp
from tablewright.errors import DesignError, KeyValueError

LATE = datetime(2025, 8, 8, 23, 30, tzinfo=timezone(timedelta(hours=-2)))
TIMES = st.datetimes(
    min_value=datetime(1, 1, 2),
    max_value=datetime(9999, 12, 30),
    timezones=st.integers(-23, 23).map(lambda hours: timezone(timedelta(hours=hours))),
)


@pytest.mark.parametrize(
    ("text", "value", "rendered", "restored"),
    [
        ("06 desc", 42, "999957", "000042"),
        ("+05 desc", -1, "90000", "-1"),
        ("08.2 desc", Decimal("12.5"), "99987.49", "00012.50"),
        ("desc", LATE, "7974-91-90T98:69:99.999Z", "2025-08-09T01:30:00.000Z"),
        ("desc", "2025-08-09T01:30:00.000Z", "7974-91-90T98:69:99.999Z", "2025-08-09T01:30:00.000Z"),
        ("desc", date(2025, 8, 8), "7974-91-91", "2025-08-08"),
        ("epoch_ms desc", LATE, "8245296999999", "2025-08-09T01:30:00.000Z"),
    ],
)
def test_values_in_descending_order_are_read_back(
    text: str, value: Any, rendered: str, restored: str
) -> None:
    for end in ("", "#", "-x"):
        template = Template(f"S#{{v:{text}}}{end}")
        assert template.render({"v": value}) == f"S#{rendered}{end}"
        assert template.parse(f"S#{rendered}{end}") == {"v": restored}


def test_a_part_of_a_time_in_descending_order_is_not_read_back() -> None:
    template = Template("{at:%Y%m desc}#{at:desc}")
    assert template.render({"at": date(2025, 8, 8)}) == "797491#7974-91-91"
    assert template.fields[0].is_part
    assert template.parse("797491#7974-91-91") == {"at": "2025-08-08"}


def test_a_field_that_occurs_twice_is_read_from_the_first() -> None:
    for text in ("{at:desc}#{at:epoch_ms}", "{at:epoch_ms}#{at}", "{at}#{at:epoch_ms desc}"):
        template = Template(text)
        assert template.parse(template.render({"at": LATE})) == {"at": "2025-08-09T01:30:00.000Z"}


@given(times=st.tuples(TIMES, TIMES))
def test_times_sort_in_reverse(times: tuple[datetime, datetime]) -> None:
    one, other = map(parse_timestamp, times)
    first, second = (Descending(None).render("at", time) for time in (one, other))
    assert (first < second, first == second) == (one > other, one == other)
    assert parse_timestamp(Descending(None).restore(first)) == one


@given(days=st.tuples(st.dates(), st.dates()))
def test_dates_sort_in_reverse(days: tuple[date, date]) -> None:
    one, other = days
    for text in ("desc", "%Y%m%d desc"):
        key_format = parse_key_format(text)
        first, second = (key_format.render("day", day) for day in days)
        assert (first < second, first == second) == (one > other, one == other)
    assert date.fromisoformat(Descending(None).restore(Descending(None).render("day", one))) == one


@given(
    values=st.tuples(
        *[st.decimals(-9999, 9999, places=2).map(lambda number: number * Decimal("1.00"))] * 2,
    )
)
def test_numbers_sort_in_reverse(values: tuple[Decimal, Decimal]) -> None:
    one, other = values
    key_format = Descending(Width(8, decimals=2, signed=True))
    first, second = (key_format.render("n", value) for value in values)
    assert (first < second, first == second) == (one > other, one == other)
    assert Decimal(key_format.restore(first)) == one


@pytest.mark.parametrize(
    ("template", "value", "words"),
    [
        ("{v:desc}", 5, "v = 5 must be a datetime or a date: its key format is desc"),
        ("{v:desc}", "ada", "v = 'ada' must be a datetime or a date"),
        ("{v:desc}", datetime(2025, 8, 8), "has no time zone"),
        ("{v:desc}", None, "v is None"),
        ("{v:02 desc}", 100, "v = 100 has too many digits"),
    ],
)
def test_values_that_do_not_fit_are_rejected(template: str, value: Any, words: str) -> None:
    with pytest.raises(KeyValueError, match=words):
        Template(template).render({"v": value})


@pytest.mark.parametrize("text", ["S#9999", "S#99995a", "S#9999577"])
def test_a_text_of_another_width_does_not_match(text: str) -> None:
    assert Template("S#{n:06 desc}").parse(text) is None


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("A#{at:%y}", 'in the key template "A#{at:%y}", the key format "%y" contains %y; use %Y, %m'),
        ("{at:title}", '"title" is no key format; use 06, 08.2, .* with desc, such as 06 desc'),
        (
            "{at:lower desc}",
            '"lower desc" is no key format: only numbers, dates and times have a descending format',
        ),
        ("{at:shard(4) desc}", "only numbers, dates and times"),
        ("{at:desc desc}", "only numbers, dates and times"),
        ("{at:06 desc desc}", "only numbers, dates and times"),
        (f"{{at:06{' desc' * 2000}}}", "only numbers, dates and times"),
        ("{at:shard(4294967297)}", r"more shards than a CRC-32 has values; use shard\(4294967296\) or less"),
        (f"{{at:shard({'9' * 5000})}}", "more shards than a CRC-32 has values"),
        ("{at:desc 06}", "is no key format"),
        ("{at:6}", '"6" is no key format; a width begins with 0: 06'),
    ],
)
def test_invalid_formats_are_rejected(template: str, words: str) -> None:
    with pytest.raises(DesignError, match=words):
        Template(template)


@pytest.mark.parametrize(
    ("text", "kind", "fix"),
    [
        ("desc", datetime, ""),
        ("desc", date, ""),
        ("desc", int, "give it a width: {x:010 desc}"),
        ("desc", Decimal, "give it a width: {x:010.2 desc}"),
        ("desc", str, "text has no descending format: write {x}, and set descending = True in the pattern"),
        ("desc", UUID, "text has no descending format: write {x}, and set descending = True in the pattern"),
        ("06 desc", int, ""),
        ("06 desc", str, "make x an int"),
        ("08.2 desc", int, "make x a Decimal, or write {x:05 desc}"),
        ("epoch desc", date, "write {x:%Y%m%d desc}, or make x a Timestamp"),
    ],
)
def test_each_format_requires_a_type(text: str, kind: Any, fix: str) -> None:
    assert parse_key_format(text).fix("x", kind) == fix


@pytest.mark.parametrize(
    "text", ["06", "+06", "08.2", "+08.2", "%Y-%m", "epoch", "fold", "shard(3)", "06 desc", "desc"]
)
def test_a_format_is_written_as_it_is_read(text: str) -> None:
    assert parse_key_format(text).text == text


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("06", "000000"),
        ("+07.2", "0000.00"),
        ("%Y-%m-%d", "0000-00-00"),
        ("fold", ""),
        ("shard(100)", "00"),
        ("04 desc", "0000"),
        ("desc", "0000-00-00"),
    ],
)
def test_the_shape_has_a_zero_for_every_digit(text: str, shape: str) -> None:
    assert key_shape(parse_key_format(text), date) == shape


def test_only_whole_values_are_parsed() -> None:
    template = Template("{user:shard(4)}#{at:%Y-%m-%d}#{email:lower}#{user}#{level:03}")
    assert template.parsed_names == ("user", "level")
    values = {"user": "u", "at": LATE, "email": "E", "level": 7}
    assert template.parse(template.render(values)) == {"user": "u", "level": "007"}
    assert template.parse("x#2025-08-09#e#u#007") is None


def test_a_timestamp_keeps_its_instant_in_any_time_zone() -> None:
    assert Descending(None).render("at", LATE) == Descending(None).render("at", LATE.astimezone(UTC))
