"""Shards: the parts of a table's streams, in the order in which they must be read.

A stream that was disabled and enabled again is a new stream; the records of the old one are read first. When DynamoDB
splits a shard, its children are read after it.
"""

from typing import Any

from tablewright.access.calls.procedures import Call, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.access.streams.positions import SHARD, Position
from tablewright.deferred_dataclasses import dataclass
from tablewright.errors import TrimmedDataAccess


@dataclass(frozen=True, slots=True)
class Shard:
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


def shards_of(table: str) -> Procedure[list[Shard]]:
    """Return the shards of all streams of a table, oldest first."""
    streams = yield from _paged("ListStreams", {"TableName": table}, "Streams", "StreamArn")
    found = []
    for stream in sorted(streams, key=lambda stream: str(stream["StreamLabel"])):
        found += yield from _shards(stream["StreamArn"])
    return found


def iterator_at(shard: Shard, position: Position) -> Procedure[tuple[str, bool]]:
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


def _shards(stream: str) -> Procedure[list[Shard]]:
    request: dict[str, Any] = {"StreamArn": stream}
    found: list[Shard] = []
    while True:
        reply = yield from with_retries(Call("DescribeStream", request))
        description = reply["StreamDescription"]
        found += [_shard(stream, each) for each in description["Shards"]]
        if not description.get("LastEvaluatedShardId"):
            return sorted(found, key=lambda shard: shard.id)  # ids begin with the creation time
        request["ExclusiveStartShardId"] = description["LastEvaluatedShardId"]


def _shard(stream: str, described: dict[str, Any]) -> Shard:
    closed = "EndingSequenceNumber" in described["SequenceNumberRange"]
    return Shard(stream, described["ShardId"], described.get("ParentShardId"), closed)


def _paged(
    operation: str, request: dict[str, Any], member: str, name: str
) -> Procedure[list[dict[str, Any]]]:
    found: list[dict[str, Any]] = []
    start: dict[str, Any] = {}
    while True:
        reply = yield from with_retries(Call(operation, request | start))
        found += reply[member]
        if not reply.get(f"LastEvaluated{name}"):
            return found
        start = {f"ExclusiveStart{name}": reply[f"LastEvaluated{name}"]}
