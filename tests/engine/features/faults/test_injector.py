"""Faults: each can be turned on, repeats with its seed, and never loses or invents data."""

from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.features.faults.injector import Faults
from tablewright.engine.storage import open_store
from tablewright.errors import (
    InternalFailure,
    ProvisionedThroughputExceeded,
    SerializationError,
    TransactionCanceled,
    TransactionConflict,
)
from tests.engine.features.faults.faulty_table import database, get, outcomes, put


def test_off_by_default() -> None:
    assert set(outcomes(database(), lambda db, turn: put(db, str(turn)))) == {"ok"}


@pytest.mark.parametrize(
    ("faults", "code"),
    [
        (Faults(seed=1, throttling=0.3), ProvisionedThroughputExceeded.code),
        (Faults(seed=1, conflicts=0.3), TransactionConflict.code),
        (Faults(seed=1, internal_errors=0.3), InternalFailure.code),
    ],
)
def test_faults_occur_by_their_share_and_repeat_with_the_seed(faults: Faults, code: str) -> None:
    first = outcomes(database(faults), lambda db, turn: put(db, str(turn)))
    assert set(first) == {"ok", code}
    assert 30 <= first.count(code) <= 90
    assert outcomes(database(faults), lambda db, turn: put(db, str(turn))) == first


def test_a_throttled_or_conflicting_write_has_no_effect() -> None:
    db = database(Faults(seed=3, throttling=0.2, conflicts=0.2))
    results = outcomes(db, lambda db, turn: put(db, str(turn)), 60)
    db._interception = None
    for turn, outcome in enumerate(results):
        assert (get(db, str(turn)) is not None) == (outcome == "ok")


def test_an_internal_error_may_have_taken_effect() -> None:
    db = database(Faults(seed=3, internal_errors=1.0))
    outcomes(db, lambda db, turn: put(db, str(turn)), 60)
    db._interception = None
    there = sum(get(db, str(turn)) is not None for turn in range(60))
    assert 15 <= there <= 45


def test_a_transaction_conflict_names_one_action() -> None:
    db = database(Faults(conflicts=1.0))
    puts = [
        {"Put": {"TableName": "things", "Item": {"pk": {"S": str(turn)}, "group": {"S": "g"}}}}
        for turn in range(3)
    ]
    with pytest.raises(TransactionCanceled) as caught:
        db.call("TransactWriteItems", {"TransactItems": puts})
    assert sorted(reason["Code"] for reason in caught.value.reasons) == [
        "None",
        "None",
        "TransactionConflict",
    ]


def test_unprocessed_entries_are_returned_and_succeed_when_repeated() -> None:
    db = database(Faults(seed=5, unprocessed=0.5))
    left: Any = {
        "things": [
            {"PutRequest": {"Item": {"pk": {"S": str(turn)}, "group": {"S": "g"}}}} for turn in range(25)
        ]
    }
    rounds = 0
    while left:
        rounds += 1
        try:
            left = db.call("BatchWriteItem", {"RequestItems": left})["UnprocessedItems"]
        except ProvisionedThroughputExceeded:
            continue
    assert rounds > 1
    keys: Any = {"things": {"Keys": [{"pk": {"S": str(turn)}} for turn in range(25)], "ConsistentRead": True}}
    found = []
    while keys:
        try:
            reply = db.call("BatchGetItem", {"RequestItems": keys})
        except ProvisionedThroughputExceeded:
            continue
        found += reply["Responses"].get("things", [])
        keys = reply["UnprocessedKeys"]
        assert not keys or keys["things"]["ConsistentRead"] is True
    assert sorted(int(item["pk"]["S"]) for item in found) == list(range(25))


def test_short_pages_still_reach_the_end() -> None:
    db = database(Faults(seed=5, short_pages=0.8))
    for turn in range(30):
        put(db, str(turn))
    found: list[Any] = []
    pages = 0
    start: Any = None
    while pages == 0 or start:
        reply = db.call("Scan", {"TableName": "things", **({"ExclusiveStartKey": start} if start else {})})
        found += reply["Items"]
        start = reply.get("LastEvaluatedKey")
        pages += 1
    assert len(found) == 30
    assert pages > 3


def test_invalid_shares_are_rejected() -> None:
    with pytest.raises(ValueError, match="conflicts is a share between 0 and 1"):
        Faults(conflicts=2)
    with pytest.raises(ValueError, match="index_lag is a number of seconds"):
        Faults(index_lag=-1)


@pytest.mark.parametrize("operation", ["Scan", "BatchGetItem", "TransactWriteItems", "ExecuteStatement"])
def test_an_invalid_request_has_the_same_error_as_without_faults(operation: str) -> None:
    db = Database(open_store(), faults=Faults(short_pages=1.0, unprocessed=1.0, conflicts=1.0))
    with pytest.raises(SerializationError):
        db.call(operation, "nonsense")  # type: ignore[arg-type]
    db.close()
