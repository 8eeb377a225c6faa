"""Timestamps: UTC, milliseconds, always 24 characters, so that text order is time order.

    2025-08-08T10:00:00.000Z

Python's own `isoformat` drops zero fractions and writes `+00:00`; both break the order of keys.
"""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer


def timestamp_text(moment: datetime) -> str:
    """The one spelling of a moment.

    >>> timestamp_text(datetime(2025, 8, 8, 10, tzinfo=UTC))
    '2025-08-08T10:00:00.000Z'
    """
    utc = moment if moment.tzinfo is UTC else _aware(moment).astimezone(UTC)
    return utc.isoformat(timespec="milliseconds")[:-6] + "Z"


def to_moment(value: Any) -> Any:
    """A moment, cut to milliseconds, from a datetime, an ISO text or seconds since 1970."""
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            value = datetime.fromtimestamp(value, UTC)
        if not isinstance(value, datetime):
            return value
        utc = value if value.tzinfo is UTC else _aware(value).astimezone(UTC)
    except (OverflowError, OSError):
        raise ValueError("a timestamp lies within the years 1 to 9999, in UTC") from None
    beyond = utc.microsecond % 1000
    return utc.replace(microsecond=utc.microsecond - beyond) if beyond else utc


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a timestamp needs its time zone: use datetime.now(UTC), or replace(tzinfo=UTC)")
    return moment


Timestamp = Annotated[datetime, BeforeValidator(to_moment), PlainSerializer(timestamp_text, return_type=str)]
"""A moment in an entity: stored as fixed-width UTC text."""
