"""Comparisons: equal items have the same digest, however an endpoint writes them."""

from typing import Any

import pytest

from tablewright import Design, Table, embedded
from tablewright.access.context import Context
from tablewright.lifecycle.move.comparison import compare
from tablewright.lifecycle.move.sides import Side

things = Table("things", "id")


def compared(left: dict[str, Any] | None, right: dict[str, Any] | None) -> int:
    with embedded() as one, embedded() as other:
        for connection, item in ((one, left), (other, right)):
            connection.call("CreateTable", things.definition())
            if item is not None:
                connection.call("PutItem", {"TableName": "things", "Item": {"id": {"S": "1"}, **item}})
        design = Design("compared", tables=[things])
        source = Side("source", one, design, Context(), pause=lambda seconds: None)
        target = Side("target", other, design, Context(), pause=lambda seconds: None)
        return len(compare([things], source, target, lambda: None).differences)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"n": {"N": "1.50"}}, {"n": {"N": "1.5"}}),
        ({"s": {"SS": ["a", "b"]}}, {"s": {"SS": ["b", "a"]}}),
        (
            {"m": {"M": {"a": {"NULL": True}, "b": {"N": "1"}}}},
            {"m": {"M": {"b": {"N": "1.0"}, "a": {"NULL": True}}}},
        ),
        ({"b": {"B": b"\x00"}}, {"b": {"B": b"\x00"}}),
    ],
)
def test_equal_items_do_not_differ(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert compared(left, right) == 0


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"n": {"N": "1"}}, {"n": {"S": "1"}}),
        ({"l": {"L": [{"N": "1"}, {"N": "2"}]}}, {"l": {"L": [{"N": "2"}, {"N": "1"}]}}),
        ({"b": {"B": b"\x00"}}, {"b": {"B": b"\x01"}}),
        ({"a": {"S": ""}}, {}),
        (None, {}),
        ({}, None),
    ],
)
def test_a_difference_is_found(left: dict[str, Any] | None, right: dict[str, Any] | None) -> None:
    assert compared(left, right) == 1
