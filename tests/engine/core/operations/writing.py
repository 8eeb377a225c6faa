"""Tables for the tests of the calls about items, and a database with them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.core.operations.reading import attributes, index, key

ORDERS: dict[str, Any] = {
    "TableName": "orders",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": attributes(who="S", nr="N", city="S", due="S", thumb="B"),
    "KeySchema": key("who", "nr"),
    "LocalSecondaryIndexes": [index("by-due", key("who", "due"))],
    "GlobalSecondaryIndexes": [
        index("in-city", key("city", "due"), "price"),
        index("by-thumb", key("thumb"), projection="KEYS_ONLY"),
    ],
}
"""Range key, a local index with everything, a global one with a part, a binary one with keys."""

NOTES: dict[str, Any] = {
    "TableName": "notes",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": attributes(id="S"),
    "KeySchema": key("id"),
}
"""No range key, no index."""


@contextmanager
def shop() -> Iterator[Database]:
    """A database with both tables and a frozen clock."""
    database = Database(open_store(), Clock(start=1_700_000_000))
    for table in (ORDERS, NOTES):
        database.call("CreateTable", table)
    yield database
    database.close()


def text_item(size: int, name: str = "a") -> dict[str, Any]:
    """An item of `notes` that counts so many bytes."""
    return {"id": {"S": name}, "text": {"S": "x" * (size - len("id") - len(name) - len("text"))}}
