"""Handlers: read the streams of tables and deliver their records to listeners.

- At least once: a position advances after each page of records (up to 1,000 records or 1 MB), when the whole page is
  handled. After a crash that page is delivered again from its beginning.
- In order: the records of one item are delivered in the order of the writes.
- A listener that raises is called again, with growing pauses. When the last attempt fails, the record is stored in the
  position table, reported, and skipped, so that one bad record does not block the stream.
- Copies, locks and items of other types are not delivered.
- A new consumer gets the records that the stream still holds: up to 24 hours.

The embedded engine and AWS behave the same.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from tablewright.access.calls.procedures import Call, Pause, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.access.context import Context
from tablewright.access.create_tables import create_missing
from tablewright.access.streams.dispatch import Dispatcher, Failure
from tablewright.access.streams.events import Listener
from tablewright.access.streams.shard_reader import OpenShard, Position, Positions, iterator_at, shards_of
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.designs import Design
from tablewright.design.library_tables import position_table
from tablewright.design.tables.tables import Table
from tablewright.errors import (
    ExpiredIterator,
    ResourceNotFound,
    TrimmedDataAccess,
    UsageError,
)


@dataclass(slots=True)
class DeliveryReport:
    """The result of one round over the streams."""

    delivered: int = 0
    """Events that listeners handled without an error."""
    failures: list[Failure] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    """Shards whose records were trimmed after 24 hours, before they could be delivered."""


class Handlers:
    """The listeners of one consumer. Consumers with different names each get every record."""

    def __init__(
        self,
        design: Design,
        context: Context,
        listeners: Sequence[Listener[Any]],
        *,
        consumer: str = "default",
        tries: int = 3,
        create: bool = False,
    ) -> None:
        self._context = context
        self._dispatcher = Dispatcher(context, listeners, tries)
        self._create = create
        self._position_table = position_table(design)
        self._positions = Positions(context.table_name(self._position_table), consumer)
        self._iterators: dict[tuple[str, Position], str] = {}
        """Where to continue in shards without new records; AWS returns empty pages on the way to later records."""
        self._report = DeliveryReport()

    def round(self) -> Procedure[DeliveryReport]:
        """Deliver the records that are in the streams now."""
        self._report = DeliveryReport()
        positions = yield from self._loaded()
        for table in self._dispatcher.tables:
            name = self._context.table_name(table)
            shards = {shard.place: shard for shard in (yield from shards_of(name))}
            for shard in shards.values():
                yield from self._read(table, shard, shards, positions)
            for place, position in positions.items():
                if position.table == name and place not in shards:
                    yield from self._positions.forget(place)
        return self._report

    def follow(
        self, stop: Callable[[], bool], report: Callable[[DeliveryReport], Any], pause: float = 1.0
    ) -> Procedure[None]:
        """Repeat rounds until `stop()` is true; report each round that delivered or failed something."""
        while not stop():
            done = yield from self.round()
            if done.delivered or done.failures or done.gaps:
                report(done)
            else:
                yield Pause(pause)

    def _loaded(self) -> Procedure[dict[str, Position]]:
        try:
            return (yield from self._positions.load())
        except ResourceNotFound:
            if not self._create:
                raise UsageError(
                    f"the position table {self._positions.table} does not exist; pass create=True to create it"
                ) from None
        yield from create_missing([self._position_table], self._context)
        return {}

    def _read(
        self, table: Table, shard: OpenShard, shards: Mapping[str, OpenShard], positions: dict[str, Position]
    ) -> Procedure[None]:
        """Read a shard to its current end; a child shard waits until its parent is read to the end."""
        start = Position(self._context.table_name(table))
        position = positions.get(shard.place, start)
        parent = shard.parent_place
        parent_is_open = parent in shards and not (parent in positions and positions[parent].done)
        if position.done or parent_is_open:
            return
        iterator = self._iterators.pop((shard.place, position), None)
        while True:
            if iterator is None:
                iterator, gap = yield from iterator_at(shard, position)
                self._report.gaps += [shard.place] if gap else []
            try:
                reply = yield from with_retries(Call("GetRecords", {"ShardIterator": iterator}))
            except (ExpiredIterator, TrimmedDataAccess):
                iterator = None
                continue
            records, iterator = reply["Records"], reply.get("NextShardIterator")
            for record in records:
                yield from self._dispatch(table, record)
            if records or iterator is None:
                after = records[-1]["dynamodb"]["SequenceNumber"] if records else position.after
                moved = Position(start.table, after, iterator is None)
                if not (yield from self._positions.move(shard.place, position, moved)):
                    return  # another process of this consumer moved it; the next round starts from there
                position = positions[shard.place] = moved
            if iterator is None:
                return
            if not records and not shard.closed:
                self._iterators[shard.place, position] = iterator
                return

    def _dispatch(self, table: Table, record: dict[str, Any]) -> Procedure[None]:
        delivered, failures = yield from self._dispatcher.dispatch(table, record)
        self._report.delivered += delivered
        for failure in failures:
            yield from self._positions.keep_failed(failure)
            self._report.failures.append(failure)


def no_report(report: DeliveryReport) -> None:
    """Ignore a report."""
