"""ExportTableToPointInTime: write a table as of a point in time, or its changes in a period, to a bucket.

DescribeExport and ListExports.
"""

from dataclasses import dataclass
from typing import Any

from tablewright.dynamodb.values.stored_items import fingerprint
from tablewright.engine.core.buckets.buckets import BUCKET_NAME, OWNER, PREFIX, TOKEN, Buckets
from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ARN, parse_name, require_account
from tablewright.engine.core.jobs.job_pages import LARGEST_PAGE, newest, page_of
from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.arns import parse_arn
from tablewright.engine.core.requests.shapes import Number, Shape, Text, one_of, structure
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.sequence_numbers import sequence_at
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.engine.features.backups.change_journal import number_after
from tablewright.engine.features.backups.point_in_time_recovery import format_time, window
from tablewright.engine.features.exports import export_filters, export_job
from tablewright.errors import (
    ExportConflict,
    ExportNotFound,
    InvalidExportTime,
    TableNotFound,
    ValidationError,
)

NAME = "ExportTableToPointInTime"
MODE = "write"
PLANS = True
_TIMESTAMP = Number(java="Date")
SHAPE = Shape(
    TableArn=Text(shortest=1, longest=1024, required=True),
    ExportTime=_TIMESTAMP,
    ClientToken=TOKEN,
    S3Bucket=BUCKET_NAME,
    S3BucketOwner=OWNER,
    S3Prefix=PREFIX,
    S3SseAlgorithm=one_of("AES256", "KMS"),
    S3SseKmsKeyId=Text(shortest=1, longest=2048),
    ExportFormat=one_of("DYNAMODB_JSON", "ION"),
    ExportType=one_of("FULL_EXPORT", "INCREMENTAL_EXPORT"),
    IncrementalExportSpecification=structure(
        "IncrementalExportSpecification",
        ExportFromTime=_TIMESTAMP,
        ExportToTime=_TIMESTAMP,
        ExportViewType=one_of("NEW_IMAGE", "NEW_AND_OLD_IMAGES"),
    ),
    FilterSpecification=export_filters.SHAPE,
)

SHORTEST = 15 * 60
LONGEST = 24 * 3600
_REQUEST = "Invalid Request: "
_BETWEEN = "Difference between export period from time and export period to time is"


@dataclass(frozen=True, slots=True)
class ExportTable:
    """Parsed ExportTableToPointInTime request."""

    table: str
    token: str | None
    time: float | None
    incremental: dict[str, Any] | None
    filter: export_filters.ExportFilter
    raw: dict[str, Any]
    fingerprint: str


def parse(request: dict[str, Any]) -> ExportTable:
    """Parse the request, in AWS's order of checks."""
    _require_table(request["TableArn"])
    _require_type(request)
    if request.get("S3SseKmsKeyId") and request.get("S3SseAlgorithm") != "KMS":
        raise ValidationError(f"{_REQUEST}KMS Key Id is not supported for this encryption type")
    for part in (request.get("S3Prefix") or "").split("/"):
        if part in (".", ".."):
            raise ValidationError(f"{_REQUEST}S3Prefix must not lead out of the bucket")
    return ExportTable(
        request["TableArn"],
        request.get("ClientToken"),
        request.get("ExportTime"),
        request.get("IncrementalExportSpecification"),
        export_filters.filter_of(request.get("FilterSpecification")),
        request,
        fingerprint(request),
    )


def _require_table(arn: str) -> None:
    parts = parse_arn(arn)
    if parts is None or parts.service != "dynamodb":
        raise ValidationError(f"{INVALID}tableArn is not a valid ARN")
    if not parts.resource.startswith("table/") or parts.resource.count("/") > 1:
        raise ValidationError(f"{_REQUEST}Table ARN is invalid.")
    require_account(parts.account)


def _require_type(request: dict[str, Any]) -> None:
    kind, specification = request.get("ExportType"), request.get("IncrementalExportSpecification")
    if specification is not None and kind is None:
        raise ValidationError(
            f"{_REQUEST}Export Type expected to be Incremental Export when incremental export specification is "
            "provided"
        )
    if specification is not None and kind == "FULL_EXPORT":
        raise ValidationError(
            f"{_REQUEST}When Export Type is Full Export , Incremental Export Specification should not be provided"
        )
    if kind != "INCREMENTAL_EXPORT":
        return
    if specification is None:
        raise ValidationError(
            f"{_REQUEST}Incremental Export Specification expected when export type is set as Incremental Export"
        )
    if specification.get("ExportFromTime") is None:
        raise ValidationError(f"{_REQUEST}ExportFromTime must be provided in IncrementalExportSpecification")
    if request.get("FilterSpecification") is not None:
        raise ValidationError(f"{_REQUEST}FilterSpecification is not supported for Incremental Export")


def run(tx: Writing, request: ExportTable) -> Reply:
    """Plan the export; an identical request with the same token returns the export planned before."""
    table = tx.durable_table(request.table)
    if table is None or parse_arn(request.table) != parse_arn(table.description["TableArn"]):
        raise TableNotFound(f"Table not found: {request.table}")
    known = job_records.recall(tx, "export", request.token)
    if known is not None:
        if known["Fingerprint"] != request.fingerprint:
            raise ExportConflict("Export conflict: Duplicate request detected with conflicting parameters")
        return {"ExportDescription": (job_records.find(tx.rows, "export", known["Key"]) or {})["Description"]}
    if request.incremental is None:
        low, high = _require_export_time(table, request.time, tx.now()), None
        parameters = request.raw
    else:
        specification = _require_period(table, request.incremental, tx.now())
        low = sequence_at(specification["ExportFromTime"])
        high = sequence_at(specification["ExportToTime"])
        parameters = {**request.raw, "IncrementalExportSpecification": specification}
    request.filter.span(table)
    Buckets(tx.state.bucket_directory).require()
    document = export_job.create(tx, table, parameters, low, high)
    _remember(tx, request, document["Description"])
    return {"ExportDescription": document["Description"]}


def _remember(tx: Writing, request: ExportTable, description: dict[str, Any]) -> None:
    arn = description["ExportArn"]
    key = f"{arn.rpartition('/')[2]}\0{description['TableArn'].rpartition('/')[2]}"
    known = {"Fingerprint": request.fingerprint, "Key": key}
    job_records.remember(tx, "export", description["ClientToken"], known)


def _require_export_time(table: StoredTable, time: float | None, now: float) -> int | None:
    first, last = window(table, now)
    if time is None:
        return None
    if not first <= time <= now:
        raise InvalidExportTime("Export Time is invalid")
    if time > last:
        raise InvalidExportTime("Point in Time Recovery is not available for specified export time")
    return number_after(time)


def _require_period(table: StoredTable, requested: dict[str, Any], now: float) -> dict[str, Any]:
    """The period with default end and view filled in; raises InvalidExportTime when it cannot be exported."""
    start, end = requested["ExportFromTime"], requested.get("ExportToTime")
    if start < int(table.description["CreationDateTime"]):
        raise InvalidExportTime(
            "Incremental export period from time cannot be less than the table creation time : "
            f"{format_time(start)}"
        )
    if end is not None and end > now:
        raise InvalidExportTime(
            f"Incremental export period to time cannot be greater than the current time : {format_time(end)}"
        )
    end = int(now) if end is None else end
    if end - start < SHORTEST:
        raise InvalidExportTime(f"{_BETWEEN} less than 15 minutes")
    if end - start > LONGEST:
        raise InvalidExportTime(f"{_BETWEEN} greater than 24 hours")
    if start < window(table, now)[0]:
        raise InvalidExportTime("Point in Time Recovery is not available for specified export time")
    view = requested.get("ExportViewType") or "NEW_AND_OLD_IMAGES"
    return {"ExportFromTime": start, "ExportToTime": end, "ExportViewType": view}


_DESCRIBE_EXPORT = Shape(ExportArn=ARN)


def _parse_describe_export(request: dict[str, Any]) -> str:
    """The export's ARN, validated."""
    parse_name(request["ExportArn"], "export")
    return request["ExportArn"]  # type: ignore[no-any-return]


def _run_describe_export(tx: Reading, request: str) -> Reply:
    """The description of the export."""
    document = job_records.find(tx.rows, "export", parse_name(request, "export").key)
    if document is None:
        raise ExportNotFound(f"Export not found: Export not found: {request}")
    return {"ExportDescription": document["Description"]}


_LIST_EXPORTS = Shape(
    TableArn=Text(shortest=1, longest=1024),
    MaxResults=Number(least=1, most=LARGEST_PAGE),
    NextToken=Text(),
)


@dataclass(frozen=True, slots=True)
class ListExports:
    """Parsed ListExports request."""

    table: str | None
    limit: int | None
    token: str | None


def _parse_list_exports(request: dict[str, Any]) -> ListExports:
    """Parse the request."""
    limit = request.get("MaxResults")
    return ListExports(request.get("TableArn"), limit and int(limit), request.get("NextToken"))


def _run_list_exports(tx: Reading, request: ListExports) -> Reply:
    """One page. The exports of a deleted table are not listed, even when a new table has its name."""
    exports = newest(tx, "export")
    if request.table is not None:
        table = tx.durable_table(request.table)
        exports = [
            export
            for export in exports
            if table is not None and export[1]["Description"]["TableId"] == table.description["TableId"]
        ]
    page, token = page_of(exports, "export", request.limit, request.token)
    reply: Reply = {"ExportSummaries": [_show(document["Description"]) for document in page]}
    return reply | ({"NextToken": token} if token else {})


def _show(description: dict[str, Any]) -> dict[str, Any]:
    return {
        "ExportArn": description["ExportArn"],
        "ExportStatus": description["ExportStatus"],
        "ExportType": description.get("ExportType", "FULL_EXPORT"),
    }


OPERATIONS = (
    Operation("DescribeExport", _DESCRIBE_EXPORT, "read", _parse_describe_export, _run_describe_export),
    Operation("ListExports", _LIST_EXPORTS, "snapshot", _parse_list_exports, _run_list_exports),
)
