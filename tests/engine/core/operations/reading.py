"""Tables for the tests of Query and Scan."""

from typing import Any

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store


def attributes(**types: str) -> list[dict[str, str]]:
    """`AttributeDefinitions`: attributes(pk="S")."""
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


def key(hashes: str, ranges: str = "") -> list[dict[str, str]]:
    """`KeySchema`: key("pk", "sk"), several attributes separated by spaces."""
    return [{"AttributeName": name, "KeyType": "HASH"} for name in hashes.split()] + [
        {"AttributeName": name, "KeyType": "RANGE"} for name in ranges.split()
    ]


def index(name: str, keys: list[dict[str, str]], *included: str, projection: str = "ALL") -> dict[str, Any]:
    """An index; `included` attributes make its projection INCLUDE."""
    shown: dict[str, Any] = {"ProjectionType": projection}
    if included:
        shown = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(included)}
    return {"IndexName": name, "KeySchema": keys, "Projection": shown}


PLAYERS: dict[str, Any] = {
    "TableName": "players",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": attributes(team="S", nick="S", pos="N", city="S", season="N"),
    "KeySchema": key("team", "nick"),
    "LocalSecondaryIndexes": [index("by-pos", key("team", "pos"), "note")],
    "GlobalSecondaryIndexes": [
        index("by-city", key("city", "pos"), "note"),
        index("in-city", key("city")),
        index("by-season", key("city season", "team pos")),
    ],
}
"""Range key, a local index, and global ones with a part, all, and with two attributes to a key."""

TAGS: dict[str, Any] = {
    "TableName": "tags",
    "BillingMode": "PROVISIONED",
    "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
    "AttributeDefinitions": attributes(id="N"),
    "KeySchema": key("id"),
}
"""No range key, no index."""


def opened(*tables: dict[str, Any]) -> Database:
    """A database in memory, with these tables."""
    database = Database(open_store())
    for table in tables:
        database.call("CreateTable", table)
    return database
