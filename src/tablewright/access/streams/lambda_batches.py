"""Lambda batches: AWS Lambda reads the streams and keeps the positions; its batches are delivered to listeners here.

Lambda repeats a batch from the first record that failed, so the records after it are not delivered: the records of one
item stay in order. The event source mapping configures the number of retries and the failure destination.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.streams.dispatch import Dispatcher
from tablewright.access.streams.events import Listener
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
