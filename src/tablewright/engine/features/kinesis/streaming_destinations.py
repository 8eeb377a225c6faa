"""The operations on the Kinesis destinations of a table: enable, disable, update and describe."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.kinesis.destinations import (
    ENABLE_CONFIGURATION,
    STREAM_ARN,
    UPDATE_CONFIGURATION,
    describe,
    destinations_of,
    disable,
    enable,
    update,
)
from tablewright.errors import ValidationError

_ENABLE_KINESIS_STREAMING_DESTINATION = TableShape(
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


def _parse_enable_kinesis_streaming_destination(request: dict[str, Any]) -> EnableKinesisStreamingDestination:
    """Parse the request."""
    configuration = request.get("EnableKinesisStreamingConfiguration") or {}
    return EnableKinesisStreamingDestination(request["TableName"], request["StreamArn"], configuration)


def _run_enable_kinesis_streaming_destination(
    tx: Writing, request: EnableKinesisStreamingDestination
) -> Reply:
    """Add the destination; whether its stream can be used is shown by the next description."""
    table = tx.described(request.table)
    enable(tx, table, request.arn, request.configuration.get("ApproximateCreationDateTimePrecision"))
    return {
        "TableName": table.name,
        "StreamArn": request.arn,
        "DestinationStatus": "ENABLING",
        "EnableKinesisStreamingConfiguration": request.configuration,
    }


_DISABLE_KINESIS_STREAMING_DESTINATION = TableShape(
    TableName=TABLE_NAME,
    StreamArn=STREAM_ARN,
    EnableKinesisStreamingConfiguration=ENABLE_CONFIGURATION,
)


@dataclass(frozen=True, slots=True)
class DisableKinesisStreamingDestination:
    """Parsed DisableKinesisStreamingDestination request."""

    table: str
    arn: str


def _parse_disable_kinesis_streaming_destination(
    request: dict[str, Any],
) -> DisableKinesisStreamingDestination:
    """Parse the request. AWS's API has a configuration for it too, and rejects one."""
    if request.get("EnableKinesisStreamingConfiguration"):
        raise ValidationError(
            "Streaming destination cannot be disabled with given parameters: "
            "EnableKinesisStreamingConfiguration must be null"
        )
    return DisableKinesisStreamingDestination(request["TableName"], request["StreamArn"])


def _run_disable_kinesis_streaming_destination(
    tx: Writing, request: DisableKinesisStreamingDestination
) -> Reply:
    """Disable the destination."""
    table = tx.described(request.table)
    disable(tx, table, request.arn)
    return {"TableName": table.name, "StreamArn": request.arn, "DestinationStatus": "DISABLING"}


_UPDATE_KINESIS_STREAMING_DESTINATION = TableShape(
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


def _parse_update_kinesis_streaming_destination(request: dict[str, Any]) -> UpdateKinesisStreamingDestination:
    """Parse the request."""
    configuration = request.get("UpdateKinesisStreamingConfiguration") or {}
    precision = configuration.get("ApproximateCreationDateTimePrecision")
    if precision is None:
        raise ValidationError(
            "Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot "
            "be null or contain only null values"
        )
    return UpdateKinesisStreamingDestination(request["TableName"], request["StreamArn"], precision)


def _run_update_kinesis_streaming_destination(
    tx: Writing, request: UpdateKinesisStreamingDestination
) -> Reply:
    """Change the precision of later records."""
    table = tx.described(request.table)
    update(tx, table, request.arn, request.precision)
    return {
        "TableName": table.name,
        "StreamArn": request.arn,
        "DestinationStatus": "UPDATING",
        "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": request.precision},
    }


_DESCRIBE_KINESIS_STREAMING_DESTINATION = TableShape(TableName=TABLE_NAME)


def _parse_describe_kinesis_streaming_destination(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def _run_describe_kinesis_streaming_destination(tx: Reading, request: str) -> Reply:
    """All destinations of the table, the latest last."""
    table = tx.described(request)
    return {
        "TableName": table.name,
        "KinesisDataStreamDestinations": [describe(each) for each in destinations_of(table)],
    }


OPERATIONS = (
    Operation(
        "EnableKinesisStreamingDestination",
        _ENABLE_KINESIS_STREAMING_DESTINATION,
        "write",
        _parse_enable_kinesis_streaming_destination,
        _run_enable_kinesis_streaming_destination,
    ),
    Operation(
        "DisableKinesisStreamingDestination",
        _DISABLE_KINESIS_STREAMING_DESTINATION,
        "write",
        _parse_disable_kinesis_streaming_destination,
        _run_disable_kinesis_streaming_destination,
    ),
    Operation(
        "UpdateKinesisStreamingDestination",
        _UPDATE_KINESIS_STREAMING_DESTINATION,
        "write",
        _parse_update_kinesis_streaming_destination,
        _run_update_kinesis_streaming_destination,
    ),
    Operation(
        "DescribeKinesisStreamingDestination",
        _DESCRIBE_KINESIS_STREAMING_DESTINATION,
        "read",
        _parse_describe_kinesis_streaming_destination,
        _run_describe_kinesis_streaming_destination,
    ),
)
