"""Shards: the parts of a table's streams, in the order in which they must be read.

A stream that was disabled and enabled again is a new stream; the records of the old one are read first. When DynamoDB
splits a shard, its children are read after it.

Positions: the last handled record of a consumer in each shard, kept in a table.

    consumer  "mailer"
    place     "shard/", stream ARN, shard
    table     the table of the stream
    after     the sequence number of the last handled record
    done      true when the shard is closed and read to its end

A write of a position is conditional on its old value, so that two processes cannot both move it. Failed records are
kept in the same table, under the place `failed/` and their id.
"""

from typing import Any

from tablewright.access.procedures import Call, Procedure, all_items, with_retries
from tablewright.access.streams.dispatch import Failure
from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ConditionalCheckFailed, TrimmedDataAccess

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


@dataclass(frozen=True, slots=True)
class OpenShard:
    """A part of a stream."""

    stream: str
    id: str
    parent: str | None
    closed: bool

    @property
    def place(self) -> str:
        """The place of its position."""
        return f"{SHARD}{self.stream}/{self.id}"

    @property
    def parent_place(self) -> str | None:
        """The place of its parent's position."""
        return None if self.parent is None else f"{SHARD}{self.stream}/{self.parent}"


def shards_of(table: str) -> Procedure[list[OpenShard]]:
    """Return the shards of all streams of a table, oldest first."""
    streams = yield from _paged("ListStreams", {"TableName": table}, "Streams", "StreamArn")
    shards = []
    for stream in sorted(streams, key=lambda stream: str(stream["StreamLabel"])):
        shards += yield from _shards(stream["StreamArn"])
    return shards


def iterator_at(shard: OpenShard, position: Position) -> Procedure[tuple[str, bool]]:
    """Return an iterator after a position; and whether records in between were trimmed, as they are after 24 hours."""
    request = {"StreamArn": shard.stream, "ShardId": shard.id, "ShardIteratorType": "TRIM_HORIZON"}
    if position.after is not None:
        after = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": position.after}
        try:
            reply = yield from with_retries(Call("GetShardIterator", request | after))
            return reply["ShardIterator"], False
        except TrimmedDataAccess:
            pass
    reply = yield from with_retries(Call("GetShardIterator", request))
    return reply["ShardIterator"], position.after is not None


def _shards(stream: str) -> Procedure[list[OpenShard]]:
    request: dict[str, Any] = {"StreamArn": stream}
    shards: list[OpenShard] = []
    while True:
        reply = yield from with_retries(Call("DescribeStream", request))
        description = reply["StreamDescription"]
        shards += [_shard(stream, described) for described in description["Shards"]]
        if not description.get("LastEvaluatedShardId"):
            return sorted(shards, key=lambda shard: shard.id)  # ids begin with the creation time
        request["ExclusiveStartShardId"] = description["LastEvaluatedShardId"]


def _shard(stream: str, described: dict[str, Any]) -> OpenShard:
    closed = "EndingSequenceNumber" in described["SequenceNumberRange"]
    return OpenShard(stream, described["ShardId"], described.get("ParentShardId"), closed)


def _paged(
    operation: str, request: dict[str, Any], member: str, name: str
) -> Procedure[list[dict[str, Any]]]:
    entries: list[dict[str, Any]] = []
    start: dict[str, Any] = {}
    while True:
        reply = yield from with_retries(Call(operation, request | start))
        entries += reply[member]
        if not reply.get(f"LastEvaluated{name}"):
            return entries
        start = {f"ExclusiveStart{name}": reply[f"LastEvaluated{name}"]}
