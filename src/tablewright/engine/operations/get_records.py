"""GetRecords: the next records of a shard, and where to go on."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.operations.replies import Reply
from tablewright.engine.requests.shapes import Number, Shape, Text
from tablewright.engine.sessions import Reading
from tablewright.engine.streams.stream_records import STREAMS_API
from tablewright.engine.streams.stream_shards import issue, records_from, redeem, require_kept
from tablewright.values.stored_items import StoredItem

API = STREAMS_API
NAME = "GetRecords"
MODE = "snapshot"
SHAPE = Shape(ShardIterator=Text(shortest=1, longest=2048, required=True), Limit=Number(least=1, most=1000))

MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class GetRecords:
    """What is asked for."""

    iterator: str
    limit: int


def parse(request: dict[str, Any]) -> GetRecords:
    """From the request to its value."""
    return GetRecords(request["ShardIterator"], int(request.get("Limit") or 1000))


def run(tx: Reading, ask: GetRecords) -> Reply:
    """Up to 1 MB of records; no further iterator when a closed shard has been read to its end."""
    stream, number = redeem(tx, ask.iterator)
    require_kept(tx, stream, number)
    records: list[StoredItem] = []
    size, more = 0, False
    for found, record in records_from(tx, stream, number):
        size += record.size
        more = len(records) == ask.limit or (size > MOST_BYTES and bool(records))
        if more:
            break
        records.append(record)
        number = found + 1
    reply: Reply = {"Records": records}
    if more or stream.closed is None:
        reply["NextShardIterator"] = issue(tx, stream, number)
    return reply
