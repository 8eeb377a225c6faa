"""The values with which an entity passes a filter."""

from typing import Any

import pytest

from tablewright.design.plans.filter_text import parse_filter
from tablewright.generate.samples.filter_demands import PRESENT, demands


@pytest.mark.parametrize(
    ("filter_", "found"),
    [
        ("status = 'open' AND points > 3", {"status": "open", "points": 4}),
        ("points < 3 OR points > 9", {"points": 2}),
        ("points <> 5", {"points": 6}),
        ("status IN ('open', 'done')", {"status": "open"}),
        ("points BETWEEN 2 AND 5", {"points": 2}),
        ("attribute_not_exists(due_at)", {"due_at": None}),
        ("attribute_exists(due_at)", {"due_at": PRESENT}),
        ("points >= {least}", {"points": 10}),
        ("points >= {other}", {"points": PRESENT}),
        ("size(tags) > 2", {"tags": PRESENT}),
        ("address.city = 'Oslo'", {"address": PRESENT}),
        ("contains(tags, {other})", {"tags": PRESENT}),
    ],
)
def test_demands_of_a_filter(filter_: str, found: dict[str, Any]) -> None:
    assert dict(demands(parse_filter(filter_), {"least": 10, "other": PRESENT})) == found
