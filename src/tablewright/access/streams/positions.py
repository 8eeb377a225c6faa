"""Positions: the last handled record of a consumer in each shard, kept in a table.

    consumer  "mailer"
    place     "shard/", stream ARN, shard
    table     the table of the stream
    after     the sequence number of the last handled record
    done      true when the shard is closed and read to its end

A write of a position is conditional on its old value, so that two processes cannot both move it. Failed records are
kept in the same table, under the place `failed/` and their id.
"""

from typing import Any

from tablewright.access.calls.pagination import all_items
from tablewright.access.calls.procedures import Call, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.access.streams.dispatch import Failure
from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ConditionalCheckFailed

SHARD = "shard/"
FAILED = "failed/"


@dataclass(frozen=True, slots=True)
class Position:
    """The last handled record of a shard."""

    table: str
    after: str | None = None
    done: bool = False


class Positions:
    """The positions of one consumer."""

    def __init__(self, table: str, consumer: str) -> None:
        self.table = table
        self.consumer = consumer

    def load(self) -> Procedure[dict[str, Position]]:
        """Load all positions, by their places."""
        items = yield from self._items(SHARD)
        return {
            item["place"]["S"]: Position(
                item["table"]["S"], item.get("after", {}).get("S"), item["done"]["BOOL"]
            )
            for item in items
        }

    def failed(self) -> Procedure[list[Item]]:
        """Return the stored failures."""
        return (yield from self._items(FAILED))

    def move(self, place: str, old: Position, new: Position) -> Procedure[bool]:
        """Move a position; return False when another process has moved it."""
        item: Item = {**self._key(place), "table": {"S": new.table}, "done": {"BOOL": new.done}}
        if new.after is not None:
            item["after"] = {"S": new.after}
        request: dict[str, Any] = {"TableName": self.table, "Item": item}
        request["ExpressionAttributeNames"] = {"#after": "after"}
        if old.after is None:
            request["ConditionExpression"] = "attribute_not_exists(#after)"
        else:
            request["ConditionExpression"] = "#after = :old"
            request["ExpressionAttributeValues"] = {":old": {"S": old.after}}
        try:
            yield from with_retries(Call("PutItem", request))
        except ConditionalCheckFailed:
            return False
        return True

    def forget(self, place: str) -> Procedure[None]:
        """Delete the position of a shard that no longer exists."""
        yield from with_retries(Call("DeleteItem", {"TableName": self.table, "Key": self._key(place)}))

    def keep_failed(self, failure: Failure) -> Procedure[None]:
        """Store a failed record: the key of its item and the type of the error."""
        item = {
            **self._key(f"{FAILED}{failure.id}/{failure.listener}"),
            "table": {"S": failure.table},
            "key": {"M": failure.key},
            "error": {"S": type(failure.error).__name__},
        }
        yield from with_retries(Call("PutItem", {"TableName": self.table, "Item": item}))

    def _items(self, prefix: str) -> Procedure[list[Item]]:
        request: dict[str, Any] = {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": "consumer = :consumer AND begins_with(place, :prefix)",
            "ExpressionAttributeValues": {":consumer": {"S": self.consumer}, ":prefix": {"S": prefix}},
        }
        return (yield from all_items("Query", request))

    def _key(self, place: str) -> Item:
        return {"consumer": {"S": self.consumer}, "place": {"S": place}}
