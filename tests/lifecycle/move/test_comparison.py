"""Comparisons: equal items have the same digest, however an endpoint writes them."""

from typing import Any

import pytest

from tablewright import Design, Table, embedded
from tablewright.access.context import Context
from tablewright.lifecycle.move.comparison import compare
from tablewright.lifecycle.move.sides import MoveSide

NOW = 1_800_000_000


PLAIN = Table("things", "id")


def compared(left: dict[str, Any] | None, right: dict[str, Any] | None, things: Table = PLAIN) -> int:
    with embedded() as one, embedded() as other:
        for connection, item in ((one, left), (other, right)):
            connection.call("CreateTable", things.definition())
            if item is not None:
                connection.call("PutItem", {"TableName": "things", "Item": {"id": {"S": "1"}, **item}})
        design = Design("compared", tables=[things])
        context = Context(lambda: NOW)
        source = MoveSide("source", one, design, context, pause=lambda seconds: None)
        target = MoveSide("target", other, design, context, pause=lambda seconds: None)
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


@pytest.mark.parametrize("is_at_source", [True, False])
def test_an_expired_item_may_be_deleted_on_one_side(is_at_source: bool) -> None:
    """Each store deletes expired items at a time of its own: AWS within days, others within seconds."""
    expiring = Table("things", "id", ttl="until")

    def differences(expiry: int) -> int:
        item = {"until": {"N": str(expiry)}}
        return compared(item, None, expiring) if is_at_source else compared(None, item, expiring)

    assert differences(NOW - 1) == 0
    assert differences(NOW + 60) == 1
    assert compared({"until": {"N": str(NOW - 1)}, "n": {"N": "1"}}, {"until": {"N": "1"}}, expiring) == 1
