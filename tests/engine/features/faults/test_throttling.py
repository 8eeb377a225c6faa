"""Throttling: provisioned capacity and partition limits, by the clock."""

from tablewright.engine.features.faults.injector import Faults
from tablewright.errors import (
    ProvisionedThroughputExceeded,
)
from tests.engine.features.faults.faulty_table import TABLE, database, outcomes, put


def test_provisioned_capacity_runs_out_and_fills_again() -> None:
    rate = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    index = TABLE["GlobalSecondaryIndexes"][0] | {"ProvisionedThroughput": rate}
    db = database(
        Faults(provisioned=True),
        BillingMode="PROVISIONED",
        ProvisionedThroughput=rate,
        GlobalSecondaryIndexes=[index],
    )
    results = outcomes(db, lambda db, turn: put(db, str(turn)), 320)
    # Five minutes of burst at one unit a second, then nothing until the clock moves.
    assert results.count("ok") == 300
    assert set(results[300:]) == {ProvisionedThroughputExceeded.code}
    db.clock.advance(10)
    assert outcomes(db, lambda db, turn: put(db, str(turn)), 20).count("ok") == 10


def test_a_hot_partition_is_throttled_while_others_are_served() -> None:
    db = database(Faults(partitions=True))
    item = {"pk": {"S": "hot"}, "body": {"S": "x" * 100_000}}
    results = outcomes(db, lambda db, turn: db.call("PutItem", {"TableName": "things", "Item": item}), 15)
    # A write of 98 units: the eleventh takes the partition below zero.
    assert results.count("ok") == 11
    put(db, "cold")
    db.clock.advance(1)
    db.call("PutItem", {"TableName": "things", "Item": item})
