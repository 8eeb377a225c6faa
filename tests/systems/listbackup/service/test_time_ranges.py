"""Time ranges: open ends, and ranges that end before they start."""

from datetime import UTC, datetime

import pytest

from tablewright_systems.listbackup.service.time_ranges import ALL_TIME, time_range
from tablewright_systems.service.errors import Invalid

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_open_ends_have_constant_values() -> None:
    assert time_range(None, None) == ALL_TIME
    assert time_range(NOON, None) == {"start": NOON, "end": ALL_TIME["end"]}
    assert time_range(None, NOON) == {"start": ALL_TIME["start"], "end": NOON}


def test_a_range_may_be_one_point_in_time() -> None:
    assert time_range(NOON, NOON) == {"start": NOON, "end": NOON}


def test_an_end_before_the_start_is_rejected() -> None:
    with pytest.raises(Invalid) as error:
        time_range(NOON, NOON.replace(hour=11))
    assert error.value.field == "end"
