"""Consumed capacity: the units of a reply, in each of its forms."""

from typing import Any

import pytest

from tablewright.access.calls.reply_capacity import consumed_units


@pytest.mark.parametrize(
    ("reply", "units"),
    [
        ({}, 0.0),
        ({"ConsumedCapacity": None}, 0.0),
        ({"ConsumedCapacity": {"TableName": "t", "CapacityUnits": 2.5}}, 2.5),
        ({"ConsumedCapacity": [{"CapacityUnits": 2.0}, {"TableName": "other"}, {"CapacityUnits": 1.0}]}, 3.0),
    ],
)
def test_units_of_a_reply(reply: dict[str, Any], units: float) -> None:
    assert consumed_units(reply) == units
