"""Held-back keys: the keys that a dry run has written, stored beside its items, as there may be millions."""

from collections import Counter
from hashlib import blake2b
from typing import Any, Literal

from tablewright.connections import Connection
from tablewright.dynamodb.values.attributes import Item

Identity = tuple[tuple[str, str], ...]
"""The attributes of a key, in a form that can be compared."""
State = Literal["stored", "new"]
"""Whether the table had an item under the key before the run."""

_TABLE = "tablewright-dry-run-keys"


class HeldBackKeys:
    """The keys of the items that were written, in a table of the database that holds the items back."""

    def __init__(self, database: Connection) -> None:
        self._database = database
        self._counts: Counter[tuple[str, State]] = Counter()
        database.call(
            "CreateTable",
            {
                "TableName": _TABLE,
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "B"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )

    def add(self, table: str, identity: Identity, state: State) -> None:
        """Add a key of a table."""
        item = _key(table, identity) | {"state": {"S": state}}
        self._database.call("PutItem", {"TableName": _TABLE, "Item": item})
        self._counts[table, state] += 1

    def find(self, table: str, identity: Identity) -> State | None:
        """Return the state of a key; None if it was not written."""
        reply: dict[str, Any] = self._database.call(
            "GetItem", {"TableName": _TABLE, "Key": _key(table, identity)}
        )
        return reply["Item"]["state"]["S"] if "Item" in reply else None

    def count(self, table: str) -> int:
        """The number of keys of a table."""
        return self._counts[table, "stored"] + self._counts[table, "new"]

    def count_new(self, table: str) -> int:
        """The number of keys that the table did not have before."""
        return self._counts[table, "new"]


def _key(table: str, identity: Identity) -> Item:
    """A digest, because the attributes of a key may be longer than one key attribute."""
    return {"id": {"B": blake2b(repr((table, identity)).encode(), digest_size=20).digest()}}
