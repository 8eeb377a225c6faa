"""A table with an index on a database that injects faults, and the calls that the tests of faults make."""

from collections.abc import Callable
from typing import Any

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.features.faults.injector import Faults
from tablewright.engine.storage import open_store
from tablewright.errors import ServiceError

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


def outcomes(db: Database, act: Callable[[Database, int], object], times: int = 200) -> list[str]:
    seen = []
    for turn in range(times):
        try:
            act(db, turn)
            seen.append("ok")
        except ServiceError as error:
            seen.append(error.code)
    return seen
