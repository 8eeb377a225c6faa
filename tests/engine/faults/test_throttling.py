"""Throttling: provisioned capacity and partition limits, by the clock."""

from collections.abc import Callable
from typing import Any

from tablewright.engine.database import Database
from tablewright.engine.faults.injector import Faults
from tablewright.engine.state.clock import Clock
from tablewright.errors import (
    ProvisionedThroughputExceeded,
    ServiceError,
)
from tablewright.storage import open_store

START = 1_700_000_000.0


def database(faults: Faults | None = None, **table: Any) -> Database:
    opened = Database(open_store(), clock=Clock(START), faults=faults)
    opened.call("CreateTable", TABLE | table)
    return opened


TABLE: dict[str, Any] = {
    "TableName": "things",
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "group", "AttributeType": "S"},
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-group",
            "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


def put(db: Database, key: str, group: str = "g", **more: Any) -> None:
    db.call("PutItem", {"TableName": "things", "Item": {"pk": {"S": key}, "group": {"S": group}, **more}})


def group(db: Database, name: str = "g") -> list[str]:
    request = {
        "TableName": "things",
        "IndexName": "by-group",
        "KeyConditionExpression": "#g = :g",
        "ExpressionAttributeNames": {"#g": "group"},
        "ExpressionAttributeValues": {":g": {"S": name}},
    }
    return sorted(item["pk"]["S"] for item in db.call("Query", request)["Items"])


def outcomes(db: Database, act: Callable[[Database, int], object], times: int = 200) -> list[str]:
    seen = []
    for turn in range(times):
        try:
            act(db, turn)
            seen.append("ok")
        except ServiceError as error:
            seen.append(error.code)
    return seen


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
