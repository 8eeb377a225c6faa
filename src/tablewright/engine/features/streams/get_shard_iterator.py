"""GetShardIterator: return a position in a shard, to read records from."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Number, Shape, Text, one_of, required
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.sequence_numbers import sequence_at
from tablewright.engine.features.streams.stream_records import STREAM_ARN, STREAMS_API, require_arn, stream_of
from tablewright.engine.features.streams.stream_shards import (
    SHARD_ID,
    Shard,
    issue_iterator,
    latest,
    require_kept,
    shard_of,
)
from tablewright.errors import ValidationError

API = STREAMS_API
NAME = "GetShardIterator"
MODE = "snapshot"
SHAPE = Shape(
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


def parse(request: dict[str, Any]) -> GetShardIterator:
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


def run(tx: Reading, request: GetShardIterator) -> Reply:
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
