"""Random requests of all data operations, on the table of `tables`: right ones and wrong ones."""

import random
from collections.abc import Callable
from typing import Any

NAMES = ("Title", "B", "BS", "null", "type", "überall")
TEXTS = ("", "null", ":null,", '"B"', "é✓😀", "a\nb\t\\", "plain")


def random_value(source: random.Random, depth: int = 0) -> dict[str, Any]:
    """An attribute value."""
    kinds = ["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS"] + ["L", "M"] * (depth < 3)
    kind = source.choice(kinds)
    contents: dict[str, Callable[[], Any]] = {
        "S": lambda: source.choice(TEXTS),
        "N": lambda: str(source.randrange(-9, 9)),
        "B": lambda: source.choice([bytes, bytearray])(source.randbytes(source.randrange(1, 9))),
        "BOOL": lambda: source.random() < 0.5,
        "NULL": lambda: True,
        "SS": lambda: source.sample(["a", "b", "null"], 2),
        "NS": lambda: ["1", "2.5"],
        "BS": lambda: [b"\x00", b"\xff\x00"],
        "L": lambda: [random_value(source, depth + 1) for _ in range(source.randrange(3))],
        "M": lambda: random_attributes(source, depth + 1),
    }
    return {kind: contents[kind]()}


def random_attributes(source: random.Random, depth: int = 0) -> dict[str, Any]:
    """Some attributes."""
    return {name: random_value(source, depth) for name in source.sample(NAMES, source.randrange(4))}


def random_key(source: random.Random) -> dict[str, Any]:
    """One of few keys, so that requests meet."""
    return {"Artist": {"S": source.choice("ab")}, "Song": {"S": source.choice("xyz")}}


def random_request(source: random.Random) -> tuple[str, dict[str, Any]]:
    """An operation and its request; one in ten has a mistake."""
    key, item = random_key(source), {**random_attributes(source), **random_key(source)}
    table = {"TableName": "Music", "ReturnConsumedCapacity": source.choice(["NONE", "TOTAL", "INDEXES"])}
    condition: dict[str, Any] = source.choice(
        [
            {},
            {
                "ConditionExpression": "attribute_not_exists(Artist)",
                "ReturnValuesOnConditionCheckFailure": source.choice(["NONE", "ALL_OLD"]),
            },
        ]
    )
    update: dict[str, Any] = {
        "UpdateExpression": "SET Title = :new ADD Plays :one",
        "ExpressionAttributeValues": {":new": random_value(source), ":one": {"N": "1"}},
    }
    query: dict[str, Any] = {
        "KeyConditionExpression": "Artist = :artist",
        "ExpressionAttributeValues": {":artist": key["Artist"]},
    }
    statement: dict[str, Any] = {
        "Statement": 'SELECT * FROM "Music" WHERE Artist = ?',
        "Parameters": [key["Artist"]],
    }
    insert: dict[str, Any] = {"Statement": "INSERT INTO \"Music\" VALUE {'Artist': ?, 'Song': ?, 'Title': ?}"}
    insert |= {"Parameters": [*key.values(), random_value(source)]}
    capacity = {"ReturnConsumedCapacity": table["ReturnConsumedCapacity"]}
    named = {"TableName": "Music"}
    requests: list[tuple[str, dict[str, Any]]] = [
        ("PutItem", {**table, "Item": item, "ReturnValues": "ALL_OLD", **condition}),
        ("GetItem", {**table, "Key": key, "ConsistentRead": source.random() < 0.5}),
        ("UpdateItem", {**table, "Key": key, **update, "ReturnValues": "ALL_NEW"}),
        ("DeleteItem", {**table, "Key": key, **condition, "ReturnItemCollectionMetrics": "SIZE"}),
        ("Query", {**table, **query, "Limit": source.randrange(1, 4)}),
        ("Scan", {**table, "Segment": 0, "TotalSegments": source.randrange(1, 3)}),
        (
            "BatchGetItem",
            {"RequestItems": {"Music": {"Keys": [key], "ConsistentRead": True}}, **capacity},
        ),
        ("BatchWriteItem", {"RequestItems": {"Music": [{"PutRequest": {"Item": item}}]}, **capacity}),
        ("TransactGetItems", {"TransactItems": [{"Get": {**named, "Key": key}}], **capacity}),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": {**named, "Item": item, **condition}}], **capacity},
        ),
        ("ExecuteStatement", {**source.choice([statement, insert]), **capacity}),
        ("BatchExecuteStatement", {"Statements": [source.choice([statement, insert])], **capacity}),
        ("ExecuteTransaction", {"TransactStatements": [insert], **capacity}),
    ]
    operation, request = source.choice(requests)
    return operation, _mistaken(source, request) if source.random() < 0.1 else request


def _mistaken(source: random.Random, request: dict[str, Any]) -> dict[str, Any]:
    mistakes: list[dict[str, Any]] = [
        {"Unknown": 1},
        {"TableName": "Absent"},
        {"TableName": 5},
        {"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/Absent"},
        {"Item": {"Artist": {"S": b"bytes"}}},
        {"Item": {"Artist": {"X": "unknown"}}},
        {"Item": {"Artist": {"S": 5}}},
        {"Item": {}},
        {"Key": {"Artist": {"S": "a"}}},
        {"Key": None},
        {"Limit": "many"},
        {"ReturnConsumedCapacity": "SOME"},
        {"ConditionExpression": "nonsense("},
        {"TransactItems": [{"Put": {"TableName": "Music", "Unknown": 1}}]},
        {"RequestItems": {"Music": []}},
        {"ExpressionAttributeValues": {":artist": {"B": "text"}}},
    ]
    return {**request, **source.choice(mistakes)}
