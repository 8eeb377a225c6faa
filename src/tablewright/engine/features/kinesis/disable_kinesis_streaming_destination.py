"""DisableKinesisStreamingDestination: stop sending the changes of a table to a Kinesis stream."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.kinesis.destinations import ENABLE_CONFIGURATION, STREAM_ARN, disable
from tablewright.errors import ValidationError

NAME = "DisableKinesisStreamingDestination"
MODE = "write"
SHAPE = TableShape(
    TableName=TABLE_NAME,
    StreamArn=STREAM_ARN,
    EnableKinesisStreamingConfiguration=ENABLE_CONFIGURATION,
)


@dataclass(frozen=True, slots=True)
class DisableKinesisStreamingDestination:
    """Parsed DisableKinesisStreamingDestination request."""

    table: str
    arn: str


def parse(request: dict[str, Any]) -> DisableKinesisStreamingDestination:
    """Parse the request. AWS's API has a configuration for it too, and rejects one."""
    if request.get("EnableKinesisStreamingConfiguration"):
        raise ValidationError(
            "Streaming destination cannot be disabled with given parameters: "
            "EnableKinesisStreamingConfiguration must be null"
        )
    return DisableKinesisStreamingDestination(request["TableName"], request["StreamArn"])


def run(tx: Writing, request: DisableKinesisStreamingDestination) -> Reply:
    """Disable the destination."""
    table = tx.described(request.table)
    disable(tx, table, request.arn)
    return {"TableName": table.name, "StreamArn": request.arn, "DestinationStatus": "DISABLING"}
