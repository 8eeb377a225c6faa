"""StartBulkPutItems: put the items of the files of a bucket into an existing table."""

from dataclasses import dataclass
from typing import Any

from tablewright.dynamodb.values.stored_items import fingerprint
from tablewright.engine.core.buckets.buckets import BUCKET_NAME, Buckets
from tablewright.engine.core.buckets.import_files import zstd_opener
from tablewright.engine.core.buckets.ion_reader import require_amazon_ion
from tablewright.engine.core.jobs import job_records, job_tokens
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import ListOf, Number, Shape, Text, one_of, required, structure
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import Table
from tablewright.engine.features.bulk import bulk_put_job
from tablewright.engine.features.exports.export_table_to_point_in_time import OWNER, TOKEN
from tablewright.errors import IdempotentParameterMismatch, ResourceInUse, ValidationError

NAME = "StartBulkPutItems"
MODE = "write"
PLANS = True
LEAST_UNITS = 1024
_PREFIX = Text(longest=1024)
SHAPE = Shape(
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


def parse(request: dict[str, Any]) -> StartBulkPutItems:
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


def run(tx: Writing, request: StartBulkPutItems) -> Reply:
    """Plan the operation; an identical request with the same token returns the operation planned before."""
    known = job_tokens.recall(tx, "bulk-operation", request.token)
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
        job_tokens.remember(tx, "bulk-operation", request.token, saved)
    return {"BulkOperationDescription": document["Description"]}


def _require_state(table: Table) -> None:
    building = next((index for index in table.all_indexes if index.is_building), None)
    if building is not None:
        raise ResourceInUse(
            f"Table {table.name} is creating the index {building.name}; start the bulk operation when the index "
            "is ACTIVE"
        )
    if table.replica_space is not None:
        raise ValidationError(f"{_REQUEST}Bulk put items does not support global tables: {table.name}")
