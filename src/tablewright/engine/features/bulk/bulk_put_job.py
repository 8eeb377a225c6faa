"""Bulk put job: put the records of objects into a table, in short transactions concurrently with other writers.

The record of the job has the position: the object, and the number of its records that are done. It is saved in the
transaction that writes their items, so a job that continues after a kill neither repeats nor skips a record.

    Object     the key of the object that is being read; objects are read in the order of their keys
    Records    the number of its records that are done
    Finished   the bytes of the objects before it
    Reports    the state of each report (see `bulk_reports`)
    Outcome    the result, once all records are done: only the reports and the description remain to be completed

Bulk usage: the bytes that a bulk operation wrote to a table and to each of its indexes.

Bytes are item sizes as stored: the whole item in the table, the projected part of it in an index.

Write pace: the pauses that keep a job below a rate of write request units per second.

It follows real time and not the clock of the database: a frozen clock must not stop a job.
"""

import time
import uuid
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tablewright.dynamodb.values.stored_items import StoredItem, encode
from tablewright.engine.core.buckets.buckets import Bucket, Buckets, Denied, NoSuchBucket, manifest_time
from tablewright.engine.core.buckets.import_files import ObjectSource
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ResourceName, arn_of, new_name
from tablewright.engine.core.jobs.job_records import Document
from tablewright.engine.core.jobs.job_runner import new_key, schedule
from tablewright.engine.core.requests.arns import ACCOUNT
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.row_batches import MAX_BYTES, MAX_SECONDS
from tablewright.engine.core.writes.item_collections import require_room
from tablewright.engine.features.bulk.bulk_records import (
    EMPTY,
    Record,
    RecordFailure,
    ReportFiles,
    extended,
    read_records,
)
from tablewright.errors import ConditionalCheckFailed, ServiceError

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job


from collections.abc import Callable

from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.index_rows import Row
from tablewright.engine.core.state.catalog import StoredIndex


class WritePace:
    """Computes the pause before the next step; `limit` is in units per second, None for no limit.

    >>> pace = WritePace(1024, monotonic=lambda: 0.0)
    >>> pace.pause_after(512.0)
    0.5
    """

    def __init__(self, limit: int | None, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._monotonic = monotonic
        self._ready = monotonic()
        """The time at which the units written so far are paid for."""

    def pause_after(self, units: float) -> float:
        """The seconds to wait after a step that wrote these units. Time that was not used is not saved up."""
        if self._limit is None:
            return 0.0
        now = self._monotonic()
        self._ready = max(self._ready, now) + units / self._limit
        return self._ready - now


_MEMBERS = {"local": "LocalSecondaryIndexes", "global": "GlobalSecondaryIndexes"}


class UsageMeter(CapacityMeter):
    """Counts the bytes of each write, beside its capacity units."""

    __slots__ = ("_bytes", "_index_bytes", "_vector_bytes")

    def __init__(self, table: StoredTable) -> None:
        super().__init__(table)
        self._bytes = 0
        self._index_bytes: dict[StoredIndex, int] = {}
        self._vector_bytes: dict[str, int] = {}

    def write(self, old: StoredItem | None, new: StoredItem | None) -> None:
        """Count a write of the table."""
        super().write(old, new)
        self._bytes += new.size if new else 0

    def write_index(self, index: StoredIndex, before: Row | None, after: Row | None) -> None:
        """Count a write of an index."""
        super().write_index(index, before, after)
        self._index_bytes[index] = self._index_bytes.get(index, 0) + (after[1].size if after else 0)

    def write_other_index(self, member: str, name: str, unit: str, amount: float) -> None:
        """Count a write of a vector index; its bytes are not part of `BulkPutBytes`."""
        super().write_other_index(member, name, unit, amount)
        self._vector_bytes[name] = self._vector_bytes.get(name, 0) + int(amount)

    def add_to(self, usage: dict[str, Any]) -> None:
        """Add the bytes to an entry of `BulkOperationUsage`."""
        _add(usage, self._bytes + sum(self._index_bytes.values()))
        _add(usage.setdefault("Table", {}), self._bytes)
        for index, size in self._index_bytes.items():
            member = usage.setdefault(_MEMBERS[index.kind], {})
            _add(member.setdefault(index.name, {}), size)
        for name, size in self._vector_bytes.items():
            entry = usage.setdefault("VectorIndexes", {}).setdefault(name, {})
            entry["BulkPutVectorBytes"] = entry.get("BulkPutVectorBytes", 0) + size


def _add(entry: dict[str, Any], size: int) -> None:
    entry["BulkPutBytes"] = entry.get("BulkPutBytes", 0) + size


RECORDS_AT_ONCE = 128
KIND: Final = "bulk-operation"

Outcome = dict[str, Any]


def create(tx: Writing, table: StoredTable, request: dict[str, Any]) -> tuple[ResourceName, Document]:
    """Save a new bulk operation, and schedule its job."""
    now = round(tx.now(), 3)
    name = new_name(tx.rows, KIND, table.name, now)
    description: dict[str, Any] = {
        "BulkOperationArn": arn_of(table.description["TableArn"], KIND, name),
        "BulkOperationStatus": "IN_PROGRESS",
        "TableDetails": [{"TableName": table.name, "TableId": table.description["TableId"]}],
        "ClientToken": request.get("ClientToken") or str(uuid.uuid4()),
        "InputS3Configuration": {
            "S3BucketOwner": ACCOUNT,
            "InputCompressionType": "NONE",
            **_given(request["InputS3Configuration"]),
        },
        "OutputS3Configuration": {"S3BucketOwner": ACCOUNT, **_given(request["OutputS3Configuration"])},
        "StartTime": now,
        "ProcessedItemCount": 0,
        "ProcessedInputBytes": 0,
        "BulkOperationUsage": [{"TableName": table.name, "BulkPutBytes": 0, "Table": {"BulkPutBytes": 0}}],
        "FailedItemCount": 0,
        "PerformanceTier": request.get("PerformanceTier") or "STANDARD",
    }
    if request.get("MaxWriteRequestUnits") is not None:
        description["MaxWriteRequestUnits"] = int(request["MaxWriteRequestUnits"])
    document: Document = {"Description": description}
    job_records.save(tx.rows, KIND, name.key, document)
    reports = dict.fromkeys(description["OutputS3Configuration"]["OutputType"], EMPTY)
    position = {"Object": "", "Records": 0, "Finished": 0, "Reports": reports}
    schedule(tx, new_key(tx), KIND, {"Operation": name.key, **position})
    return name, document


def _given(configuration: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in configuration.items() if value is not None}


def run(job: "Job") -> None:
    """Run the job: put all records, complete the reports, then show the result."""
    document = job.read(lambda tx: job_records.find(tx.rows, KIND, job.document["Operation"]))
    assert document is not None
    description = document["Description"]
    try:
        put = _BulkPut(job, description)
        outcome = job.document.get("Outcome") or put.put_all()
        job.write(partial(_keep_outcome, job=job, outcome=outcome))
        put.complete_reports(outcome)
    except NoSuchBucket as missing:
        problem = missing.problem
        outcome = _failed("S3NoSuchBucket", problem)
    except Denied:
        outcome = _failed("S3AccessDenied", "Access Denied")
    except OSError as error:
        problem = f"A file of the bucket could not be read or written: {error.strerror or error}"
        outcome = _failed("S3Error", problem)
    job.write(partial(_finish, job=job, outcome=outcome))


def _failed(code: str, message: str) -> Outcome:
    return {"BulkOperationStatus": "FAILED", "FailureCode": code, "FailureMessage": message}


_CANCELLED = {
    "BulkOperationStatus": "CANCELLED",
    "FailureCode": "Cancelled",
    "FailureMessage": "The bulk operation was cancelled. Items that it had written remain in the table.",
}


class _InputObject(NamedTuple):
    key: str
    path: Path
    size: int


class _Ended(Exception):
    """The operation cannot continue, or was cancelled."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


class _BulkPut:
    """One running operation; raises NoSuchBucket or Denied if it cannot read its input or write its reports."""

    def __init__(self, job: "Job", description: dict[str, Any]) -> None:
        self._job = job
        self._description = description
        self._input = description["InputS3Configuration"]
        output = description["OutputS3Configuration"]
        self._bucket = self._open(self._input)
        operation = description["BulkOperationArn"].rpartition("/")[2]
        self._files = ReportFiles(self._open(output), output.get("S3KeyPrefix"), operation)
        self._pace = WritePace(description.get("MaxWriteRequestUnits"))
        self._files.begin()
        self._append_pending()

    def _open(self, configuration: dict[str, Any]) -> Bucket:
        if configuration["S3BucketOwner"] != ACCOUNT:
            raise Denied
        return Buckets(self._job.state.bucket_directory).bucket(configuration["S3Bucket"])

    def put_all(self) -> Outcome:
        """Put all records that are not done yet; return the result of the operation."""
        objects = [
            _InputObject(self._bucket.key(path), path, path.stat().st_size)
            for path in self._bucket.objects(self._input.get("S3KeyPrefix") or "")
        ]
        if "TotalInputBytes" not in self._description:
            self._job.write(partial(self._show_total, total=sum(entry.size for entry in objects)))
        try:
            for entry in objects:
                if entry.key >= self._job.document["Object"]:
                    self._put_object(entry)
        except _Ended as end:
            return end.outcome
        return {}

    def _show_total(self, tx: Writing, total: int) -> None:
        key = self._job.document["Operation"]
        document = job_records.find(tx.rows, KIND, key)
        assert document is not None
        document["Description"]["TotalInputBytes"] = total
        job_records.save(tx.rows, KIND, key, document)

    def _put_object(self, entry: _InputObject) -> None:
        done = self._job.document["Records"] if entry.key == self._job.document["Object"] else 0
        table = self._description["TableDetails"][0]["TableName"]
        source = ObjectSource(entry.path, self._input["InputCompressionType"])
        batch: list[Record] = []
        size = 0
        for record in read_records(source, self._input["InputFormat"], table):
            if record.number <= done:
                continue
            batch.append(record)
            size += record.write.item.size if record.write else 0
            if len(batch) == RECORDS_AT_ONCE or size > MAX_BYTES:
                self._put_batch(entry, batch)
                batch, size = [], 0
        self._put_batch(entry, batch)
        self._job.write(partial(self._step, entry=entry, records=[], is_done=True))

    def _put_batch(self, entry: _InputObject, batch: list[Record]) -> None:
        while batch:
            done, units = self._job.write(partial(self._step, entry=entry, records=batch))
            self._append_pending()
            del batch[:done]
            pause = self._pace.pause_after(units)
            if pause > 0:
                self._job.pause(pause)

    def _append_pending(self) -> None:
        if "Outcome" not in self._job.document:
            for kind, report in self._job.document["Reports"].items():
                self._files.append(kind, report)

    def _step(
        self, tx: Writing, entry: _InputObject, records: list[Record], *, is_done: bool = False
    ) -> tuple[int, float]:
        """Put some of the records; return how many, and the write units. Save the position with them."""
        job = self._job
        document = job_records.find(tx.rows, KIND, job.document["Operation"])
        assert document is not None
        description = document["Description"]
        if description["BulkOperationStatus"] == "CANCELLING":
            raise _Ended(_CANCELLED)
        step = _Step(tx, _table(tx, description), entry.key)
        done = step.put(records)
        description["ProcessedItemCount"] += done
        description["FailedItemCount"] += step.failed
        step.meter.add_to(description["BulkOperationUsage"][0])
        before = job.document
        finished = before["Finished"] + (entry.size if is_done else 0)
        position = records[done - 1].position if done and self._input["InputCompressionType"] == "NONE" else 0
        # A compressed object counts when all of it was read.
        description["ProcessedInputBytes"] = max(description["ProcessedInputBytes"], finished + position)
        job_records.save(tx.rows, KIND, before["Operation"], document)
        job.document = {
            **before,
            # An object that is done is not opened again: the position is before the next key.
            "Object": entry.key + "\0" if is_done else entry.key,
            "Records": 0 if is_done else (records[done - 1].number if done else before["Records"]),
            "Finished": finished,
            "Reports": {
                kind: extended(report, step.lines.get(kind, [])) for kind, report in before["Reports"].items()
            },
        }
        job_records.save(tx.rows, "job", job.key, job.document)
        return done, step.meter.total

    def complete_reports(self, outcome: Outcome) -> None:
        """Make the reports visible, with the manifest."""
        description = self._description
        summary = {
            "version": "2026-08-01",
            "bulkOperationArn": description["BulkOperationArn"],
            "startTime": manifest_time(description["StartTime"]),
            **{name[0].lower() + name[1:]: value for name, value in outcome.items()},
        }
        self._files.finish(self._job.document["Reports"], summary)


def _table(tx: Writing, description: dict[str, Any]) -> StoredTable:
    detail = description["TableDetails"][0]
    table = tx.state.catalog.find(detail["TableName"])
    if table is None or table.description["TableId"] != detail["TableId"]:
        raise _Ended(_failed("TableNotFound", f"Table was deleted: {detail['TableName']}"))
    return table


class _Step:
    """The puts of one transaction, and the report lines of those that failed."""

    def __init__(self, tx: Writing, table: StoredTable, key: str) -> None:
        self._tx = tx
        self._table = table
        self._key = key
        self.meter = UsageMeter(table)
        self.failed = 0
        self.lines: dict[str, list[str]] = {}

    def put(self, records: list[Record]) -> int:
        """Put records until the step has taken its time; return how many."""
        end = time.perf_counter() + MAX_SECONDS
        size = done = 0
        for record in records:
            size += self._put(record)
            done += 1
            if time.perf_counter() >= end or size > MAX_BYTES:
                break
        return done

    def _put(self, record: Record) -> int:
        """Put one record, or report it; return the bytes of its report line."""
        write = record.write
        if write is None:
            assert record.failure is not None
            return self._fail(record, record.failure)
        old: StoredItem | None = None
        try:
            key = write.locate(self._table)
            # Not `tx.get`: the put uses no capacity of the table, so it is never throttled.
            old = self._tx.rows.get(self._table.space, key)
            write.condition.require(old)
            change = ItemChange(self._table, key, old, write.item)
            require_room(self._tx, change)
            self._tx.apply_uncharged(change, self.meter)
        except ConditionalCheckFailed:
            existing = {"ExistingItem": old.attributes} if old is not None else {}
            return self._report("CONDITION_CHECK_FAILURE", record, existing)
        except ServiceError as error:
            return self._fail(record, RecordFailure(error.code, error.message))
        return 0

    def _fail(self, record: Record, failure: RecordFailure) -> int:
        self.failed += 1
        return self._report("ERROR", record, {"ErrorCode": failure.code, "ErrorMessage": failure.message})

    def _report(self, kind: str, record: Record, detail: dict[str, Any]) -> int:
        item = {} if record.item is None else {"Item": record.item}
        line = encode({"S3Key": self._key, "RecordNumber": record.number, **detail, **item}).decode()
        self.lines.setdefault(kind, []).append(line)
        return len(line)


def _keep_outcome(tx: Writing, job: "Job", outcome: Outcome) -> None:
    if not outcome:
        document = job_records.find(tx.rows, KIND, job.document["Operation"])
        assert document is not None
        failed = document["Description"]["FailedItemCount"]
        outcome["BulkOperationStatus"] = "COMPLETED_WITH_ERRORS" if failed else "COMPLETED"
    job.document = {**job.document, "Outcome": outcome}
    job_records.save(tx.rows, "job", job.key, job.document)


def _finish(tx: Writing, job: "Job", outcome: Outcome) -> None:
    key = job.document["Operation"]
    document = job_records.find(tx.rows, KIND, key)
    assert document is not None
    document["Description"] |= {**outcome, "EndTime": round(tx.now(), 3)}
    job_records.save(tx.rows, KIND, key, document)
    job.end(tx)
