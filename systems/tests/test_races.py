"""The test tool `race` itself: its actions overlap, or it fails."""

from collections.abc import Callable
from functools import partial

import pytest

from systems.tests.races import race, race_in_order, repeat_until, winners
from tablewright import embedded

TABLE = {
    "TableName": "counters",
    "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
KEY = {"k": {"S": "counter"}}


def test_every_action_reads_before_any_action_writes() -> None:
    with embedded() as db:
        db.call("CreateTable", TABLE)

        def increment() -> int:
            item = db.call("GetItem", {"TableName": "counters", "Key": KEY}).get("Item", {"n": {"N": "0"}})
            count = int(item["n"]["N"]) + 1
            db.call("PutItem", {"TableName": "counters", "Item": {**KEY, "n": {"N": str(count)}}})
            return count

        assert race(*[increment] * 5) == [1] * 5


def test_actions_that_do_not_overlap_are_no_race() -> None:
    actions: list[Callable[[], int]] = [lambda: 1, lambda: 2]
    with pytest.raises(AssertionError, match="not a race"):
        race(*actions)


def test_expected_errors_are_outcomes() -> None:
    with embedded() as db:
        db.call("CreateTable", TABLE)
        put = {"TableName": "counters", "Item": KEY, "ConditionExpression": "attribute_not_exists(k)"}
        outcomes = race(*[lambda: db.call("PutItem", put)] * 4)
    assert len(winners(outcomes)) == 1


def test_first_writes_follow_the_order_of_the_actions() -> None:
    written: list[int] = []
    with embedded() as db:
        db.call("CreateTable", TABLE)

        def put(number: int) -> None:
            db.call("PutItem", {"TableName": "counters", "Item": {**KEY, "n": {"N": str(number)}}})
            written.append(number)

        race_in_order(*(partial(put, number) for number in range(8)))
        last = db.call("GetItem", {"TableName": "counters", "Key": KEY})["Item"]
    assert last["n"] == {"N": "7"}
    assert sorted(written) == list(range(8))


def test_actions_meet_before_the_contested_call() -> None:
    with embedded() as db:
        db.call("CreateTable", TABLE)

        def increment(number: int) -> int:
            db.call("PutItem", {"TableName": "counters", "Item": {"k": {"S": str(number)}}})
            item = db.call("GetItem", {"TableName": "counters", "Key": KEY}).get("Item", {"n": {"N": "0"}})
            count = int(item["n"]["N"]) + 1
            db.call("PutItem", {"TableName": "counters", "Item": {**KEY, "n": {"N": str(count)}}})
            return count

        counts = race(
            *(partial(increment, number) for number in range(5)),
            is_contested=lambda operation, request: "n" in request.get("Item", {}),
        )
    assert counts == [1] * 5


def test_rounds_end_when_the_outcome_is_reached() -> None:
    seen: list[int] = []
    for attempt in repeat_until(lambda: len(seen) == 3):
        seen.append(attempt)
    assert seen == [0, 1, 2]
    with pytest.raises(AssertionError, match="2 rounds"):
        list(repeat_until(lambda: False, most=2))
