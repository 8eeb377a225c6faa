"""Test data for streams and expiry: a table with a stream, and a reader of all its records."""

from collections.abc import Iterator
from typing import Any, TypeAlias

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store

Item: TypeAlias = dict[str, Any]
Record: TypeAlias = dict[str, Any]

START = 1_700_000_000
HOUR = 3600.0
DAY = 24 * HOUR


def open_memory(at: float = START) -> Database:
    """A database in memory with a frozen clock."""
    return Database(open_store(), Clock(start=at))


def create_table(db: Database, view: str | None = "NEW_AND_OLD_IMAGES", name: str = "events") -> str:
    """A table with a hash and a range key and, unless `view` is None, a stream; the stream's ARN."""
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "N"},
        ],
    }
    if view is not None:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": view}
    description: dict[str, Any] = db.call("CreateTable", request)["TableDescription"]
    return str(description.get("LatestStreamArn", ""))


def item(pk: str, sk: int = 0, **numbers: float) -> Item:
    """An item with a key and some numbers."""
    return {
        "pk": {"S": pk},
        "sk": {"N": str(sk)},
        **{name: {"N": str(value)} for name, value in numbers.items()},
    }


def put(db: Database, content: Item, table: str = "events") -> None:
    db.call("PutItem", {"TableName": table, "Item": content})


def delete(db: Database, pk: str, sk: int = 0, table: str = "events") -> None:
    db.call("DeleteItem", {"TableName": table, "Key": item(pk, sk)})


def get(db: Database, pk: str, sk: int = 0, table: str = "events") -> Item | None:
    return db.call("GetItem", {"TableName": table, "Key": item(pk, sk)}).get("Item")


def shard_id(db: Database, arn: str) -> str:
    shards = db.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    return str(shards[0]["ShardId"])


def iterator(db: Database, arn: str, kind: str = "TRIM_HORIZON", **more: Any) -> str:
    request = {"StreamArn": arn, "ShardId": shard_id(db, arn), "ShardIteratorType": kind, **more}
    return str(db.call("GetShardIterator", request)["ShardIterator"])


def read_pages(db: Database, start: str, limit: int = 1000) -> Iterator[list[Record]]:
    """Page after page, until one is empty or says that it is the last."""
    position: str | None = start
    while position is not None:
        page = db.call("GetRecords", {"ShardIterator": position, "Limit": limit})
        if page["Records"]:
            yield page["Records"]
        position = page.get("NextShardIterator") if page["Records"] else None


def read_all(db: Database, arn: str) -> list[Record]:
    """Every record that can be read."""
    return [record for page in read_pages(db, iterator(db, arn)) for record in page]


def close_stream(db: Database, table: str = "events") -> None:
    """Disable a table's stream."""
    db.call("UpdateTable", {"TableName": table, "StreamSpecification": {"StreamEnabled": False}})
