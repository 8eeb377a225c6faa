"""Lambdas: AWS Lambda reads the streams, keeps the positions and calls again; here its batches are told to listeners.

Lambda repeats a batch from the first record that failed, so the rest of it is left alone then: the records of one item
stay in order. How often it repeats, and what becomes of a record that never passes, its event source mapping says.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.streams.dispatch import Dispatcher
from tablewright.access.streams.events import Listener
from tablewright.errors import UsageError
from tablewright.values.stored_items import to_python


def batch_failures(
    context: Context, listeners: Sequence[Listener[Any]], tries: int, batch: Mapping[str, Any]
) -> Procedure[dict[str, Any]]:
    """Tell the records of a batch; the answer says from which on Lambda shall bring them again."""
    dispatcher = Dispatcher(context, listeners, tries)
    tables = {context.table_name(table): table for table in dispatcher.tables}
    for record in _records(batch):
        told = to_python(record["dynamodb"])  # JSON has binary values as base64
        table = tables.get(_table_name(record))
        if table is None:
            continue
        _, failures = yield from dispatcher.dispatch(table, {**record, "dynamodb": told})
        if failures:
            return {"batchItemFailures": [{"itemIdentifier": told["SequenceNumber"]}]}
    return {"batchItemFailures": []}


def _records(batch: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    records = batch.get("Records") if isinstance(batch, Mapping) else None
    if not isinstance(records, list) or any(
        record.get("eventSource") != "aws:dynamodb" for record in records
    ):
        raise UsageError("this is no batch of a DynamoDB stream; give what Lambda calls the handler with")
    return records


def _table_name(record: Mapping[str, Any]) -> str:
    """The table in `arn:aws:dynamodb:eu-north-1:123456789012:table/goals-main/stream/2026-01-01T00:00:00.000`."""
    return str(record["eventSourceARN"]).partition(":table/")[2].partition("/")[0]
