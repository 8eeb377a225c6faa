"""ListStreams, DescribeStream, GetShardIterator and GetRecords: the operations that read streams."""

from dataclasses import dataclass
from typing import Any

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.shapes import Number, Shape, Text, one_of, required, structure
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.sequence_numbers import sequence_at
from tablewright.engine.features.streams.stream_records import (
    STREAM_ARN,
    STREAMS_API,
    Stream,
    all_streams,
    label_of,
    require_arn,
    stream_of,
)
from tablewright.engine.features.streams.stream_shards import (
    SHARD_ID,
    Shard,
    issue_iterator,
    latest,
    parse_iterator,
    records_from,
    require_kept,
    shard_of,
    shards_of,
)
from tablewright.errors import ValidationError

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


def _position(tx: Reading, request: GetShardIterator, shard: Shard) -> int:
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
    for found, record in records_from(tx, stream, number):
        size += record.size
        more = len(records) == request.limit or (size > MOST_BYTES and bool(records))
        if more:
            break
        records.append(record)
        number = found + 1
    reply: Reply = {"Records": records}
    if more or stream.closed is None:
        reply["NextShardIterator"] = issue_iterator(tx, stream, number)
    return reply


OPERATIONS = (
    Operation(
        "ListStreams",
        _LIST_STREAMS,
        "snapshot",
        _parse_list_streams,
        _run_list_streams,
        api=STREAMS_API,
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
    Operation(
        "GetRecords",
        _GET_RECORDS,
        "snapshot",
        _parse_get_records,
        _run_get_records,
        api=STREAMS_API,
    ),
)
