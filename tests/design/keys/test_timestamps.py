"""Timestamps: fixed-width UTC text that sorts by time."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from tablewright.design.keys.timestamps import Timestamp, parse_timestamp, timestamp_text

TIMES = st.datetimes(timezones=st.just(UTC))


class Event(BaseModel):
    at: Timestamp


@given(TIMES, TIMES)
def test_text_sorts_by_time(one: datetime, other: datetime) -> None:
    texts = [timestamp_text(parse_timestamp(time)) for time in sorted((one, other))]
    assert texts == sorted(texts)
    assert {len(text) for text in texts} == {24}


@given(TIMES)
def test_text_is_parsed_back(time: datetime) -> None:
    found = parse_timestamp(time)
    assert parse_timestamp(timestamp_text(found)) == found
    assert Event(at=found).model_dump() == {"at": timestamp_text(found)}


@pytest.mark.parametrize(
    ("given_", "text"),
    [
        ("2025-08-08T10:00:00Z", "2025-08-08T10:00:00.000Z"),
        ("2025-08-08T10:00:00.123999+02:00", "2025-08-08T08:00:00.123Z"),
        (0, "1970-01-01T00:00:00.000Z"),
        (datetime(2025, 1, 1, tzinfo=timezone(timedelta(hours=1))), "2024-12-31T23:00:00.000Z"),
    ],
)
def test_texts_seconds_and_datetimes_are_accepted(given_: Any, text: str) -> None:
    assert timestamp_text(parse_timestamp(given_)) == text


@pytest.mark.parametrize(
    "given_", ["1970-01-01T00:00:05.123999Z", 5.1234567, Decimal("5.1234567"), b"1970-01-01T00:00:05.1239Z"]
)
def test_fields_are_truncated_to_milliseconds(given_: Any) -> None:
    assert Event(at=given_).at == datetime(1970, 1, 1, 0, 0, 5, 123000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        (datetime(2025, 1, 1), "a timestamp needs a time zone"),
        ("2025-01-01T00:00:00", "a timestamp needs a time zone"),
        ("0001-01-01T00:00:00+14:00", "must be between the years 1 and 9999, in UTC"),
        (date(2025, 1, 1), "a timestamp needs a time zone"),
        (True, "Input should be a valid datetime"),
        ("soon", "Invalid isoformat"),
    ],
)
def test_other_values_are_rejected(given_: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Event(at=given_)
