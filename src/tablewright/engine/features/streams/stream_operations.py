"""ListStreams, DescribeStream, GetShardIterator and GetRecords: the operations that read streams.

Shards and shard iterators: how the records of a stream are read.

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
from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.shapes import Number, Shape, Text, one_of, required, structure
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import RECORDS
from tablewright.engine.core.state.sequence_numbers import (
    last_number,
    number_of,
    numeral,
    position,
    sequence_at,
)
from tablewright.engine.features.streams.stream_records import (
    ITERATOR_LIFE,
    RETENTION,
    STREAM_ARN,
    STREAMS_API,
    Stream,
    all_streams,
    label_of,
    require_arn,
    stream_of,
)
from tablewright.errors import ExpiredIterator, ResourceNotFound, TrimmedDataAccess, ValidationError

SHARD_ID = Text(shortest=28, longest=65)
_INVALID = "Invalid ShardIterator"
_BARE = struct.Struct(">Q12sQ")


@dataclass(frozen=True, slots=True)
class StreamShard:
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


def shards_of(tx: Reading, stream: Stream) -> list[StreamShard]:
    """A stream's shards, in the order of their ids."""
    began = sequence_at(stream.created)
    shard_id = f"shardId-{int(stream.created * 1000):020d}-{crc32(stream.arn.encode()):08x}"
    last = None
    if stream.closed is not None:
        last = max(began, sequence_at(stream.closed), last_number(tx.rows, RECORDS, stream.id) or 0)
    return [StreamShard(stream, shard_id, began, max(began, sequence_at(tx.now() - RETENTION)), last)]


def shard_of(tx: Reading, stream: Stream, shard_id: str) -> StreamShard:
    """The shard of that id, or ResourceNotFoundException."""
    for shard in shards_of(tx, stream):
        if shard.id == shard_id:
            return shard
    raise ResourceNotFound("Requested resource not found: Shard does not exist")


def latest(tx: Reading, shard: StreamShard) -> int:
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


_LIST_STREAMS = Shape(
    TableName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"),
    Limit=Number(least=1, most=100),
    ExclusiveStartStreamArn=STREAM_ARN,
)


@dataclass(frozen=True, slots=True)
class ListStreams:
    """Parsed ListStreams request."""

    table: str | None
    limit: int
    after: str | None


def _parse_list_streams(request: dict[str, Any]) -> ListStreams:
    """Parse the request."""
    after = request.get("ExclusiveStartStreamArn")
    if after is not None:
        require_arn(after)
    return ListStreams(request.get("TableName"), int(request.get("Limit") or 100), after)


def _run_list_streams(tx: Reading, request: ListStreams) -> Reply:
    """One page. The start stream may have been deleted: its ARN holds its position."""
    streams = [stream for stream in all_streams(tx) if request.table in (None, stream.table)]
    if request.after is not None:
        mark = label_of(request.after), request.after
        streams = [stream for stream in streams if (stream.label, stream.arn) < mark]
    page = streams[: request.limit]
    reply: Reply = {"Streams": [_show(stream) for stream in page]}
    if len(streams) > len(page):
        reply["LastEvaluatedStreamArn"] = page[-1].arn
    return reply


def _show(stream: Stream) -> dict[str, str]:
    return {"StreamArn": stream.arn, "TableName": stream.table, "StreamLabel": stream.label}


_DESCRIBE_STREAM = Shape(
    StreamArn=required(STREAM_ARN),
    Limit=Number(least=1, most=100),
    ExclusiveStartShardId=SHARD_ID,
    ShardFilter=structure("ShardFilter", Type=required(one_of("CHILD_SHARDS")), ShardId=required(SHARD_ID)),
)


@dataclass(frozen=True, slots=True)
class DescribeStream:
    """Parsed DescribeStream request."""

    arn: str
    limit: int
    after: str
    parent: str | None
    """Show only the shards that follow this one."""


def _parse_describe_stream(request: dict[str, Any]) -> DescribeStream:
    """Parse the request."""
    require_arn(request["StreamArn"])
    shard_filter = request.get("ShardFilter") or {}
    return DescribeStream(
        arn=request["StreamArn"],
        limit=int(request.get("Limit") or 100),
        after=request.get("ExclusiveStartShardId") or "",
        parent=shard_filter.get("ShardId"),
    )


def _run_describe_stream(tx: Reading, request: DescribeStream) -> Reply:
    """The stream and one page of its shards. The start shard need not exist: shards are ordered by id."""
    stream = stream_of(tx, request.arn)
    shards = [shard for shard in shards_of(tx, stream) if shard.id > request.after]
    if request.parent is not None:
        shards = []  # The only shard of a stream has no parent.
    page = shards[: request.limit]
    described: dict[str, Any] = {
        "StreamArn": stream.arn,
        "StreamLabel": stream.label,
        "StreamStatus": "ENABLED" if stream.closed is None else "DISABLED",
        "StreamViewType": stream.view_type,
        "CreationRequestDateTime": stream.created,
        "TableName": stream.table,
        "KeySchema": stream.key_schema,
        "Shards": [shard.describe() for shard in page],
    }
    if len(shards) > len(page):
        described["LastEvaluatedShardId"] = page[-1].id
    return {"StreamDescription": described}


_GET_SHARD_ITERATOR = Shape(
    StreamArn=required(STREAM_ARN),
    ShardId=required(SHARD_ID),
    ShardIteratorType=required(
        one_of("AFTER_SEQUENCE_NUMBER", "AT_TIMESTAMP", "LATEST", "AT_SEQUENCE_NUMBER", "TRIM_HORIZON")
    ),
    SequenceNumber=Text(shortest=21, longest=40),
    Timestamp=Number(java="Date"),
)

_INVALID_NUMBER = "Invalid SequenceNumber"


@dataclass(frozen=True, slots=True)
class GetShardIterator:
    """Parsed GetShardIterator request; `number` is set for types with a sequence number, `time` for AT_TIMESTAMP."""

    arn: str
    shard: str
    type: str
    number: int
    time: float


def _parse_get_shard_iterator(request: dict[str, Any]) -> GetShardIterator:
    """Parse the request."""
    kind, numeral = request["ShardIteratorType"], request.get("SequenceNumber")
    require_arn(request["StreamArn"])
    if kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        if numeral is None:
            raise ValidationError(f"SequenceNumber must be specified when ShardIteratorType is {kind}")
        if not (numeral.isascii() and numeral.isdigit()):
            raise ValidationError(_INVALID_NUMBER)
    elif numeral is not None:
        raise ValidationError(f"SequenceNumber must not be specified when ShardIteratorType is {kind}")
    time = request.get("Timestamp")
    if kind == "AT_TIMESTAMP" and time is None:
        raise ValidationError("Timestamp must be specified when ShardIteratorType is AT_TIMESTAMP")
    return GetShardIterator(request["StreamArn"], request["ShardId"], kind, int(numeral or 0), time or 0)


def _run_get_shard_iterator(tx: Reading, request: GetShardIterator) -> Reply:
    """Find the position and issue an iterator."""
    stream = stream_of(tx, request.arn)
    shard = shard_of(tx, stream, request.shard)
    return {"ShardIterator": issue_iterator(tx, stream, _position(tx, request, shard))}


def _position(tx: Reading, request: GetShardIterator, shard: StreamShard) -> int:
    match request.type:
        case "TRIM_HORIZON":
            return shard.first
        case "LATEST":
            return latest(tx, shard)
        case "AT_TIMESTAMP":
            if request.time > tx.now():
                raise ValidationError("Timestamp must not be in the future")
            return max(shard.first, sequence_at(request.time))
        case _:
            if (
                not shard.began
                <= request.number
                <= max(shard.began, sequence_at(tx.now()), latest(tx, shard))
            ):
                raise ValidationError(_INVALID_NUMBER)
            require_kept(tx, shard.stream, request.number)
            return request.number + (request.type == "AFTER_SEQUENCE_NUMBER")


_GET_RECORDS = Shape(
    ShardIterator=Text(shortest=1, longest=2048, required=True), Limit=Number(least=1, most=1000)
)

MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class GetRecords:
    """Parsed GetRecords request."""

    iterator: str
    limit: int


def _parse_get_records(request: dict[str, Any]) -> GetRecords:
    """Parse the request."""
    return GetRecords(request["ShardIterator"], int(request.get("Limit") or 1000))


def _run_get_records(tx: Reading, request: GetRecords) -> Reply:
    """Up to 1 MB of records; no next iterator when a closed shard was read to its end."""
    stream, number = parse_iterator(tx, request.iterator)
    require_kept(tx, stream, number)
    records: list[StoredItem] = []
    size, more = 0, False
    for record_number, record in records_from(tx, stream, number):
        size += record.size
        more = len(records) == request.limit or (size > MOST_BYTES and bool(records))
        if more:
            break
        records.append(record)
        number = record_number + 1
    reply: Reply = {"Records": records}
    if more or stream.closed is None:
        reply["NextShardIterator"] = issue_iterator(tx, stream, number)
    return reply


OPERATIONS = (
    Operation(
        "ListStreams", _LIST_STREAMS, "snapshot", _parse_list_streams, _run_list_streams, api=STREAMS_API
    ),
    Operation(
        "DescribeStream",
        _DESCRIBE_STREAM,
        "snapshot",
        _parse_describe_stream,
        _run_describe_stream,
        api=STREAMS_API,
    ),
    Operation(
        "GetShardIterator",
        _GET_SHARD_ITERATOR,
        "snapshot",
        _parse_get_shard_iterator,
        _run_get_shard_iterator,
        api=STREAMS_API,
    ),
    Operation("GetRecords", _GET_RECORDS, "snapshot", _parse_get_records, _run_get_records, api=STREAMS_API),
)
