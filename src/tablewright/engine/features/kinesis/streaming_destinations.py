"""The operations on the Kinesis destinations of a table: enable, disable, update and describe.

Kinesis destinations of a table: which stream receives the records of its changes, and in which state.

    definition["Kinesis"]   a list of {"Id", "StreamArn", "DestinationStatus", "Description", "Precision"}

A table has at most one destination that is ACTIVE, and any number that are DISABLED or ENABLE_FAILED. The replies of
operations show the change under way (ENABLING, DISABLING, UPDATING); it is complete before the next description.
"""

from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from tablewright.engine.core.buckets.buckets import Buckets
from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.arns import ACCOUNT, parse_arn
from tablewright.engine.core.requests.shapes import Text, one_of, required, structure
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.kinesis.outbox import announce
from tablewright.errors import ValidationError

STREAM_ARN = required(Text(shortest=37, longest=1024))
PRECISION = one_of("MILLISECOND", "MICROSECOND")
ENABLE_CONFIGURATION = structure(
    "EnableKinesisStreamingConfiguration", ApproximateCreationDateTimePrecision=PRECISION
)
UPDATE_CONFIGURATION = structure(
    "UpdateKinesisStreamingConfiguration", ApproximateCreationDateTimePrecision=PRECISION
)
DEFAULT_PRECISION = "MILLISECOND"

_STATE = "Table is not in a valid state to enable Kinesis Streaming Destination: "
_UNUSABLE = "The kinesis Arn used to enable kinesis replication belongs to a stream which is not in "
_OTHER_REGION = f"{_UNUSABLE}the current region"
_NOT_ACTIVE = f"{_UNUSABLE}Active state"
_NO_PERMISSION = "User does not have a permission to use kinesis stream"

Destination = dict[str, Any]


def destinations_of(table: StoredTable) -> list[Destination]:
    """All destinations that the table has had."""
    return table.definition.get("Kinesis") or []


def describe(destination: Destination) -> dict[str, Any]:
    """As DescribeKinesisStreamingDestination shows it."""
    shown = {"StreamArn": destination["StreamArn"], "DestinationStatus": destination["DestinationStatus"]}
    if destination.get("Description"):
        shown["DestinationStatusDescription"] = destination["Description"]
    if destination.get("Precision"):
        shown["ApproximateCreationDateTimePrecision"] = destination["Precision"]
    return shown


def enable(tx: Writing, table: StoredTable, arn: str, precision: str | None) -> None:
    """Send the table's changes to a stream from now on. AWS finds a wrong stream only later; so does this."""
    if any(destination["DestinationStatus"] == "ACTIVE" for destination in destinations_of(table)):
        raise ValidationError(
            f"{_STATE}EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation."
        )
    problem = _problem(arn, tx.state.region)
    added: Destination = {"StreamArn": arn, "DestinationStatus": "ENABLE_FAILED", "Description": problem}
    if problem is None:
        Buckets(tx.state.bucket_directory).require()
        number = tx.state.catalog.next_number(tx.rows)
        added = {"Id": number, "StreamArn": arn, "DestinationStatus": "ACTIVE", "Precision": precision}
        announce(tx, number, arn, table.name)
    _save(tx, table, added)


def disable(tx: Writing, table: StoredTable, arn: str) -> None:
    """Stop sending changes to a stream; changes made before are still delivered."""
    current = _find(table, arn)
    if current is None or current["DestinationStatus"] != "ACTIVE":
        raise ValidationError(
            f"{_STATE}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation."
        )
    _save(tx, table, {"StreamArn": arn, "DestinationStatus": "DISABLED"})


def update(tx: Writing, table: StoredTable, arn: str, precision: str) -> None:
    """Change the precision of the records' timestamps."""
    current = _find(table, arn)
    if current is None:
        raise ValidationError(
            f"{_STATE}No streaming destination with streamArn: {arn} found for table with tableName: {table.name}"
        )
    if current["DestinationStatus"] != "ACTIVE":
        raise ValidationError(
            f"{_STATE}Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state."
        )
    if precision == (current.get("Precision") or DEFAULT_PRECISION):
        raise ValidationError(
            f"Invalid Request: Precision is already set to the desired value of {precision} for tableId: "
            f"{table.description['TableId']}, kdsArn: {arn}"
        )
    _save(tx, table, {**current, "Precision": precision})


def _find(table: StoredTable, arn: str) -> Destination | None:
    return next(
        (destination for destination in destinations_of(table) if destination["StreamArn"] == arn), None
    )


def _save(tx: Writing, table: StoredTable, changed: Destination) -> None:
    arn = changed["StreamArn"]
    others = [destination for destination in destinations_of(table) if destination["StreamArn"] != arn]
    tx.state.catalog.save(tx.rows, {**table.definition, "Kinesis": [*others, changed]})


def _problem(arn: str, region: str) -> str | None:
    """Why an ARN cannot be a destination, in AWS's words; None for a stream of this account and region."""
    parts = parse_arn(arn)
    if parts is None:
        return _NO_PERMISSION
    if parts.region != region:
        return _OTHER_REGION
    if parts.account != ACCOUNT or parts.service == "firehose":
        return _NOT_ACTIVE
    kind, _, name = parts.resource.partition("/")
    if parts.service != "kinesis" or kind != "stream" or not is_stream_name(name):
        return _NO_PERMISSION
    return None


def is_stream_name(name: str) -> bool:
    """Whether it is a valid name of a Kinesis stream; a name without a separator cannot lead out of its folder.

    >>> is_stream_name("orders"), is_stream_name("../x"), is_stream_name("..")
    (True, False, False)
    """
    allowed = name.replace("_", "").replace("-", "").replace(".", "")
    return 0 < len(name) <= 128 and allowed.isascii() and allowed.isalnum()


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


def _run_describe_kinesis_streaming_destination(tx: Reading, request: str) -> Reply:
    """All destinations of the table, the latest last."""
    table = tx.described(request)
    return {
        "TableName": table.name,
        "KinesisDataStreamDestinations": [describe(destination) for destination in destinations_of(table)],
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
        itemgetter("TableName"),
        _run_describe_kinesis_streaming_destination,
    ),
)
