"""ListStreams: list the streams of all tables or of one."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Number, Shape, Text
from tablewright.engine.core.sessions import Reading
from tablewright.engine.features.streams.stream_records import (
    STREAM_ARN,
    STREAMS_API,
    Stream,
    all_streams,
    label_of,
    require_arn,
)

API = STREAMS_API
NAME = "ListStreams"
MODE = "snapshot"
SHAPE = Shape(
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


def parse(request: dict[str, Any]) -> ListStreams:
    """Parse the request."""
    after = request.get("ExclusiveStartStreamArn")
    if after is not None:
        require_arn(after)
    return ListStreams(request.get("TableName"), int(request.get("Limit") or 100), after)


def run(tx: Reading, request: ListStreams) -> Reply:
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
