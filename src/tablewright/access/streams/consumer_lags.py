"""Consumer lags: how far the consumers of streams are behind, by their stored positions.

Only consumers that keep their positions in the position table are known: those of `db.streams.handle` and `follow`. A
Lambda function keeps its positions in AWS; its lag is the metric `IteratorAge` of the function.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from tablewright.access.context import Context
from tablewright.access.procedures import Call, Procedure, all_items, with_retries
from tablewright.access.streams.shard_reader import FAILED, OpenShard, Position, iterator_at, shards_of
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.designs import Design, position_table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ResourceNotFound

MOST_RECORDS = 1000
"""Records that are counted of one consumer and table, at most."""
_EMPTY_PAGES = 5
"""Empty pages to read in an open shard: on AWS, records can follow them."""


@dataclass(frozen=True, slots=True)
class ConsumerLag:
    """How far a consumer is behind the stream of one table."""

    consumer: str
    table: str
    records: int
    """Records of the stream that it has not handled; they include those that no listener handles."""
    is_more: bool
    """Whether there are more than `records`, which were not counted."""
    seconds: float
    """The age of the oldest record that it has not handled; 0 if there is none."""
    failed: int
    """Records that were stored as failed, and skipped."""
    has_gap: bool
    """Whether records were trimmed after 24 hours, before the consumer has handled them."""


def consumer_lags(design: Design, context: Context, most: int = MOST_RECORDS) -> Procedure[list[ConsumerLag]]:
    """Return the lag of each consumer and table, by name; an empty list when there is no position table."""
    request = {"TableName": context.table_name(position_table(design)), "ConsistentRead": True}
    try:
        items: list[Item] = yield from all_items("Scan", request)
    except ResourceNotFound:
        return []
    names = {context.table_name(table) for table in design.tables}
    consumers = sorted({(item["consumer"]["S"], item["table"]["S"]) for item in items})
    shards: dict[str, list[OpenShard]] = {}
    lags = []
    for consumer, table in consumers:
        if table not in names:
            continue
        if table not in shards:
            shards[table] = yield from shards_of(table)
        own = [item for item in items if (item["consumer"]["S"], item["table"]["S"]) == (consumer, table)]
        lags.append((yield from _lag(context, consumer, table, shards[table], own, most)))
    return lags


def _lag(
    context: Context, consumer: str, table: str, shards: Iterable[OpenShard], items: list[Item], most: int
) -> Procedure[ConsumerLag]:
    failed = sum(item["place"]["S"].startswith(FAILED) for item in items)
    positions = {item["place"]["S"]: _position(item) for item in items if "done" in item}
    oldest: float | None = None
    records, has_gap = 0, False
    for shard in shards:
        position = positions.get(shard.place, Position(table))
        if position.done:
            continue
        left, first, gap = yield from _unhandled(shard, position, most + 1 - records)
        records, has_gap = records + left, has_gap or gap
        oldest = first if oldest is None or (first is not None and first < oldest) else oldest
        if records > most:
            break
    seconds = 0.0 if oldest is None else max(0.0, context.now() - oldest)
    return ConsumerLag(consumer, table, min(records, most), records > most, seconds, failed, has_gap)


def _unhandled(shard: OpenShard, position: Position, most: int) -> Procedure[tuple[int, float | None, bool]]:
    """Count the records after a position: their number, the time of the first, and whether some were trimmed."""
    iterator: str | None
    iterator, gap = yield from iterator_at(shard, position)
    first: float | None = None
    count = empty = 0
    while iterator is not None and count < most and empty < _EMPTY_PAGES:
        reply = yield from with_retries(
            Call("GetRecords", {"ShardIterator": iterator, "Limit": min(most, 1000)})
        )
        records, iterator = reply["Records"], reply.get("NextShardIterator")
        count += len(records)
        empty = 0 if records or shard.closed else empty + 1
        if records and first is None:
            first = record_time(records[0])
    return count, first, gap


def record_time(record: Mapping[str, Any]) -> float:
    """Return the time of a record, in seconds since 1970; boto3 has it as a datetime."""
    time = record["dynamodb"]["ApproximateCreationDateTime"]
    return time.timestamp() if isinstance(time, datetime) else float(time)


def _position(item: Item) -> Position:
    return Position(item["table"]["S"], item.get("after", {}).get("S"), item["done"]["BOOL"])
