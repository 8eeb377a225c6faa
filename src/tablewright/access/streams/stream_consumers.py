"""Stream consumers: `db.streams` and `db.aio.streams`, which deliver stream records to listeners.

Lambda batches: AWS Lambda reads the streams and keeps the positions; its batches are delivered to listeners here.

Lambda repeats a batch from the first record that failed, so the records after it are not delivered: the records of one
item stay in order. The event source mapping configures the number of retries and the failure destination.

`Handlers` read the streams of tables and deliver their records to listeners:

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

from tablewright.access.context import Context
from tablewright.access.create_tables import create_missing
from tablewright.access.procedures import AsyncRunner, Call, Pause, Procedure, SyncRunner, with_retries
from tablewright.access.streams.consumer_lags import ConsumerLag, consumer_lags
from tablewright.access.streams.dispatch import Dispatcher, Failure, require_sync
from tablewright.access.streams.events import Listener
from tablewright.access.streams.shard_reader import OpenShard, Position, Positions, iterator_at, shards_of
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.designs import Design, position_table
from tablewright.design.tables import Table
from tablewright.dynamodb.values.stored_items import to_python
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


def batch_failures(
    context: Context, listeners: Sequence[Listener[Any]], tries: int, batch: Mapping[str, Any]
) -> Procedure[dict[str, Any]]:
    """Deliver the records of a batch; the result names the first record that Lambda must send again."""
    dispatcher = Dispatcher(context, listeners, tries)
    tables = {context.table_name(table): table for table in dispatcher.tables}
    for record in _records(batch):
        change = to_python(record["dynamodb"])  # JSON has binary values as base64
        table = tables.get(_table_name(record))
        if table is None:
            continue
        _, failures = yield from dispatcher.dispatch(table, {**record, "dynamodb": change})
        if failures:
            return {"batchItemFailures": [{"itemIdentifier": change["SequenceNumber"]}]}
    return {"batchItemFailures": []}


def _records(batch: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    records = batch.get("Records") if isinstance(batch, Mapping) else None
    if not isinstance(records, list) or any(
        record.get("eventSource") != "aws:dynamodb" for record in records
    ):
        raise UsageError(
            "this is not an event of a DynamoDB stream; pass the event that Lambda passes to the function"
        )
    return records


def _table_name(record: Mapping[str, Any]) -> str:
    """The table in `arn:aws:dynamodb:eu-north-1:123456789012:table/goals-main/stream/2026-01-01T00:00:00.000`."""
    return str(record["eventSourceARN"]).partition(":table/")[2].partition("/")[0]


class _Consumers:
    """Builds the handlers of a repository; `creates` is whether a missing position table is created by default."""

    def __init__(self, design: Design, context: Context, *, creates: bool) -> None:
        self._design = design
        self._context = context
        self._creates = creates

    def _handlers(
        self, listeners: Sequence[Listener[Any]], consumer: str, tries: int, create: bool | None
    ) -> Handlers:
        create = self._creates if create is None else create
        return Handlers(self._design, self._context, listeners, consumer=consumer, tries=tries, create=create)


class StreamConsumers(_Consumers):
    """The streams of a repository's tables."""

    def __init__(self, design: Design, context: Context, run: SyncRunner, *, creates: bool) -> None:
        super().__init__(design, context, creates=creates)
        self._run = run

    def handle(
        self,
        *listeners: Listener[Any],
        consumer: str = "default",
        tries: int = 3,
        create: bool | None = None,
    ) -> DeliveryReport:
        """Deliver the records that are in the streams now to listeners, which `@on(...)` makes, and return.

        Delivery continues where this consumer stopped. Consumers with different names each get every record. A
        listener that raises is called up to `tries` times; then the record is reported as a failure. `create` creates
        the position table; an embedded database does so by default.
        """
        require_sync(listeners)
        return self._run(self._handlers(listeners, consumer, tries, create).round())

    def follow(
        self,
        *listeners: Listener[Any],
        stop: Callable[[], bool],
        report: Callable[[DeliveryReport], Any] = no_report,
        pause: float = 1.0,
        consumer: str = "default",
        tries: int = 3,
        create: bool | None = None,
    ) -> None:
        """Call `handle` again and again until `stop()` is true; wait `pause` seconds when there are no records."""
        require_sync(listeners)
        followed = self._handlers(listeners, consumer, tries, create)
        self._run(followed.follow(stop, report, pause))

    def lags(self) -> list[ConsumerLag]:
        """Return how far each consumer is behind, by its stored positions.

            for lag in db.streams.lags():
                print(lag.consumer, lag.table, lag.records, lag.seconds)

        At most 1,000 records of a consumer and a table are counted. The positions of Lambda functions are not known.
        """
        return self._run(consumer_lags(self._design, self._context))

    def handle_batch(
        self, batch: Mapping[str, Any], /, *listeners: Listener[Any], tries: int = 1
    ) -> dict[str, Any]:
        """Deliver the event that AWS Lambda passes to a function; return the reply that Lambda expects.

            def handler(event, context):
                return db.streams.handle_batch(event, announce, celebrate)

        The reply names the first record that failed (`batchItemFailures`). Lambda sends it and all later records
        again, if the event source mapping has `ReportBatchItemFailures`.
        """
        require_sync(listeners)
        return self._run(batch_failures(self._context, listeners, tries, batch))


class AsyncStreamConsumers(_Consumers):
    """The streams of an async repository's tables; listeners may be async."""

    def __init__(self, design: Design, context: Context, run: AsyncRunner, *, creates: bool) -> None:
        super().__init__(design, context, creates=creates)
        self._run = run

    async def handle(
        self,
        *listeners: Listener[Any],
        consumer: str = "default",
        tries: int = 3,
        create: bool | None = None,
    ) -> DeliveryReport:
        """As `StreamConsumers.handle`."""
        return await self._run(self._handlers(listeners, consumer, tries, create).round())

    async def follow(
        self,
        *listeners: Listener[Any],
        stop: Callable[[], bool],
        report: Callable[[DeliveryReport], Any] = no_report,
        pause: float = 1.0,
        consumer: str = "default",
        tries: int = 3,
        create: bool | None = None,
    ) -> None:
        """As `StreamConsumers.follow`."""
        followed = self._handlers(listeners, consumer, tries, create)
        await self._run(followed.follow(stop, report, pause))

    async def lags(self) -> list[ConsumerLag]:
        """As `StreamConsumers.lags`."""
        return await self._run(consumer_lags(self._design, self._context))

    async def handle_batch(
        self, batch: Mapping[str, Any], /, *listeners: Listener[Any], tries: int = 1
    ) -> dict[str, Any]:
        """As `StreamConsumers.handle_batch`."""
        return await self._run(batch_failures(self._context, listeners, tries, batch))
