"""Write pace: pauses that keep a rate, without credit for idle time."""

import pytest

from tablewright.engine.features.bulk.write_pace import WritePace


def test_pauses_keep_the_rate() -> None:
    now = 100.0
    pace = WritePace(1000, lambda: now)
    assert pace.pause_after(500) == 0.5
    now += 0.2
    assert pace.pause_after(500) == pytest.approx(0.8)
    now += 10
    assert pace.pause_after(500) == 0.5, "idle seconds are not saved up"


def test_no_limit_means_no_pause() -> None:
    assert WritePace(None).pause_after(1e9) == 0
