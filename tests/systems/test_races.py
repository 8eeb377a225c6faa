"""The test tool `race` itself: its actions overlap, or it fails."""

from collections.abc import Callable

import pytest

from tablewright import embedded
from tests.systems.races import race, repeat_until, winners

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


def test_rounds_end_when_the_outcome_is_reached() -> None:
    seen: list[int] = []
    for attempt in repeat_until(lambda: len(seen) == 3):
        seen.append(attempt)
    assert seen == [0, 1, 2]
    with pytest.raises(AssertionError, match="2 rounds"):
        list(repeat_until(lambda: False, most=2))
