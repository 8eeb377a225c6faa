"""Fault sessions: stale reads and lagging indexes, by the clock."""

from typing import Any

from tablewright.engine.database import Database
from tablewright.engine.faults.injector import Faults
from tablewright.engine.state.clock import Clock
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


def get(db: Database, key: str, *, consistent: bool = False) -> Any:
    request = {"TableName": "things", "Key": {"pk": {"S": key}}, "ConsistentRead": consistent}
    return db.call("GetItem", request).get("Item")


def group(db: Database, name: str = "g") -> list[str]:
    request = {
        "TableName": "things",
        "IndexName": "by-group",
        "KeyConditionExpression": "#g = :g",
        "ExpressionAttributeNames": {"#g": "group"},
        "ExpressionAttributeValues": {":g": {"S": name}},
    }
    return sorted(item["pk"]["S"] for item in db.call("Query", request)["Items"])


def test_indexes_lag_behind_their_table_by_the_clock() -> None:
    db = database(Faults(index_lag=5.0))
    put(db, "a")
    assert get(db, "a") is not None
    assert group(db) == []
    db.clock.advance(5)
    assert group(db) == ["a"]
    put(db, "a", group="other")
    put(db, "b")
    assert (group(db), group(db, "other")) == (["a"], [])
    db.clock.advance(5)
    assert (group(db), group(db, "other")) == (["b"], ["a"])


def test_stale_reads_return_earlier_data_and_consistent_reads_do_not() -> None:
    db = database(Faults(stale_reads=1.0, staleness=2.0))
    put(db, "a", v={"N": "1"})
    assert get(db, "a") is None
    assert get(db, "a", consistent=True)["v"] == {"N": "1"}
    db.clock.advance(2)
    put(db, "a", v={"N": "2"})
    assert get(db, "a")["v"] == {"N": "1"}
    assert db.call("Scan", {"TableName": "things"})["Items"][0]["v"] == {"N": "1"}
    assert db.call("Scan", {"TableName": "things", "ConsistentRead": True})["Items"][0]["v"] == {"N": "2"}
    db.clock.advance(2)
    assert get(db, "a")["v"] == {"N": "2"}
