"""Rates per second, day and month."""

import pytest

from tablewright import fields
from tablewright.errors import DesignError


def test_rates_are_converted() -> None:
    rates = (fields.PerSecond(1), fields.PerDay(86_400), fields.PerMonth(2_628_000))
    assert [rate.per_month for rate in rates] == [2_628_000] * 3
    assert [rate.per_second for rate in rates] == [1.0] * 3


@pytest.mark.parametrize("times", [-1, float("nan")])
def test_negative_rates_are_rejected(times: float) -> None:
    with pytest.raises(DesignError, match=r"PerDay\(.*\) is not a rate; give a number of 0 or more"):
        fields.PerDay(times)
