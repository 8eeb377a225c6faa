"""Time ranges of lists."""

from datetime import UTC, datetime

import pytest
from tablewright_systems.service import ALL_TIME, Invalid, time_range

EARLY, LATE = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)


def test_open_ends_are_all_time() -> None:
    assert time_range(None, None) == ALL_TIME
    assert time_range(EARLY, None) == {"start": EARLY, "end": ALL_TIME["end"]}


def test_range_that_ends_before_it_starts_is_invalid() -> None:
    assert time_range(EARLY, EARLY)["end"] == EARLY
    with pytest.raises(Invalid, match="end is before start"):
        time_range(LATE, EARLY)
