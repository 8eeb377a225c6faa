"""Stream consumers: `db.streams` and `db.aio.streams`, which deliver stream records to listeners.

Lambda batches: AWS Lambda reads the streams and keeps the positions; its batches are delivered to listeners here.

Lambda repeats a batch from the first record that failed, so the records after it are not delivered: the records of one
item stay in order. The event source mapping configures the number of retries and the failure destination.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tablewright.access.calls.procedures import AsyncRunner, Procedure, SyncRunner
from tablewright.access.context import Context
from tablewright.access.streams.consumer_lags import ConsumerLag, consumer_lags
from tablewright.access.streams.dispatch import Dispatcher, require_sync
from tablewright.access.streams.events import Listener
from tablewright.access.streams.handlers import DeliveryReport, Handlers, no_report
from tablewright.design.designs import Design
from tablewright.dynamodb.values.stored_items import to_python
from tablewright.errors import UsageError


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
