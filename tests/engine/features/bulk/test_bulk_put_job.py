"""Bulk put job: items into an existing table, conditions, reports, cancellation, and work that a kill interrupts."""

import json
import random
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from amazon.ion import simpleion

from tablewright.dynamodb.clock import Clock
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.jobs.job_runner import Job, Jobs
from tablewright.engine.core.state.catalog import StoredIndex, StoredTable
from tablewright.engine.database import Database
from tablewright.engine.features.bulk import bulk_put_job
from tablewright.engine.features.bulk.bulk_put_job import UsageMeter, WritePace
from tablewright.engine.features.faults.injector import Faults
from tablewright.engine.storage import open_store
from tablewright.errors import ProvisionedThroughputExceeded
from tests.engine.archive import BUCKET, INDEXED, START, archive, create, put, scan
from tests.engine.features.bulk.loading import (
    ABSENT,
    ARN,
    bulk_put,
    bulk_request,
    counts,
    describe,
    line,
    manifest,
    report,
    report_folder,
    upload,
)
from tests.engine.integrity import assert_indexes_match
from tests.engine.order_table import ORDERS
from tests.forked_processes import ForkedProcess

ROOT = Path(__file__).parents[4]


def test_items_are_put_into_an_existing_table(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_put_job, "RECORDS_AT_ONCE", 2)
    put(db, "u1", team="old", city="Oslo")
    lines = [line(f"u{number}", team="red") for number in range(5)]
    size = upload(db, "in/1.json", *lines[:3], "", "  ") + upload(db, "in/2.json", *lines[3:])
    upload(db, "in/empty.json")
    upload(db, "elsewhere/1.json", line("not read"))
    started = db.call("StartBulkPutItems", bulk_request())["BulkOperationDescription"]
    assert started["BulkOperationArn"].startswith(f"{ARN}01700000000000-")
    assert counts(started) == ("IN_PROGRESS", 0, 0)
    assert not {"EndTime", "TotalInputBytes", "FailureCode", "MaxWriteRequestUnits"} & set(started)
    assert started["PerformanceTier"] == "STANDARD"
    assert started["InputS3Configuration"] == {
        "S3BucketOwner": "123456789012",
        "S3Bucket": BUCKET,
        "S3KeyPrefix": "in/",
        "InputFormat": "DYNAMODB_JSON",
        "InputCompressionType": "NONE",
    }
    db.jobs.wait()
    ended = describe(db, started["BulkOperationArn"])
    assert ended == started | {
        "BulkOperationStatus": "COMPLETED",
        "EndTime": START,
        "ProcessedItemCount": 5,
        "ProcessedInputBytes": size,
        "TotalInputBytes": size,
        "BulkOperationUsage": [
            {
                "TableName": "users",
                "BulkPutBytes": 110,
                "Table": {"BulkPutBytes": 55},
                "GlobalSecondaryIndexes": {"by-team": {"BulkPutBytes": 55}},
            }
        ],
    }
    items = scan(db, "users")
    assert [item["id"]["S"] for item in items] == ["u0", "u1", "u2", "u3", "u4"]
    assert items[1] == {"id": {"S": "u1"}, "team": {"S": "red"}}
    assert scan(db, "users", IndexName="by-team") == items
    assert_indexes_match(db)


def test_a_condition_that_is_false_is_reported_and_is_no_failure(db: Database) -> None:
    existing = put(db, "ada", city="Oslo")
    newer = {
        "ConditionExpression": "#c < :new",
        "ExpressionAttributeNames": {"#c": "city"},
        "ExpressionAttributeValues": {":new": {"S": "Paris"}},
    }
    upload(db, "in/1.json", line("ada", ABSENT), line("bob", ABSENT), line("ada", newer, city="Rome"))
    upload(db, "in/2.json", line("ada", newer, city="Lund"), line("eve", newer))
    ended = bulk_put(db)
    assert counts(ended) == ("COMPLETED", 5, 0)
    assert [item.get("city") for item in scan(db, "users")] == [{"S": "Rome"}, None]
    failures = report(db, ended, "condition_check_failure")
    assert failures == [
        {"S3Key": "in/1.json", "RecordNumber": 1, "ExistingItem": existing, "Item": {"id": {"S": "ada"}}},
        {
            "S3Key": "in/2.json",
            "RecordNumber": 1,
            "ExistingItem": {"id": {"S": "ada"}, "city": {"S": "Rome"}},
            "Item": {"id": {"S": "ada"}, "city": {"S": "Lund"}},
        },
        {"S3Key": "in/2.json", "RecordNumber": 2, "Item": {"id": {"S": "eve"}}},
    ]
    assert report(db, ended, "error") == []


def test_invalid_records_are_reported_and_counted(db: Database) -> None:
    invalid = {
        "no key": '{"Item": {"city": {"S": "x"}}}',
        "key of another type": '{"Item": {"id": {"N": "1"}}}',
        "index key of another type": '{"Item": {"id": {"S": "x"}, "team": {"N": "1"}}}',
        "too large": json.dumps({"Item": {"id": {"S": "x"}, "v": {"S": "v" * 410_000}}}),
        "unknown member": '{"Item": {"id": {"S": "x"}}, "ConditionExpresion": "a = b"}',
        "invalid condition": '{"Item": {"id": {"S": "x"}}, "ConditionExpression": "id ="}',
    }
    upload(db, "in/1.json", line("ada"), *invalid.values(), line("bob"))
    ended = bulk_put(db)
    assert counts(ended) == ("COMPLETED_WITH_ERRORS", 2 + len(invalid), len(invalid))
    assert [item["id"]["S"] for item in scan(db, "users")] == ["ada", "bob"]
    errors = report(db, ended, "error")
    assert [error["RecordNumber"] for error in errors] == [2, 3, 4, 5, 6, 7]
    assert {error["ErrorCode"] for error in errors} == {"ValidationException"}
    assert errors[0]["ErrorMessage"] == (
        "One or more parameter values were invalid: Missing the key id in the item"
    )
    assert errors[0]["Item"] == {"city": {"S": "x"}}
    assert "ConditionExpresion is not a member of a record" in errors[4]["ErrorMessage"]
    assert manifest(db, ended)["files"] == [
        {
            "outputType": "ERROR",
            "itemCount": len(invalid),
            "dataFileS3Key": f"out/AWSDynamoDB/{ended['BulkOperationArn'].rpartition('/')[2]}/error.json",
        }
    ]


def test_a_record_that_does_not_parse_ends_its_object(db: Database) -> None:
    upload(db, "in/1.json", line("a"), "garbage", line("b"))
    upload(db, "in/2.json", '{"NotAnItem": {}}', line("c"))
    size = upload(db, "in/3.json", line("d"))
    ended = bulk_put(db)
    assert counts(ended) == ("COMPLETED_WITH_ERRORS", 4, 2)
    assert [item["id"]["S"] for item in scan(db, "users")] == ["a", "d"]
    errors = report(db, ended, "error")
    assert [(error["S3Key"], error["RecordNumber"], error["ErrorCode"]) for error in errors] == [
        ("in/1.json", 2, "ParsingError"),
        ("in/2.json", 1, "ParsingError"),
    ]
    assert ended["ProcessedInputBytes"] == ended["TotalInputBytes"] > size


def test_only_the_requested_reports_are_written(db: Database) -> None:
    put(db, "ada")
    upload(db, "in/1.json", line("ada", ABSENT), "garbage")
    ended = bulk_put(db, output={"OutputType": ["ERROR"]})
    assert counts(ended) == ("COMPLETED_WITH_ERRORS", 2, 1)
    assert len(report(db, ended, "error")) == 1
    assert report(db, ended, "condition_check_failure") == []


def test_compressed_and_ion_objects(db: Database) -> None:
    size = upload(db, "gz/1.gz", line("ada"), line("bob"), zipped=True)
    ended = bulk_put(db, "gz/", source={"InputCompressionType": "GZIP"})
    assert counts(ended) == ("COMPLETED", 2, 0)
    assert ended["ProcessedInputBytes"] == ended["TotalInputBytes"] == size
    records: list[dict[str, Any]] = [
        {"Item": {"id": "ada"}, **ABSENT},
        {
            "Item": {"id": "bob", "city": "Rome"},
            "ConditionExpression": "#i = :bob",
            "ExpressionAttributeNames": {"#i": "id"},
            "ExpressionAttributeValues": {":bob": "bob"},
        },
    ]
    assert db.bucket_directory is not None
    (db.bucket_directory / BUCKET / "ion").mkdir()
    text = "\n".join(simpleion.dumps(record, binary=False) for record in records)
    (db.bucket_directory / BUCKET / "ion" / "1.ion").write_text(text)
    ended = bulk_put(db, "ion/", source={"InputFormat": "ION"})
    assert counts(ended) == ("COMPLETED", 2, 0)
    assert len(report(db, ended, "condition_check_failure")) == 1
    assert scan(db, "users") == [{"id": {"S": "ada"}}, {"id": {"S": "bob"}, "city": {"S": "Rome"}}]


@pytest.mark.parametrize("which", ["source", "output"])
def test_a_missing_bucket_fails_the_operation(db: Database, which: str) -> None:
    upload(db, "in/1.json", line("ada"))
    ended = bulk_put(db, "in/", **{which: {"S3Bucket": "missing"}})
    assert (counts(ended), ended["FailureCode"]) == (("FAILED", 0, 0), "S3NoSuchBucket")
    assert "create the folder" in ended["FailureMessage"]
    foreign = bulk_put(db, "in/", **{which: {"S3BucketOwner": "999999999999"}})
    assert (counts(foreign), foreign["FailureCode"]) == (("FAILED", 0, 0), "S3AccessDenied")
    assert scan(db, "users") == []


def test_reports_that_cannot_be_written_fail_the_operation(db: Database) -> None:
    upload(db, "in/1.json", "garbage")
    upload(db, "out")  # a file where the folder of the reports belongs
    ended = bulk_put(db)
    assert (counts(ended), ended["FailureCode"]) == (("FAILED", 0, 0), "S3Error")


def test_a_deleted_table_fails_the_operation(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    upload(db, "in/1.json", line("ada"))
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        arn = db.call("StartBulkPutItems", bulk_request())["BulkOperationDescription"]["BulkOperationArn"]
    db.call("DeleteTable", {"TableName": "users"})
    create(db, "users", INDEXED)
    db.jobs.wake()
    db.jobs.wait_for_all()
    ended = describe(db, arn)
    assert (counts(ended), ended["FailureCode"]) == (("FAILED", 0, 0), "TableNotFound")
    assert scan(db, "users") == []


def cancelled_after(db: Database, monkeypatch: pytest.MonkeyPatch, steps: int) -> dict[str, Any]:
    """Cancel a bulk operation after some of its transactions; return its final description."""
    write, seen = Job.write, 0
    arn = ""

    def write_and_cancel(job: Job, work: Any) -> Any:
        nonlocal seen
        result = write(job, work)
        seen += 1
        if seen == steps:
            reply = db.execute("CancelBulkOperation", {"BulkOperationArn": arn}, db.state.store.write)
            assert reply == {"BulkOperationArn": arn, "BulkOperationStatus": "CANCELLING"}
        return result

    monkeypatch.setattr(bulk_put_job, "RECORDS_AT_ONCE", 2)
    monkeypatch.setattr(Job, "write", write_and_cancel)
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        arn = db.call("StartBulkPutItems", bulk_request())["BulkOperationDescription"]["BulkOperationArn"]
    db.jobs.wake()
    db.jobs.wait_for_all()
    return describe(db, arn)


def test_a_cancelled_operation_keeps_what_it_wrote(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    put(db, "u1")
    upload(db, "in/1.json", *(line(f"u{number}", ABSENT) for number in range(9)))
    ended = cancelled_after(db, monkeypatch, steps=3)  # one for the total, two of two records
    assert counts(ended) == ("CANCELLED", 4, 0)
    assert ended["FailureCode"] == "Cancelled"
    assert ended["EndTime"] == START
    assert [item["id"]["S"] for item in scan(db, "users")] == ["u0", "u1", "u2", "u3"]
    assert [each["RecordNumber"] for each in report(db, ended, "condition_check_failure")] == [2]
    assert manifest(db, ended)["bulkOperationStatus"] == "CANCELLED"


def stop_after(monkeypatch: pytest.MonkeyPatch, point: int) -> None:
    """Stop the job runner after that many transactions of a job."""
    write, seen = Job.write, 0

    def write_and_stop(job: Job, work: Any) -> Any:
        nonlocal seen
        result = write(job, work)
        seen += 1
        if seen == point:
            job._jobs._stopping.set()
        return result

    monkeypatch.setattr(Job, "write", write_and_stop)


def test_a_closed_database_continues_without_repeating_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A condition that holds only once shows a repeated record; every closing point is tried."""
    monkeypatch.setattr(bulk_put_job, "RECORDS_AT_ONCE", 2)
    finished = 0
    for point in range(1, 12):
        folder = tmp_path / str(point)
        with archive(folder, folder / "data.db") as db:
            create(db, "users", INDEXED)
            upload(db, "in/1.json", *(line(f"u{number}", ABSENT) for number in range(5)), "garbage")
            upload(db, "in/2.json", line("u0", ABSENT), line("u9", ABSENT))
            with monkeypatch.context() as stopping:
                stop_after(stopping, point)
                started = db.call("StartBulkPutItems", bulk_request())["BulkOperationDescription"]
                db.jobs.wait_for_all()
            arn = started["BulkOperationArn"]
            finished += describe(db, arn)["BulkOperationStatus"] != "IN_PROGRESS"
        with archive(folder, folder / "data.db") as db:
            db.jobs.wait_for_all()
            ended = describe(db, arn)
            assert counts(ended) == ("COMPLETED_WITH_ERRORS", 8, 1), point
            assert ended["ProcessedInputBytes"] == ended["TotalInputBytes"]
            assert len(report(db, ended, "condition_check_failure")) == 1, point
            assert len(report(db, ended, "error")) == 1
            assert len(scan(db, "users")) == 6
            assert_indexes_match(db)
    assert 0 < finished < 11, "some operations were finished before they were stopped, and some were not"


LOADER = """
import os, sys
from pathlib import Path
from tablewright.engine.features.bulk import bulk_put_job, bulk_records
from tablewright.engine.database import Database
from tablewright.engine.core.jobs.job_runner import Job
from tablewright.engine.storage import open_store
from tests.engine.features.bulk.loading import bulk_request

bulk_put_job.RECORDS_AT_ONCE = 7
write = Job.write
append = bulk_records.ReportFiles.append

def write_and_report(job, work):
    result = write(job, work)
    os.write(1, b"step\\n")
    return result

def append_and_report(files, kind, report):
    append(files, kind, report)
    os.write(1, b"step\\n")

Job.write = write_and_report
bulk_records.ReportFiles.append = append_and_report
db = Database(open_store(sys.argv[1]), buckets=sys.argv[2])
if not db.call("ListBulkOperations", {})["BulkOperationsSummaryList"]:
    db.call("StartBulkPutItems", bulk_request())
db.jobs.wait_for_all()
os.write(1, b"done\\n")
"""


@pytest.mark.figure
def test_killed_operations_neither_lose_nor_double_a_record(tmp_path: Path) -> None:
    chance = random.Random(7)
    folder, path = tmp_path / "buckets", tmp_path / "users.db"
    with archive(folder, path) as db:
        create(db, "users", INDEXED)
        for number in range(0, 200, 10):
            put(db, f"u{number:03}", team="old")
        for part in range(4):
            numbers = range(part * 50, part * 50 + 50)
            upload(db, f"in/{part}.json", *(line(f"u{number:03}", ABSENT, team="new") for number in numbers))
    kills = 0
    for _ in range(30):
        command = [sys.executable, "-c", LOADER, str(path), str(folder)]
        with ForkedProcess(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(chance.randrange(1, 12))]
            process.send_signal(signal.SIGKILL)
        kills += 1
        if "done\n" in lines:
            break
    assert kills >= 2, "the operation was killed before its end"
    with archive(folder, path) as db:
        db.jobs.wait_for_all()
        [summary] = db.call("ListBulkOperations", {})["BulkOperationsSummaryList"]
        ended = describe(db, summary["BulkOperationArn"])
        assert counts(ended) == ("COMPLETED", 200, 0)
        assert ended["BulkOperationUsage"][0]["Table"]["BulkPutBytes"] == 180 * len("idu000teamnew")
        assert len(scan(db, "users")) == 200
        failures = report(db, ended, "condition_check_failure")
        assert [each["Item"]["id"]["S"] for each in failures] == [f"u{n:03}" for n in range(0, 200, 10)]
        assert not list(report_folder(db, ended).glob("*.partial"))
        assert_indexes_match(db)


def test_bulk_puts_use_no_capacity_of_the_table(tmp_path: Path) -> None:
    (tmp_path / BUCKET).mkdir()
    db = Database(
        open_store(), Clock(start=START), buckets=tmp_path, faults=Faults(provisioned=True, index_lag=60)
    )
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    indexes = [{**index, "ProvisionedThroughput": units} for index in INDEXED["GlobalSecondaryIndexes"]]
    keys = {**INDEXED, "GlobalSecondaryIndexes": indexes}
    db.call("CreateTable", {"TableName": "users", **keys, "ProvisionedThroughput": units})
    upload(db, "in/1.json", *(line(f"u{number}", team="red", bio="b" * 3000) for number in range(500)))
    assert counts(bulk_put(db)) == ("COMPLETED", 500, 0)
    assert db.call("Scan", {"TableName": "users", "IndexName": "by-team"})["Items"] == [], "the index lags"
    with pytest.raises(ProvisionedThroughputExceeded):
        _put_many(db)
    db.close()


def _put_many(db: Database) -> None:
    for number in range(2000):
        put(db, f"v{number}", team="red", bio="b" * 3000)


def test_the_write_rate_is_limited(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(Job, "pause", lambda job, seconds: pauses.append(seconds))
    monkeypatch.setattr(bulk_put_job, "RECORDS_AT_ONCE", 100)
    monkeypatch.setattr(bulk_put_job, "WritePace", partial(WritePace, monotonic=lambda: 0.0))
    upload(db, "in/1.json", *(line(f"u{number}", city="x" * 4000) for number in range(512)))
    assert bulk_put(db)["BulkOperationStatus"] == "COMPLETED"
    assert pauses == []
    limited = bulk_put(db, MaxWriteRequestUnits=1024)
    assert limited["MaxWriteRequestUnits"] == 1024
    # 512 items of 4 units take two seconds at 1024 units a second; no time passes here, so a pause has those before it.
    assert pauses == [number * 4 / 1024 for number in (100, 200, 300, 400, 500, 512)]


def test_bytes_are_added_by_table_and_index() -> None:
    db = Database(open_store())
    db.call("CreateTable", ORDERS)
    table: StoredTable = db.state.catalog.table("orders")
    index: StoredIndex = table.indexes[0]
    member = "LocalSecondaryIndexes" if index.kind == "local" else "GlobalSecondaryIndexes"
    old, new = StoredItem(b"{}", 900), StoredItem(b"{}", 300)
    usage: dict[str, Any] = {"TableName": "orders"}
    for _ in range(2):
        meter = UsageMeter(table)
        meter.write(old, new)
        meter.write_index(index, (b"a", old), (b"b", new))
        meter.write_index(index, (b"a", old), None)
        assert meter.total == 4
        meter.add_to(usage)
    assert usage == {
        "TableName": "orders",
        "BulkPutBytes": 1200,
        "Table": {"BulkPutBytes": 600},
        member: {index.name: {"BulkPutBytes": 600}},
    }
    db.close()


def test_pauses_keep_the_rate() -> None:
    now = 100.0
    pace = WritePace(1000, lambda: now)
    assert pace.pause_after(500) == 0.5
    now += 0.2
    assert pace.pause_after(500) == pytest.approx(0.8)
    now += 10
    assert pace.pause_after(500) == 0.5, "idle seconds are not saved up"


def test_no_limit_means_no_pause() -> None:
    assert WritePace(None).pause_after(1e9) == 0
