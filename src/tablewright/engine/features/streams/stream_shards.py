"""Shards and shard iterators: how the records of a stream are read.

A stream has one shard, from its first record to its last, so the whole stream is ordered. A reader that can follow
many shards can also follow one. A shard iterator is a position in the shard, valid for 15 minutes:

    arn|1|base64(stream id, sequence number, time of issue_iterator, checksum)
"""

import struct
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from zlib import crc32

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.requests.shapes import Text
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import RECORDS
from tablewright.engine.core.state.sequence_numbers import (
    last_number,
    number_of,
    numeral,
    position,
    sequence_at,
)
from tablewright.engine.features.streams.stream_records import ITERATOR_LIFE, RETENTION, Stream, stream_of
from tablewright.errors import ExpiredIterator, ResourceNotFound, TrimmedDataAccess, ValidationError

SHARD_ID = Text(shortest=28, longest=65)
_INVALID = "Invalid ShardIterator"
_BARE = struct.Struct(">Q12sQ")


@dataclass(frozen=True, slots=True)
class Shard:
    """The only shard of a stream, in its current state."""

    stream: Stream
    id: str
    began: int
    first: int
    """The lowest sequence number that can still be read; the shard began at `began`."""
    last: int | None
    """The highest sequence number, when the shard is closed."""

    def describe(self) -> dict[str, Any]:
        """As DescribeStream shows it."""
        numbers = {"StartingSequenceNumber": numeral(self.first)}
        if self.last is not None:
            numbers["EndingSequenceNumber"] = numeral(self.last)
        return {"ShardId": self.id, "SequenceNumberRange": numbers}


def shards_of(tx: Reading, stream: Stream) -> list[Shard]:
    """A stream's shards, in the order of their ids."""
    began = sequence_at(stream.created)
    shard_id = f"shardId-{int(stream.created * 1000):020d}-{crc32(stream.arn.encode()):08x}"
    last = None
    if stream.closed is not None:
        last = max(began, sequence_at(stream.closed), last_number(tx.rows, RECORDS, stream.id) or 0)
    return [Shard(stream, shard_id, began, max(began, sequence_at(tx.now() - RETENTION)), last)]


def shard_of(tx: Reading, stream: Stream, shard_id: str) -> Shard:
    """The shard of that id, or ResourceNotFoundException."""
    for shard in shards_of(tx, stream):
        if shard.id == shard_id:
            return shard
    raise ResourceNotFound("Requested resource not found: Shard does not exist")


def latest(tx: Reading, shard: Shard) -> int:
    """The position after the newest record."""
    newest = last_number(tx.rows, RECORDS, shard.stream.id)
    return shard.first if newest is None else newest + 1


def require_kept(tx: Reading, stream: Stream, number: int) -> None:
    """Reject a position when records after it have expired."""
    now = tx.now()
    horizon = sequence_at(now - RETENTION)
    if number >= horizon:
        return
    # Nothing is deleted while an iterator is valid, so the oldest record shows whether anything was lost.
    if number >= sequence_at(now - RETENTION - ITERATOR_LIFE):
        lost = tx.rows.range(RECORDS, position(stream.id, number), position(stream.id, horizon))
        if not any(True for _ in lost):
            return
    raise TrimmedDataAccess("The data you are trying to access has been trimmed")


def records_from(tx: Reading, stream: Stream, number: int) -> Iterator[tuple[int, StoredItem]]:
    """The records at and after a position, with their numbers."""
    for key, record in tx.rows.range(RECORDS, position(stream.id, number), position(stream.id + 1, 0)):
        yield number_of(key), record


def issue_iterator(tx: Reading, stream: Stream, number: int) -> str:
    """An iterator at a position, but not before the trim horizon, so that an idle reader's iterators stay valid."""
    now = tx.now()
    kept = max(number, sequence_at(now - RETENTION))
    bare = _BARE.pack(stream.id, kept.to_bytes(12, "big"), max(0, int(now * 1000)))
    return f"{stream.arn}|1|{b64encode(bare + _checksum(stream.arn, bare)).decode()}"


def parse_iterator(tx: Reading, iterator: str) -> tuple[Stream, int]:
    """The stream and the position of an iterator; raises when the iterator is invalid or too old."""
    arn, _, token = iterator.rpartition("|1|")
    try:
        content = b64decode(token, validate=True)
    except ValueError:
        raise ValidationError(_INVALID) from None
    bare = content[: _BARE.size]
    if len(bare) < _BARE.size or content[_BARE.size :] != _checksum(arn, bare):
        raise ValidationError(_INVALID)
    stream_id, number, issued = _BARE.unpack(bare)
    if tx.now() * 1000 - issued > ITERATOR_LIFE * 1000:
        raise ExpiredIterator("The provided iterator exceeds the maximum age allowed.")
    stream = stream_of(tx, arn)
    if stream.id != stream_id:
        raise ResourceNotFound(f"Requested resource not found: Stream: {arn} not found")
    return stream, int.from_bytes(number, "big")


def _checksum(arn: str, bare: bytes) -> bytes:
    """Detects a changed iterator. It needs no secret: a client that may use iterators may also request them."""
    return blake2b(arn.encode() + bare, digest_size=8).digest()
