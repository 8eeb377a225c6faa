"""Timestamps: UTC, milliseconds, always 24 characters, so that text sorts by time.

    2025-08-08T10:00:00.000Z

Python's own `isoformat` omits zero fractions and writes `+00:00`; both break the sort order of keys.
"""

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def timestamp_text(time: datetime) -> str:
    """The text of a timestamp in keys and items.

    >>> timestamp_text(datetime(2025, 8, 8, 10, tzinfo=UTC))
    '2025-08-08T10:00:00.000Z'
    """
    utc = time if time.tzinfo is UTC else _aware(time).astimezone(UTC)
    return utc.isoformat(timespec="milliseconds")[:-6] + "Z"


def parse_timestamp(value: Any) -> Any:
    """A UTC datetime, truncated to milliseconds, from a datetime, an ISO 8601 text or seconds since 1970."""
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            value = datetime.fromtimestamp(value, UTC)
        if not isinstance(value, datetime):
            return value
        utc = value if value.tzinfo is UTC else _aware(value).astimezone(UTC)
    except (OverflowError, OSError):
        raise ValueError("a timestamp must be between the years 1 and 9999, in UTC") from None
    excess = utc.microsecond % 1000
    return utc.replace(microsecond=utc.microsecond - excess) if excess else utc


def _aware(time: datetime) -> datetime:
    if time.tzinfo is None:
        raise ValueError("a timestamp needs a time zone: use datetime.now(UTC), or replace(tzinfo=UTC)")
    return time


def _validated(value: Any) -> datetime:
    # Stored text first: a read validates each timestamp of each item.
    if type(value) is str:
        time = datetime.fromisoformat(value)
        if time.tzinfo is UTC and not time.microsecond % 1000:
            return time
    parsed = parse_timestamp(value)
    if not isinstance(parsed, datetime):
        parsed = parse_timestamp(_datetimes().validate_python(parsed))
    return parsed  # type: ignore[no-any-return]


@cache
def _datetimes() -> "TypeAdapter[datetime]":
    """Pydantic's rules for what else is a time; made at first use, as it takes milliseconds."""
    from pydantic import TypeAdapter

    return TypeAdapter(datetime)


Timestamp = Annotated[
    datetime,
    PlainValidator(_validated, json_schema_input_type=datetime),
    PlainSerializer(timestamp_text, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""A timestamp field: stored as fixed-width UTC text."""
