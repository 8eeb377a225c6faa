"""The tail of a stream: the records of a table's stream as they arrive, from any endpoint.

A tail starts at the newest record, at the oldest one (24 hours ago), or after the positions of an earlier tail: so a
reader that was away misses nothing that the stream still holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tablewright.access.procedures import Call, Procedure, run_sync, with_retries
from tablewright.access.streams.consumer_lags import record_time
from tablewright.access.streams.shard_reader import OpenShard, Position, iterator_at, shards_of
from tablewright.connections import Connection
from tablewright.errors import ExpiredIterator, TrimmedDataAccess

REFRESH_POLLS = 20
"""After so many polls without records, the shards are listed again."""


@dataclass(frozen=True)
class TailStart:
    """Where a tail starts.

    `after` has the last record that was read of each shard by an earlier tail, and `since` is the time at which that
    tail started: of shards that are not in `after`, older records are left out.
    """

    at: Literal["now", "oldest"] = "now"
    after: Mapping[str, str] = field(default_factory=dict)
    since: float | None = None


@dataclass
class Polled:
    """The result of one poll: records, each with the shard that it is from."""

    records: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    has_gap: bool = False
    """Whether records were trimmed before they could be read."""
    is_at_end: bool = True
    """Whether there were no further records."""


class StreamTail:
    """Reads the stream of one table."""

    def __init__(self, connection: Connection, table: str, start: TailStart, now: float) -> None:
        self._call = connection.call
        self._table = table
        self._start = start
        self._iterators: dict[str, str] = {}
        self._shards: dict[str, OpenShard] = {}
        self._done: set[str] = set()
        self._late: set[str] = set()
        self._idle = 0
        self._must_list = False
        self.since = now if start.since is None else start.since
        """The time at which the tail, or the earlier one that it continues, has started."""
        self.positions: dict[str, str] = dict(start.after)
        """The last record that was read of each shard, by the shard's ID."""
        self._refresh(is_first=True)

    @property
    def shards(self) -> list[OpenShard]:
        """The shards, oldest first."""
        return [*self._shards.values()]

    def poll(self) -> Polled:
        """Read one page of each shard that can be read now."""
        polled = Polled()
        for shard in self.shards:
            if shard.id in self._done or self._waits(shard):
                continue
            self._read(shard, polled)
        self._idle = 0 if polled.records else self._idle + 1
        if self._must_list or self._idle >= REFRESH_POLLS:
            self._refresh()
        return polled

    def _refresh(self, *, is_first: bool = False) -> None:
        self._idle, self._must_list = 0, False
        self._shards = {shard.id: shard for shard in self._run(shards_of(self._table))}
        if not is_first or self._start.at == "oldest":
            return
        for shard in self._shards.values():
            if shard.id in self._start.after or self._start.since is not None:
                continue
            if shard.closed:
                self._done.add(shard.id)
            else:
                self._iterators[shard.id] = self._latest(shard)

    def _waits(self, shard: OpenShard) -> bool:
        """Whether the parent of a shard has to be read first."""
        return shard.parent in self._shards and shard.parent not in self._done

    def _read(self, shard: OpenShard, polled: Polled) -> None:
        iterator = self._iterators.pop(shard.id, None)
        if iterator is None:
            if self._start.at == "now" and shard.id not in self.positions:
                self._late.add(shard.id)
            iterator, gap = self._run(iterator_at(shard, Position(self._table, self.positions.get(shard.id))))
            polled.has_gap = polled.has_gap or gap
        try:
            reply = self._run(with_retries(Call("GetRecords", {"ShardIterator": iterator})))
        except (ExpiredIterator, TrimmedDataAccess):
            polled.is_at_end = False  # the next poll gets a new iterator
            return
        records, following = reply["Records"], reply.get("NextShardIterator")
        if records:
            self.positions[shard.id] = records[-1]["dynamodb"]["SequenceNumber"]
            polled.is_at_end = False
        # Only shards that are read from their beginning are compared with the clock here, which may differ from AWS's.
        since = int(self.since) if shard.id in self._late else 0
        polled.records += [(shard.id, record) for record in records if record_time(record) >= since]
        if following is not None:
            self._iterators[shard.id] = following
        else:
            self._done.add(shard.id)
            self._must_list = True  # it has children, or the stream was disabled
            polled.is_at_end = False

    def _latest(self, shard: OpenShard) -> str:
        request = {"StreamArn": shard.stream, "ShardId": shard.id, "ShardIteratorType": "LATEST"}
        iterator: str = self._run(with_retries(Call("GetShardIterator", request)))["ShardIterator"]
        return iterator

    def _run(self, procedure: Procedure[Any]) -> Any:
        return run_sync(procedure, self._call)
