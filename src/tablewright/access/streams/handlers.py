"""Handlers: tell listeners what happened to entities, from the streams of their tables.

- At least once: a position moves on behind each page of records (up to 1,000, or 1 MB), when all of it was handled.
  After a crash that page is told again from its beginning.
- In order: the records of one item are told in the order in which they happened.
- A listener that raises is told again, with growing pauses. What it refuses to the last is noted in the position table,
  reported, and passed by, so that one bad record does not stop the world.
- Copies, locks and other types are not told: they are the library's own, or somebody else's.
- Who listens for the first time is told what the stream still holds, up to 24 hours.

The same on the embedded engine and on AWS. All of it is procedure.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablewright.access.calls.procedures import Call, Pause, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.access.context import Context
from tablewright.access.create_tables import create_missing
from tablewright.access.streams.dispatch import Dispatcher, Failure
from tablewright.access.streams.events import Listener
from tablewright.access.streams.positions import Position, Positions, position_table
from tablewright.access.streams.shard_reader import Shard, iterator_at, shards_of
from tablewright.design.designs import Design
from tablewright.design.tables.tables import Table
from tablewright.errors import (
    ExpiredIterator,
    ResourceNotFound,
    TrimmedDataAccess,
    UsageError,
)


@dataclass(slots=True)
class Report:
    """What one round did."""

    delivered: int = 0
    """Events that listeners heard without complaint."""
    failures: list[Failure] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    """Shards where records were older than 24 hours, and gone, before they could be told."""


class Handlers:
    """The listeners of one consumer. Consumers of different names each hear everything."""

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
        """Where to read on in shards that had no more; AWS answers with empty pages on the way to later records."""
        self._report = Report()

    def round(self) -> Procedure[Report]:
        """Tell everything that is in the streams by now."""
        self._report = Report()
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
        self, stop: Callable[[], bool], report: Callable[[Report], Any], pause: float = 1.0
    ) -> Procedure[None]:
        """Round after round, until told to stop; each that did something is reported."""
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
                    f"there is no table {self._positions.table} to keep positions in; say create=True to make it"
                ) from None
        yield from create_missing([self._position_table], self._context)
        return {}

    def _read(
        self, table: Table, shard: Shard, shards: Mapping[str, Shard], positions: dict[str, Position]
    ) -> Procedure[None]:
        """Read a shard to where it ends by now; a child waits until its parent was read to the end."""
        start = Position(self._context.table_name(table))
        position = positions.get(shard.place, start)
        parent = shard.parent_place
        waits = parent in shards and not (parent in positions and positions[parent].done)
        if position.done or waits:
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
                    return  # another process of this consumer is ahead; the next round starts from there
                position = positions[shard.place] = moved
            if iterator is None:
                return
            if not records and not shard.closed:
                self._iterators[shard.place, position] = iterator
                return

    def _dispatch(self, table: Table, record: dict[str, Any]) -> Procedure[None]:
        heard, failures = yield from self._dispatcher.dispatch(table, record)
        self._report.delivered += heard
        for failure in failures:
            yield from self._positions.keep_failed(failure)
            self._report.failures.append(failure)


def no_report(report: Report) -> None:
    """Whoever does not want to know."""
