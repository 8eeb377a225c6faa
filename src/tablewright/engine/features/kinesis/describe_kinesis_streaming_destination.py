"""DescribeKinesisStreamingDestination: show the Kinesis streams that receive the changes of a table."""

from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.kinesis.destinations import describe, destinations_of

NAME = "DescribeKinesisStreamingDestination"
MODE = "read"
SHAPE = TableShape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def run(tx: Reading, request: str) -> Reply:
    """All destinations of the table, the latest last."""
    table = tx.described(request)
    return {
        "TableName": table.name,
        "KinesisDataStreamDestinations": [describe(each) for each in destinations_of(table)],
    }
