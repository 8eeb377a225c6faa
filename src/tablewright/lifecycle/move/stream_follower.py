"""Stream followers: apply the changes of one side to the other, in the order of each key.

A batch of records is applied, then its position is saved. After a kill, records since the position are applied again:
each item goes through the same values once more, and ends with the newest.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from tablewright.access.items.footprint import comparable_key
from tablewright.access.items.item_values import key_of
from tablewright.access.streams.shard_reader import OpenShard, Position, iterator_at, shards_of
from tablewright.design.tables import Table
from tablewright.errors import ExpiredIterator, MoveError
from tablewright.lifecycle.move.move_records import MoveRecords
from tablewright.lifecycle.move.sides import MoveSide, Write, delete, put

PAGE = 1_000
"""The most records of one GetRecords."""
_FULL = 500_000
"""Bytes of keys and images; a page ends at one megabyte, so that one with less than half of it is not cut."""


@dataclass(slots=True)
class Followed:
    """What a round of following did."""

    records: int = 0
    is_caught_up: bool = True
    newest: float = 0.0
    """When the last applied record was written, in seconds since 1970."""


class StreamFollower:
    """Follows the streams of the tables of one side."""

    def __init__(
        self, tables: Iterable[Table], source: MoveSide, target: MoveSide, records: MoveRecords
    ) -> None:
        self._tables = list(tables)
        self._from = source
        self._to = target
        self._records = records
        self._positions = records.positions(source.name)
        self._iterators: dict[str, str] = {}

    def skip_to_the_end(self) -> None:
        """Start after the records that exist now: the items that are copied later contain their changes."""
        for table in self._tables:
            has_more = True
            while has_more:
                pages = [self._read(table, shard, skip=True) for shard in self._ready(table)]
                has_more = any(pages)

    def follow(self) -> Followed:
        """Apply a batch of records of each shard."""
        done = Followed()
        for table in self._tables:
            for shard in self._ready(table):
                done.is_caught_up &= not self._read(table, shard, done)
        return done

    def _ready(self, table: Table) -> list[OpenShard]:
        """The shards to read now: those whose parents are read to their end."""
        shards = self._from.run(shards_of(self._from.table_name(table)))
        places = {shard.place for shard in shards}
        return [
            shard
            for shard in shards
            if not self._position(table, shard).done
            and (
                shard.parent_place not in places
                or (parent := self._positions.get(shard.parent_place or "")) is None
                or parent.done
            )
        ]

    def _position(self, table: Table, shard: OpenShard) -> Position:
        return self._positions.get(shard.place) or Position(table.name)

    def _read(
        self, table: Table, shard: OpenShard, done: Followed | None = None, *, skip: bool = False
    ) -> bool:
        """Read one page of a shard; return whether there are more."""
        position = self._position(table, shard)
        reply = self._page(shard, position)
        records = reply["Records"]
        if records and not skip:
            self._apply(table, records)
        moved = position
        if records:
            moved = replace(position, after=records[-1]["dynamodb"]["SequenceNumber"])
        following = reply.get("NextShardIterator")
        if following is None:
            moved = replace(moved, done=True)
            self._iterators.pop(shard.place, None)
        else:
            self._iterators[shard.place] = following
        if moved != position or shard.place not in self._positions:
            self._records.save_position(self._from.name, shard, moved)
            self._positions[shard.place] = moved
        if done is not None and records:
            done.records += len(records)
            done.newest = max(done.newest, _written_at(records[-1]))
        return following is None or _is_cut(records)

    def _page(self, shard: OpenShard, position: Position) -> dict[str, Any]:
        iterator = self._iterators.get(shard.place)
        if iterator is not None:
            try:
                return self._from.call("GetRecords", ShardIterator=iterator, Limit=PAGE)
            except ExpiredIterator:
                pass
        iterator, is_trimmed = self._from.run(iterator_at(shard, position))
        if is_trimmed:
            raise MoveError(
                f"the stream of {position.table} no longer has the records after the last applied one: the move was "
                "stopped for more than 24 hours; start the copy again with --restart"
            )
        return self._from.call("GetRecords", ShardIterator=iterator, Limit=PAGE)

    def _apply(self, table: Table, records: list[dict[str, Any]]) -> None:
        """Apply the last change of each key."""
        last = {comparable_key(table, record["dynamodb"]["Keys"]): record for record in records}
        self._to.write(table, [self._write(table, record) for record in last.values()])

    def _write(self, table: Table, record: dict[str, Any]) -> Write:
        change = record["dynamodb"]
        if record["eventName"] == "REMOVE":
            return delete(key_of(table, change["Keys"]))
        # A stream of keys or old images does not tell the new value; the current value is as new, or newer.
        item = change.get("NewImage") or self._from.get(table, key_of(table, change["Keys"]))
        return delete(key_of(table, change["Keys"])) if item is None else put(item)


def _is_cut(records: list[dict[str, Any]]) -> bool:
    """Whether a page ends because it is full, and not because the shard has no more records."""
    size = sum(record["dynamodb"].get("SizeBytes", 0) for record in records)
    return len(records) >= PAGE or size > _FULL


def _written_at(record: dict[str, Any]) -> float:
    time = record["dynamodb"]["ApproximateCreationDateTime"]
    return float(time.timestamp() if hasattr(time, "timestamp") else time)
