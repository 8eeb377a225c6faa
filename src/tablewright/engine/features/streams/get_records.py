"""GetRecords: read the next records of a shard, and return the iterator of the next page."""

from dataclasses import dataclass
from typing import Any

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Number, Shape, Text
from tablewright.engine.core.sessions import Reading
from tablewright.engine.features.streams.stream_records import STREAMS_API
from tablewright.engine.features.streams.stream_shards import (
    issue_iterator,
    parse_iterator,
    records_from,
    require_kept,
)

API = STREAMS_API
NAME = "GetRecords"
MODE = "snapshot"
SHAPE = Shape(ShardIterator=Text(shortest=1, longest=2048, required=True), Limit=Number(least=1, most=1000))

MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class GetRecords:
    """Parsed GetRecords request."""

    iterator: str
    limit: int


def parse(request: dict[str, Any]) -> GetRecords:
    """Parse the request."""
    return GetRecords(request["ShardIterator"], int(request.get("Limit") or 1000))


def run(tx: Reading, request: GetRecords) -> Reply:
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
