"""Time ranges of lists. An open end always has the same value, because cursors depend on it."""

from datetime import UTC, datetime
from typing import TypedDict

from tablewright_systems.service.errors import Invalid


class TimeRange(TypedDict):
    """From start to end, both included."""

    start: datetime
    end: datetime


ALL_TIME = TimeRange(start=datetime(1970, 1, 1, tzinfo=UTC), end=datetime(9999, 12, 31, tzinfo=UTC))


def time_range(start: datetime | None, end: datetime | None) -> TimeRange:
    """Return the range; an end that is None is open. Raise `Invalid` if the range ends before it starts."""
    chosen = TimeRange(start=start or ALL_TIME["start"], end=end or ALL_TIME["end"])
    if chosen["start"] > chosen["end"]:
        raise Invalid("end is before start", "end")
    return chosen
