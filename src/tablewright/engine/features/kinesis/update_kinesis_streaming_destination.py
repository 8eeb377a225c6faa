"""UpdateKinesisStreamingDestination: change the precision of timestamps that a Kinesis stream receives."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.kinesis.destinations import STREAM_ARN, UPDATE_CONFIGURATION, update
from tablewright.errors import ValidationError

NAME = "UpdateKinesisStreamingDestination"
MODE = "write"
SHAPE = TableShape(
    TableName=TABLE_NAME,
    StreamArn=STREAM_ARN,
    UpdateKinesisStreamingConfiguration=UPDATE_CONFIGURATION,
)


@dataclass(frozen=True, slots=True)
class UpdateKinesisStreamingDestination:
    """Parsed UpdateKinesisStreamingDestination request."""

    table: str
    arn: str
    precision: str


def parse(request: dict[str, Any]) -> UpdateKinesisStreamingDestination:
    """Parse the request."""
    configuration = request.get("UpdateKinesisStreamingConfiguration") or {}
    precision = configuration.get("ApproximateCreationDateTimePrecision")
    if precision is None:
        raise ValidationError(
            "Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot "
            "be null or contain only null values"
        )
    return UpdateKinesisStreamingDestination(request["TableName"], request["StreamArn"], precision)


def run(tx: Writing, request: UpdateKinesisStreamingDestination) -> Reply:
    """Change the precision of later records."""
    table = tx.described(request.table)
    update(tx, table, request.arn, request.precision)
    return {
        "TableName": table.name,
        "StreamArn": request.arn,
        "DestinationStatus": "UPDATING",
        "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": request.precision},
    }
