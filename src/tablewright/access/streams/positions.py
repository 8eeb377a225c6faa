"""Positions: how far a consumer has come in each shard, kept in a table.

    consumer  "mailer"
    place     "shard/", stream ARN, shard
    table     whose stream it is
    after     the sequence number of the last record that was handled
    done      true when the shard is closed and was read to its end

A position never moves by two hands at once: whoever moves it says where it was. Records that were given up are kept in
the same table, under the place `failed/` and their id.
"""

from dataclasses import dataclass
from typing import Any

from tablewright.access.calls.procedures import Call, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.access.streams.dispatch import Failure
from tablewright.design.designs import Design
from tablewright.design.tables.tables import Table
from tablewright.errors import ConditionalCheckFailed
from tablewright.values.attributes import Item

SHARD = "shard/"
FAILED = "failed/"


@dataclass(frozen=True, slots=True)
class Position:
    """How far a shard was read."""

    table: str
    after: str | None = None
    done: bool = False


def position_table(design: Design) -> Table:
    """The table that keeps a design's positions; in every environment, when the other tables are."""
    varies = any("{" in table.name for table in design.tables)
    name = f"{design.name}-{{env}}-positions" if varies else f"{design.name}-positions"
    return Table(name, key=("consumer", "place"))


class Positions:
    """The positions of one consumer."""

    def __init__(self, table: str, consumer: str) -> None:
        self.table = table
        self.consumer = consumer

    def load(self) -> Procedure[dict[str, Position]]:
        """All of them, by their places."""
        items = yield from self._items(SHARD)
        return {
            item["place"]["S"]: Position(
                item["table"]["S"], item.get("after", {}).get("S"), item["done"]["BOOL"]
            )
            for item in items
        }

    def failed(self) -> Procedure[list[Item]]:
        """The notes about records that were given up."""
        return (yield from self._items(FAILED))

    def move(self, place: str, old: Position, new: Position) -> Procedure[bool]:
        """Move one; False when somebody else has moved it."""
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
        """Drop one, of a shard that is no more."""
        yield from with_retries(Call("DeleteItem", {"TableName": self.table, "Key": self._key(place)}))

    def keep_failed(self, failure: Failure) -> Procedure[None]:
        """Note a record that was given up: which item it was about, and what kind of error it met."""
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
        items: list[Item] = []
        while True:
            reply = yield from with_retries(Call("Query", request))
            items += reply["Items"]
            if "LastEvaluatedKey" not in reply:
                return items
            request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]

    def _key(self, place: str) -> Item:
        return {"consumer": {"S": self.consumer}, "place": {"S": place}}
