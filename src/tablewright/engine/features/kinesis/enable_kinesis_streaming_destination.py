"""EnableKinesisStreamingDestination: send the changes of a table to a Kinesis stream."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.kinesis.destinations import ENABLE_CONFIGURATION, STREAM_ARN, enable

NAME = "EnableKinesisStreamingDestination"
MODE = "write"
SHAPE = TableShape(
    TableName=TABLE_NAME,
    StreamArn=STREAM_ARN,
    EnableKinesisStreamingConfiguration=ENABLE_CONFIGURATION,
)


@dataclass(frozen=True, slots=True)
class EnableKinesisStreamingDestination:
    """Parsed EnableKinesisStreamingDestination request."""

    table: str
    arn: str
    configuration: dict[str, Any]


def parse(request: dict[str, Any]) -> EnableKinesisStreamingDestination:
    """Parse the request."""
    configuration = request.get("EnableKinesisStreamingConfiguration") or {}
    return EnableKinesisStreamingDestination(request["TableName"], request["StreamArn"], configuration)


def run(tx: Writing, request: EnableKinesisStreamingDestination) -> Reply:
    """Add the destination; whether its stream can be used is shown by the next description."""
    table = tx.described(request.table)
    enable(tx, table, request.arn, request.configuration.get("ApproximateCreationDateTimePrecision"))
    return {
        "TableName": table.name,
        "StreamArn": request.arn,
        "DestinationStatus": "ENABLING",
        "EnableKinesisStreamingConfiguration": request.configuration,
    }
