"""The tables that the requests of the limits use, and the values they are made of."""

from typing import Any

from tests.engine.limits.limit import Call, Request

PLAIN = "limits-plain"
BINARY = "limits-binary"
SORTED = "limits-sorted"
INDEXED = "limits-indexed"
LOCAL = "limits-local"
EMPTY = "limits-empty"
"""A table without items: a backup of the others would copy the megabytes of other limits."""
ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/"


def definitions(**types: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


def keys(*names: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"), strict=False)
    ]


def index(name: str, *key_names: str, projection: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "IndexName": name,
        "KeySchema": keys(*key_names),
        "Projection": projection or {"ProjectionType": "ALL"},
    }


def table(name: str, *key_names: str, types: dict[str, str] | None = None, **more: Any) -> Request:
    """A CreateTable request; keys are strings unless `types` says otherwise."""
    return {
        "TableName": name,
        "KeySchema": keys(*key_names),
        "AttributeDefinitions": definitions(**(types or dict.fromkeys(key_names, "S"))),
        "BillingMode": "PAY_PER_REQUEST",
        **more,
    }


TABLES = (
    table(PLAIN, "p"),
    table(EMPTY, "p"),
    table(BINARY, "p", types={"p": "B"}),
    table(SORTED, "p", "c"),
    table(
        INDEXED,
        "p",
        types={"p": "S", "g": "S", "h": "S"},
        GlobalSecondaryIndexes=[index("global", "g", "h")],
    ),
    table(
        LOCAL,
        "p",
        "c",
        types={"p": "S", "c": "S", "l": "S"},
        LocalSecondaryIndexes=[index("local", "p", "l", projection={"ProjectionType": "KEYS_ONLY"})],
    ),
)


def create_tables(call: Call) -> None:
    for request in TABLES:
        call("CreateTable", request)


def text(length: int) -> dict[str, str]:
    """A string of that many bytes."""
    return {"S": "x" * length}


def item_of(size: int, key: str = "k") -> Request:
    """An item of the plain table with that many bytes: names and values together."""
    return {"p": {"S": key}, "text": text(size - len("p") - len(key) - len("text"))}


def nested(levels: int) -> dict[str, Any]:
    """A value with that many levels, the innermost value included: lists and maps in turn."""
    value: dict[str, Any] = {"S": "x"}
    for level in range(levels - 1):
        value = {"L": [value]} if level % 2 else {"M": {"a": value}}
    return value
