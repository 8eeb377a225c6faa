"""StartBulkPutItems, and the operations that describe, list and cancel bulk operations."""

from dataclasses import dataclass
from typing import Any

from tablewright.dynamodb.values.stored_items import fingerprint
from tablewright.engine.core.buckets.buckets import BUCKET_NAME, OWNER, TOKEN, Buckets
from tablewright.engine.core.buckets.import_files import zstd_opener
from tablewright.engine.core.buckets.ion_reader import require_amazon_ion
from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ARN, parse_name
from tablewright.engine.core.jobs.job_pages import LARGEST_PAGE, newest, page_of
from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.shapes import ListOf, Number, Shape, Text, one_of, required, structure
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.tables.table_definitions import is_shared
from tablewright.engine.features.bulk import bulk_put_job
from tablewright.errors import IdempotentParameterMismatch, ResourceInUse, ResourceNotFound, ValidationError

LEAST_UNITS = 1024
_PREFIX = Text(longest=1024)
_START_BULK_PUT_ITEMS = Shape(
    ClientToken=TOKEN,
    InputS3Configuration=required(
        structure(
            "InputS3Configuration",
            S3BucketOwner=OWNER,
            S3Bucket=BUCKET_NAME,
            S3KeyPrefix=_PREFIX,
            InputFormat=required(one_of("DYNAMODB_JSON", "ION")),
            InputCompressionType=one_of("GZIP", "ZSTD", "NONE"),
        )
    ),
    OutputS3Configuration=required(
        structure(
            "OutputS3Configuration",
            S3BucketOwner=OWNER,
            S3Bucket=BUCKET_NAME,
            S3KeyPrefix=_PREFIX,
            S3SseAlgorithm=one_of("AES256", "KMS"),
            S3SseKmsKeyId=Text(shortest=1, longest=2048),
            OutputType=required(ListOf(one_of("ERROR", "CONDITION_CHECK_FAILURE"))),
        )
    ),
    TableName=Text(shortest=1, longest=1024, required=True),
    MaxWriteRequestUnits=Number(least=LEAST_UNITS),
    PerformanceTier=one_of("STANDARD", "ACCELERATED"),
)
_REQUEST = "Invalid Request: "


@dataclass(frozen=True, slots=True)
class StartBulkPutItems:
    """Parsed StartBulkPutItems request."""

    table: str
    token: str | None
    raw: dict[str, Any]
    fingerprint: str


def _parse_start_bulk_put_items(request: dict[str, Any]) -> StartBulkPutItems:
    """Parse the request."""
    source, output = request["InputS3Configuration"], request["OutputS3Configuration"]
    if not output["OutputType"]:
        raise ValidationError(f"{_REQUEST}OutputType must have at least one value")
    if output.get("S3SseKmsKeyId") and output.get("S3SseAlgorithm") != "KMS":
        raise ValidationError(f"{_REQUEST}KMS Key Id is not supported for this encryption type")
    if any(part in (".", "..") for part in (output.get("S3KeyPrefix") or "").split("/")):
        raise ValidationError(f"{_REQUEST}S3KeyPrefix must not lead out of the bucket")
    if source.get("InputCompressionType") == "ZSTD":
        zstd_opener()
    if source["InputFormat"] == "ION":
        require_amazon_ion()
    return StartBulkPutItems(request["TableName"], request.get("ClientToken"), request, fingerprint(request))


def _run_start_bulk_put_items(tx: Writing, request: StartBulkPutItems) -> Reply:
    """Plan the operation; an identical request with the same token returns the operation planned before."""
    known = job_records.recall(tx, "bulk-operation", request.token)
    if known is not None:
        if known["Fingerprint"] != request.fingerprint:
            raise IdempotentParameterMismatch(
                "DynamoDB rejected the request because you retried a request with a different payload but with an "
                "idempotent token that was already used."
            )
        document = job_records.find(tx.rows, "bulk-operation", known["Key"]) or {}
        return {"BulkOperationDescription": document["Description"]}
    table = tx.described(request.table)
    _require_state(table)
    Buckets(tx.state.bucket_directory).require()
    name, document = bulk_put_job.create(tx, table, request.raw)
    if request.token is not None:
        saved = {"Fingerprint": request.fingerprint, "Key": name.key}
        job_records.remember(tx, "bulk-operation", request.token, saved)
    return {"BulkOperationDescription": document["Description"]}


def _require_state(table: StoredTable) -> None:
    building = next((index for index in table.all_indexes if index.is_building), None)
    if building is not None:
        raise ResourceInUse(
            f"Table {table.name} is creating the index {building.name}; start the bulk operation when the index "
            "is ACTIVE"
        )
    if is_shared(table):
        raise ValidationError(f"{_REQUEST}Bulk put items does not support global tables: {table.name}")


_DESCRIBE_BULK_OPERATION = Shape(BulkOperationArn=ARN)


def _parse_describe_bulk_operation(request: dict[str, Any]) -> str:
    """The ARN of the operation, validated."""
    parse_name(request["BulkOperationArn"], "bulk-operation")
    return request["BulkOperationArn"]  # type: ignore[no-any-return]


def find(tx: Reading, arn: str) -> job_records.Document:
    """The document of an operation, or ResourceNotFoundException."""
    document = job_records.find(tx.rows, "bulk-operation", parse_name(arn, "bulk-operation").key)
    if document is None:
        raise ResourceNotFound(f"Requested resource not found: Bulk operation: {arn} not found")
    return document


def _run_describe_bulk_operation(tx: Reading, request: str) -> Reply:
    """The description of the operation."""
    return {"BulkOperationDescription": find(tx, request)["Description"]}


_LIST_BULK_OPERATIONS = Shape(
    MaxResults=Number(least=1, most=LARGEST_PAGE),
    NextToken=Text(shortest=1, longest=1024, pattern="([0-9a-f]{16})+"),
)
_SHOWN = ("BulkOperationArn", "BulkOperationStatus", "StartTime", "EndTime")


@dataclass(frozen=True, slots=True)
class ListBulkOperations:
    """Parsed ListBulkOperations request."""

    size: int | None
    token: str | None


def _parse_list_bulk_operations(request: dict[str, Any]) -> ListBulkOperations:
    """Parse the request."""
    size = request.get("MaxResults")
    return ListBulkOperations(size and int(size), request.get("NextToken"))


def _run_list_bulk_operations(tx: Reading, request: ListBulkOperations) -> Reply:
    """One page; operations on deleted tables are listed too."""
    operations = newest(tx, "bulk-operation")
    page, token = page_of(operations, "bulk-operation", request.size, request.token)
    reply: Reply = {"BulkOperationsSummaryList": [_show(document["Description"]) for document in page]}
    return reply | ({"NextToken": token} if token else {})


def _show(description: dict[str, Any]) -> dict[str, Any]:
    return {name: description[name] for name in _SHOWN if name in description}


def _run_cancel_bulk_operation(tx: Writing, request: str) -> Reply:
    """Ask the job to stop: it does so before its next step."""
    document = find(tx, request)
    description = document["Description"]
    status = description["BulkOperationStatus"]
    if status not in ("IN_PROGRESS", "CANCELLING"):
        raise ValidationError(
            f"Invalid Request: Bulk operation {request} cannot be cancelled: its status is {status}"
        )
    description["BulkOperationStatus"] = "CANCELLING"
    job_records.save(tx.rows, "bulk-operation", parse_name(request, "bulk-operation").key, document)
    return {"BulkOperationArn": request, "BulkOperationStatus": "CANCELLING"}


OPERATIONS = (
    Operation(
        "StartBulkPutItems",
        _START_BULK_PUT_ITEMS,
        "write",
        _parse_start_bulk_put_items,
        _run_start_bulk_put_items,
        plans_job=True,
    ),
    Operation(
        "DescribeBulkOperation",
        _DESCRIBE_BULK_OPERATION,
        "read",
        _parse_describe_bulk_operation,
        _run_describe_bulk_operation,
    ),
    Operation(
        "ListBulkOperations",
        _LIST_BULK_OPERATIONS,
        "snapshot",
        _parse_list_bulk_operations,
        _run_list_bulk_operations,
    ),
    Operation(
        "CancelBulkOperation",
        _DESCRIBE_BULK_OPERATION,
        "write",
        _parse_describe_bulk_operation,
        _run_cancel_bulk_operation,
        plans_job=True,
    ),
)
