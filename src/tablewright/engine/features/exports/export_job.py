"""Export job: a table as of a point in time, or its changes in a period, as files in a bucket."""

import uuid
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from tablewright.dynamodb.values.attributes import base64_text
from tablewright.dynamodb.values.stored_items import StoredItem, decode, encode
from tablewright.engine.core.buckets.buckets import Buckets, Denied, NoSuchBucket, manifest_time
from tablewright.engine.core.jobs import index_fills, job_records, row_removals
from tablewright.engine.core.jobs.backup_arns import arn_of, new_name
from tablewright.engine.core.jobs.job_records import Document
from tablewright.engine.core.jobs.job_runner import new_key, schedule
from tablewright.engine.core.requests.arns import ACCOUNT
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.features.backups import row_copies
from tablewright.engine.features.exports.export_filters import ExportFilter, filter_of
from tablewright.engine.features.exports.export_lines import CHANGE_LINES, ITEM_LINES
from tablewright.engine.features.exports.export_manifests import ExportLayout
from tablewright.engine.features.exports.incremental_export import Window

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job

ITEMS_AT_ONCE = 1000
MIN_BILLED_BYTES = 10_000_000
"""The least that an incremental export is billed for."""
_COPIED = (
    "S3Bucket",
    "S3BucketOwner",
    "S3Prefix",
    "S3SseKmsKeyId",
    "ExportType",
    "FilterSpecification",
)


def create(
    tx: Writing, table: StoredTable, request: dict[str, Any], low: int | None, high: int | None
) -> Document:
    """Save a new export, and schedule its job.

    A full export contains the table before the change of number `low`, or as it is now; an incremental export the
    changes from `low` to `high`, without `high`.
    """
    now = round(tx.now(), 3)
    name = new_name(tx.rows, "export", table.name, now)
    description = {
        "ExportArn": arn_of(table.description["TableArn"], "export", name),
        "ExportStatus": "IN_PROGRESS",
        "StartTime": now,
        "TableArn": table.description["TableArn"],
        "TableId": table.description["TableId"],
        "ClientToken": request.get("ClientToken") or str(uuid.uuid4()),
        "S3SseAlgorithm": request.get("S3SseAlgorithm") or "AES256",
        "ExportFormat": request.get("ExportFormat") or "DYNAMODB_JSON",
    }
    description |= {member: request[member] for member in _COPIED if request.get(member) is not None}
    if high is None:
        description["ExportTime"] = now if request.get("ExportTime") is None else request["ExportTime"]
    else:
        description["IncrementalExportSpecification"] = request["IncrementalExportSpecification"]
    # Bytes from a Python caller are kept as base64, as in JSON.
    document: Document = decode(encode({"Description": description}, default=base64_text))
    job_records.save(tx.rows, "export", name.key, document)
    _schedule(tx, table, name.key, low, high)
    return document


def _schedule(tx: Writing, table: StoredTable, export: str, low: int | None, high: int | None) -> None:
    key = new_key(tx)
    held = row_copies.hold(tx, table, key)
    parameters = {
        "Table": table.id,
        "Definition": table.definition,
        "Export": export,
        "From": str(held if low is None else low),
        "To": None if high is None else str(min(held, high)),
        "Spaces": [tx.new_space(), tx.new_space()],
    }
    schedule(tx, key, "export", parameters)


def run(job: "Job") -> None:
    """Run the job: write the files, then save the outcome."""
    parameters = job.document
    document = job.read(lambda tx: job_records.find(tx.rows, "export", parameters["Export"]))
    assert document is not None
    description = document["Description"]
    try:
        outcome = _write(job, StoredTable.compile(parameters["Definition"]), description)
    except NoSuchBucket as missing:
        outcome = _failure(
            "S3NoSuchBucket",
            missing.problem,
            "404",
            "NoSuchBucket",
        )
    except Denied:
        outcome = _failure("S3AccessDenied", "Access Denied", "403", "AccessDenied")
    except OSError as error:
        outcome = _failure(
            "S3InternalError",
            f"A file of the bucket could not be written: {error.strerror}",
            "500",
            "InternalError",
        )
    job.write(partial(_finish, job=job, description=description | outcome))


def _failure(code: str, message: str, status: str, s3_code: str) -> dict[str, Any]:
    detail = f"{message} (Service: Amazon S3; Status Code: {status}; Error Code: {s3_code})"
    return {"ExportStatus": "FAILED", "FailureCode": code, "FailureMessage": detail}


def _finish(tx: Writing, job: "Job", description: dict[str, Any]) -> None:
    described = description | {"EndTime": round(tx.now(), 3)}
    job_records.save(tx.rows, "export", job.document["Export"], {"Description": described})
    row_removals.remove_spaces(tx, job.document["Spaces"])
    row_copies.release(tx, job.document["Table"], job.key)
    job.end(tx)


def _write(job: "Job", table: StoredTable, description: dict[str, Any]) -> dict[str, Any]:
    parameters = job.document
    is_full = parameters["To"] is None
    if description.get("S3BucketOwner", ACCOUNT) != ACCOUNT:
        raise Denied
    bucket = Buckets(job.state.bucket_directory).bucket(description["S3Bucket"])
    file_format = description["ExportFormat"]
    export = parameters["Export"].partition("\0")[0]
    layout = ExportLayout(bucket, description.get("S3Prefix"), export, file_format, is_full=is_full)
    layout.begin()
    index_fills.clear(job, *parameters["Spaces"])
    size = 0
    for lines, more in _full(job, table, description) if is_full else _changed(job, table, description):
        layout.write(lines)
        size += more
    billed = size if is_full else max(size, MIN_BILLED_BYTES)
    items = layout.finish(_summary(description, layout, billed, job.state.clock.now()))
    return {
        "ExportStatus": "COMPLETED",
        "ExportManifest": layout.manifest,
        "BilledSizeBytes": billed,
        "ItemCount": items,
    }


def _full(job: "Job", table: StoredTable, description: dict[str, Any]) -> Iterator[tuple[list[bytes], int]]:
    parameters, space = job.document, job.document["Spaces"][0]
    row_copies.copy_as_of(job, table.space, space, table.id, int(parameters["From"]))
    export_filter = filter_of(description.get("FilterSpecification"))
    line = ITEM_LINES[description["ExportFormat"]]
    span = export_filter.span(table)
    low: bytes | None = span.low
    while low is not None:
        rows = job.read(partial(_piece, space=space, low=low, high=span.high))
        picked = [item for item in map(partial(_pick, export_filter), rows) if item is not None]
        yield [line(item) for item in picked], sum(item.size for item in picked)
        low = rows[-1][0] + b"\0" if rows else None


def _piece(tx: Reading, space: int, low: bytes, high: bytes | None) -> list[tuple[bytes, StoredItem]]:
    return list(islice(tx.rows.range(space, low, high), ITEMS_AT_ONCE))


def _pick(export_filter: ExportFilter, row: tuple[bytes, StoredItem]) -> StoredItem | None:
    return export_filter.pick(row[1])


def _changed(
    job: "Job", table: StoredTable, description: dict[str, Any]
) -> Iterator[tuple[list[bytes], int]]:
    parameters = job.document
    window = Window(table, int(parameters["From"]), int(parameters["To"]), *parameters["Spaces"])
    window.collect(job)
    specification = description["IncrementalExportSpecification"]
    shows_old = specification["ExportViewType"] == "NEW_AND_OLD_IMAGES"
    line = CHANGE_LINES[description["ExportFormat"]]
    for piece in window.changes(job):
        shown = piece if shows_old else [change._replace(old=None) for change in piece]
        size = sum(image.size for change in shown for image in (change.old, change.new) if image)
        yield [line(change) for change in shown], size


def _summary(description: dict[str, Any], layout: ExportLayout, billed: int, now: float) -> dict[str, Any]:
    """The members of manifest-summary.json, in AWS's order; the item count is added with the last file."""
    incremental = description.get("IncrementalExportSpecification")
    times = {} if incremental else {"exportTime": manifest_time(description["ExportTime"])}
    if incremental:
        times = {
            "exportFromTime": manifest_time(incremental["ExportFromTime"]),
            "exportToTime": manifest_time(incremental["ExportToTime"]),
        }
    view = {"outputView": incremental["ExportViewType"]} if incremental else {}
    return {
        "version": "2023-08-01" if incremental else "2020-06-30",
        "exportArn": description["ExportArn"],
        "startTime": manifest_time(description["StartTime"]),
        "endTime": manifest_time(now),
        "tableArn": description["TableArn"],
        "tableId": description["TableId"],
        **times,
        "s3Bucket": description["S3Bucket"],
        "s3Prefix": description.get("S3Prefix"),
        "s3SseAlgorithm": description["S3SseAlgorithm"],
        "s3SseKmsKeyId": description.get("S3SseKmsKeyId"),
        "manifestFilesS3Key": layout.files_manifest,
        "billedSizeBytes": billed,
        "itemCount": 0,
        "outputFormat": description["ExportFormat"],
        **view,
        "exportType": "INCREMENTAL_EXPORT" if incremental else "FULL_EXPORT",
    }
