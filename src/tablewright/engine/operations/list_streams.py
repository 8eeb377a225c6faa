"""ListStreams: the streams there are, of all tables or of one."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.operations.replies import Reply
from tablewright.engine.requests.shapes import Number, Shape, Text
from tablewright.engine.sessions import Reading
from tablewright.engine.streams.stream_records import (
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
    """What is asked for."""

    table: str | None
    limit: int
    after: str | None


def parse(request: dict[str, Any]) -> ListStreams:
    """From the request to its value."""
    after = request.get("ExclusiveStartStreamArn")
    if after is not None:
        require_arn(after)
    return ListStreams(request.get("TableName"), int(request.get("Limit") or 100), after)


def run(tx: Reading, ask: ListStreams) -> Reply:
    """One page. The stream it starts after need not exist any more: its ARN says where it stood."""
    streams = [stream for stream in all_streams(tx) if ask.table in (None, stream.table)]
    if ask.after is not None:
        mark = label_of(ask.after), ask.after
        streams = [stream for stream in streams if (stream.label, stream.arn) < mark]
    page = streams[: ask.limit]
    reply: Reply = {"Streams": [_show(stream) for stream in page]}
    if len(streams) > len(page):
        reply["LastEvaluatedStreamArn"] = page[-1].arn
    return reply


def _show(stream: Stream) -> dict[str, str]:
    return {"StreamArn": stream.arn, "TableName": stream.table, "StreamLabel": stream.label}
