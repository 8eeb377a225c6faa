"""DescribeStream: show a stream and its shards."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Number, Shape, one_of, required, structure
from tablewright.engine.core.sessions import Reading
from tablewright.engine.features.streams.stream_records import STREAM_ARN, STREAMS_API, require_arn, stream_of
from tablewright.engine.features.streams.stream_shards import SHARD_ID, shards_of

API = STREAMS_API
NAME = "DescribeStream"
MODE = "snapshot"
SHAPE = Shape(
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


def parse(request: dict[str, Any]) -> DescribeStream:
    """Parse the request."""
    require_arn(request["StreamArn"])
    shard_filter = request.get("ShardFilter") or {}
    return DescribeStream(
        arn=request["StreamArn"],
        limit=int(request.get("Limit") or 100),
        after=request.get("ExclusiveStartShardId") or "",
        parent=shard_filter.get("ShardId"),
    )


def run(tx: Reading, request: DescribeStream) -> Reply:
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
