"""Export job: the files of an export, invalid requests, and exports that fail."""

import gzip
import hashlib
import json
import re
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.core.jobs.job_runner import Jobs
from tablewright.engine.database import Database
from tablewright.engine.features.backups.change_journal import DAY
from tablewright.engine.features.exports import export_job, export_manifests, incremental_export
from tablewright.errors import (
    AccessDenied,
    ExportConflict,
    ExportNotFound,
    InvalidExportTime,
    PointInTimeRecoveryUnavailable,
    TableNotFound,
    ValidationError,
)
from tests.engine.archive import (
    ARN,
    BUCKET,
    START,
    archive,
    create,
    delete,
    export,
    put,
    recover,
)

NOT_THERE = f"{ARN}users/export/01700000000000-0badf00d"


def bucket_of(db: Database) -> Path:
    assert db.bucket_directory is not None
    return db.bucket_directory / BUCKET


def lines_of(db: Database, exported: dict[str, Any]) -> list[str]:
    """The lines of all data files that the manifest names, in order."""
    bucket = bucket_of(db)
    manifest = bucket / exported["ExportManifest"].replace("summary", "files")
    lines = []
    for entry in map(json.loads, manifest.read_text().splitlines()):
        content = (bucket / entry["dataFileS3Key"]).read_bytes()
        digest = hashlib.md5(content)
        assert entry["md5Checksum"] == b64encode(digest.digest()).decode()
        assert entry["etag"] == f"{digest.hexdigest()}-1"
        found = gzip.decompress(content).decode().splitlines()
        assert entry["itemCount"] == len(found)
        lines += found
    return sorted(lines)


def test_an_export_lies_as_on_aws(db: Database) -> None:
    create(db)
    recover(db)
    ada = put(db, "ada", city="Oslo")
    exported = export(db, S3Prefix="2023/nov/")
    assert re.fullmatch(re.escape(ARN) + r"users/export/01700000000000-[0-9a-f]{8}", exported["ExportArn"])
    folder = f"2023/nov/AWSDynamoDB/{exported['ExportArn'].rpartition('/')[2]}"
    assert exported["ExportManifest"] == f"{folder}/manifest-summary.json"
    bucket = bucket_of(db)
    names = {path.relative_to(bucket).as_posix() for path in bucket.rglob("*") if path.is_file()}
    manifests = {f"manifest-{name}.{ending}" for name in ("files", "summary") for ending in ("json", "md5")}
    (data,) = names - {f"{folder}/{name}" for name in manifests | {"_started"}}
    assert re.fullmatch(rf"{folder}/data/[a-z2-7]{{26}}\.json\.gz", data)
    assert lines_of(db, exported) == [json.dumps({"Item": ada}, separators=(",", ":"))]
    summary = (bucket / folder / "manifest-summary.json").read_bytes()
    checksum = (bucket / folder / "manifest-summary.md5").read_text()
    assert checksum == b64encode(hashlib.md5(summary).digest()).decode()
    assert json.loads(summary) == {
        "version": "2020-06-30",
        "exportArn": exported["ExportArn"],
        "startTime": "2023-11-14T22:13:20.000Z",
        "endTime": "2023-11-14T22:13:20.000Z",
        "tableArn": f"{ARN}users",
        "tableId": exported["TableId"],
        "exportTime": "2023-11-14T22:13:20.000Z",
        "s3Bucket": BUCKET,
        "s3Prefix": "2023/nov/",
        "s3SseAlgorithm": "AES256",
        "s3SseKmsKeyId": None,
        "manifestFilesS3Key": f"{folder}/manifest-files.json",
        "billedSizeBytes": 13,
        "itemCount": 1,
        "outputFormat": "DYNAMODB_JSON",
        "exportType": "FULL_EXPORT",
    }


def test_the_reply_and_the_description_of_an_export(db: Database) -> None:
    create(db)
    recover(db)
    reply = db.call("ExportTableToPointInTime", {"TableArn": f"{ARN}users", "S3Bucket": BUCKET})
    begun = reply["ExportDescription"]
    assert begun["ExportStatus"] == "IN_PROGRESS"
    assert set(begun) == {
        "ClientToken",
        "ExportArn",
        "ExportFormat",
        "ExportStatus",
        "ExportTime",
        "S3Bucket",
        "S3SseAlgorithm",
        "StartTime",
        "TableArn",
        "TableId",
    }
    db.jobs.wait()
    ended = db.call("DescribeExport", {"ExportArn": begun["ExportArn"]})["ExportDescription"]
    assert ended == begun | {
        "ExportStatus": "COMPLETED",
        "EndTime": START,
        "ItemCount": 0,
        "BilledSizeBytes": 0,
        "ExportManifest": ended["ExportManifest"],
    }


def test_an_export_is_as_of_its_time(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_job, "ITEMS_AT_ONCE", 2)
    monkeypatch.setattr(export_manifests, "FILE_SIZE", 100)
    create(db)
    recover(db)
    old = [put(db, f"u{number}", city="Oslo") for number in range(7)]
    db.clock.advance(1)
    put(db, "u1", city="Lund")
    delete(db, "u2")
    put(db, "eve")
    db.clock.advance(600)
    then = export(db, ExportTime=START)
    assert [json.loads(line)["Item"] for line in lines_of(db, then)] == old
    now = export(db)
    assert [json.loads(line)["Item"]["id"]["S"] for line in lines_of(db, now)] == [
        "eve",
        "u0",
        "u1",
        "u3",
        "u4",
        "u5",
        "u6",
    ]
    files = bucket_of(db) / now["ExportManifest"].replace("summary", "files")
    assert len(files.read_text().splitlines()) > 1
    assert (then["ItemCount"], now["ItemCount"]) == (7, 7)


@pytest.mark.parametrize("view", ["NEW_AND_OLD_IMAGES", "NEW_IMAGE"])
def test_an_incremental_export_contains_old_and_new_images(
    db: Database, view: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incremental_export, "_ENTRIES_AT_ONCE", 2)
    create(db)
    recover(db)
    kept, gone = put(db, "kept", city="Oslo"), put(db, "gone")
    put(db, "still")
    db.clock.advance(60)
    put(db, "kept", city="Kiel")
    changed = put(db, "kept", city="Lund")
    delete(db, "gone")
    new = put(db, "new")
    put(db, "brief")
    delete(db, "brief")
    db.clock.advance(3600)
    put(db, "kept", city="later")
    put(db, "still", city="later")
    put(db, "later")
    period = {"ExportFromTime": START + 1, "ExportToTime": START + 3600, "ExportViewType": view}
    exported = export(db, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period)
    assert exported["IncrementalExportSpecification"] == period
    assert "ExportTime" not in exported
    stamp = {"Metadata": {"WriteTimestampMicros": {"N": str((START + 60) * 1_000_000)}}}
    both = view == "NEW_AND_OLD_IMAGES"
    expected = [
        {**stamp, "Keys": {"id": {"S": "brief"}}},
        {**stamp, "Keys": {"id": {"S": "gone"}}} | ({"OldImage": gone} if both else {}),
        {**stamp, "Keys": {"id": {"S": "kept"}}}
        | ({"OldImage": kept} if both else {})
        | {"NewImage": changed},
        {**stamp, "Keys": {"id": {"S": "new"}}, "NewImage": new},
    ]
    assert [json.loads(line) for line in lines_of(db, exported)] == expected
    summary = json.loads((bucket_of(db) / exported["ExportManifest"]).read_text())
    assert summary["exportFromTime"] == "2023-11-14T22:13:21.000Z"
    assert summary["exportToTime"] == "2023-11-14T23:13:20.000Z"
    assert (summary["outputView"], summary["exportType"]) == (view, "INCREMENTAL_EXPORT")
    assert summary["itemCount"] == 4


def test_ion_lines(db: Database) -> None:
    create(db)
    recover(db)
    item = {
        "id": {"S": "ada"},
        "Authors": {"SS": ["a", "b"]},
        "Price": {"N": "2000"},
        "Raw": {"B": b"abc"},
        "to be": {"M": {"or": {"L": [{"BOOL": False}, {"NULL": True}]}}},
    }
    db.call("PutItem", {"TableName": "users", "Item": item})
    db.clock.advance(3600)
    exported = export(db, ExportFormat="ION")
    written = 'id:"ada",Authors:$dynamodb_SS::["a","b"],Price:2000.,Raw:{{YWJj}},"to be":{or:[false,null]}'
    assert lines_of(db, exported) == [f"$ion_1_0 {{Item:{{{written}}}}}"]
    period = {"ExportFromTime": START}
    exported = export(
        db, ExportFormat="ION", ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period
    )
    stamp = f"Metadata:{{WriteTimestampMicros:{START * 1_000_000}.}}"
    assert lines_of(db, exported) == [
        f'$ion_1_0 {{Record:{{Keys:{{id:"ada"}},{stamp},NewImage:{{{written}}}}}}}'
    ]


def test_an_export_can_be_filtered_and_projected(db: Database) -> None:
    create(db)
    recover(db)
    put(db, "ada", city="Oslo", age="36")
    put(db, "bob", city="Lund", age="40")
    chosen = {
        "FilterExpression": "#c = :c",
        "ProjectionExpression": "id, #c",
        "ExpressionAttributeNames": {"#c": "city"},
        "ExpressionAttributeValues": {":c": {"S": "Lund"}},
    }
    exported = export(db, FilterSpecification=chosen)
    assert lines_of(db, exported) == ['{"Item":{"id":{"S":"bob"},"city":{"S":"Lund"}}}']
    assert exported["FilterSpecification"] == chosen
    by_key = {"KeyConditionExpression": "id = :i", "ExpressionAttributeValues": {":i": {"S": "ada"}}}
    (line,) = lines_of(db, export(db, FilterSpecification=by_key))
    assert json.loads(line)["Item"]["id"] == {"S": "ada"}
    with pytest.raises(ValidationError, match="The specification can not be empty"):
        export(db, FilterSpecification={})


def test_a_repeated_token_gets_the_first_export(db: Database) -> None:
    create(db)
    create(db, "orders")
    recover(db)
    recover(db, "orders")
    first = export(db, ClientToken="once")
    assert export(db, ClientToken="once") == first
    for other in ({"S3Prefix": "elsewhere"}, {"ExportFormat": "ION"}, {"table": "orders"}):
        with pytest.raises(ExportConflict, match="Duplicate request detected with conflicting parameters"):
            export(db, **{"ClientToken": "once", **other})
    db.clock.advance(8 * 3600)
    assert export(db, ClientToken="once")["ExportArn"] != first["ExportArn"]
    assert export(db)["ExportArn"] != export(db)["ExportArn"]


def test_exports_are_listed_newest_first(db: Database) -> None:
    create(db)
    create(db, "orders")
    recover(db)
    recover(db, "orders")
    arns = []
    for table in ("users", "orders", "users"):
        arns.append(export(db, table)["ExportArn"])
        db.clock.advance(1)

    def listed(**request: Any) -> tuple[list[str], str | None]:
        reply = db.call("ListExports", request)
        return [each["ExportArn"] for each in reply["ExportSummaries"]], reply.get("NextToken")

    assert listed() == (arns[::-1], None)
    assert listed(TableArn=f"{ARN}users")[0] == [arns[2], arns[0]]
    page, token = listed(MaxResults=2)
    assert (page, token is None) == ([arns[2], arns[1]], False)
    assert listed(MaxResults=2, NextToken=token) == ([arns[0]], None)
    for operation, wrong in (("ListImports", token), ("ListExports", "0" * 112)):
        with pytest.raises(ValidationError, match="Invalid Request: Provided nextToken is invalid: 0"):
            db.call(operation, {"NextToken": wrong})
    db.call("DeleteTable", {"TableName": "users"})
    create(db)
    assert listed(TableArn=f"{ARN}users") == ([], None)
    assert (
        db.call("DescribeExport", {"ExportArn": arns[0]})["ExportDescription"]["ExportStatus"] == "COMPLETED"
    )
    db.clock.advance(90 * DAY)
    assert listed() == ([], None)


def test_a_bucket_error_is_reported_by_describe_export(db: Database) -> None:
    create(db)
    recover(db)
    missing = export(db, S3Bucket="nowhere", ClientToken="t")
    assert (missing["ExportStatus"], missing["FailureCode"]) == ("FAILED", "S3NoSuchBucket")
    assert missing["FailureMessage"].startswith("The specified bucket does not exist; create the folder ")
    assert "/" not in missing["FailureMessage"]
    assert export(db, S3Bucket="nowhere", ClientToken="t") == missing
    foreign = export(db, S3BucketOwner="000000000000")
    assert (foreign["ExportStatus"], foreign["FailureCode"]) == ("FAILED", "S3AccessDenied")
    assert db.call("ListExports", {})["ExportSummaries"][0]["ExportStatus"] == "FAILED"


def test_a_bucket_cannot_be_escaped(db: Database) -> None:
    create(db)
    recover(db)
    root = db.bucket_directory
    assert root is not None
    outside = root.parent / "outside"
    outside.mkdir()
    (root / "link").symlink_to(outside)
    assert export(db, S3Bucket="link")["FailureCode"] == "S3NoSuchBucket"
    for bucket in ("..", "a/b", "/etc", "."):
        with pytest.raises(ValidationError, match="at 's3Bucket' failed to satisfy constraint"):
            export(db, S3Bucket=bucket)
    with pytest.raises(ValidationError, match="must not lead out of the bucket"):
        export(db, S3Prefix="a/../../b")
    (root / BUCKET / "door").symlink_to(outside)
    assert export(db, S3Prefix="door")["ExportStatus"] == "FAILED"
    assert list(outside.iterdir()) == []


def test_in_memory_there_is_no_place_for_a_bucket() -> None:
    from tablewright import embedded

    with embedded() as db:
        db.call(
            "CreateTable",
            {
                "TableName": "users",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        on = {"PointInTimeRecoveryEnabled": True}
        db.call("UpdateContinuousBackups", {"TableName": "users", "PointInTimeRecoverySpecification": on})
        with pytest.raises(
            ValidationError, match=r"embedded\(buckets=PATH\) or tablewright serve --buckets DIR"
        ):
            db.call("ExportTableToPointInTime", {"TableArn": f"{ARN}users", "S3Bucket": BUCKET})


def test_an_interrupted_export_is_made_when_the_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data.db"
    with archive(tmp_path / "buckets", path) as db:
        create(db)
        recover(db)
        put(db, "ada")
        with monkeypatch.context() as idle:
            idle.setattr(Jobs, "wake", lambda self: None)
            begun = export(db)
        left = (
            bucket_of(db) / f"AWSDynamoDB/{begun['ExportArn'].rpartition('/')[2]}/data/left.json.gz.partial"
        )
        left.parent.mkdir(parents=True)
        left.write_bytes(b"half of an attempt")
        db.call("DeleteTable", {"TableName": "users"})
    with archive(tmp_path / "buckets", path) as db:
        db.jobs.wait()
        ended = db.call("DescribeExport", {"ExportArn": begun["ExportArn"]})["ExportDescription"]
        assert (ended["ExportStatus"], ended["ItemCount"]) == ("COMPLETED", 1)
        assert lines_of(db, ended) == ['{"Item":{"id":{"S":"ada"}}}']
        assert not left.exists()


INCREMENTAL = {"ExportType": "INCREMENTAL_EXPORT"}
CREATED = "Incremental export period from time cannot be less than the table creation time : "
LENGTH = "Difference between export period from time and export period to time is"


def between(start: float | None, end: float | None = None) -> dict[str, Any]:
    period = {"ExportFromTime": start, "ExportToTime": end}
    period = {name: at for name, at in period.items() if at is not None}
    return INCREMENTAL | {"IncrementalExportSpecification": period}


# (the request, the error); the clock is two days after the creation of "users" and "plain".
REJECTED: list[tuple[dict[str, Any], type[Exception], str]] = [
    (
        {"TableArn": "users"},
        ValidationError,
        "One or more parameter values were invalid: tableArn is not a valid ARN",
    ),
    ({"TableArn": f"{ARN}users/index/i"}, ValidationError, "Invalid Request: Table ARN is invalid."),
    ({"TableArn": f"{ARN}missing"}, TableNotFound, f"Table not found: {ARN}missing"),
    (
        {"TableArn": f"{ARN}users".replace("east-1", "west-2")},
        TableNotFound,
        "Table not found: arn:aws:dynamodb:us-west-2:123456789012:table/users",
    ),
    ({"TableArn": f"{ARN}users".replace("1234", "4321")}, AccessDenied, "Access is denied"),
    (
        {"TableArn": f"{ARN}plain"},
        PointInTimeRecoveryUnavailable,
        "Point in time recovery is not enabled for table 'plain'",
    ),
    (
        {"TableArn": f"{ARN}plain", **between(START - 3600)},
        InvalidExportTime,
        f"{CREATED}2023-11-14T21:13:20Z",
    ),
    (
        {"S3SseKmsKeyId": "key"},
        ValidationError,
        "Invalid Request: KMS Key Id is not supported for this encryption type",
    ),
    (
        {"IncrementalExportSpecification": {}},
        ValidationError,
        "Invalid Request: Export Type expected to be Incremental Export when incremental export specification is "
        "provided",
    ),
    (
        {"ExportType": "FULL_EXPORT", "IncrementalExportSpecification": {}},
        ValidationError,
        "Invalid Request: When Export Type is Full Export , Incremental Export Specification should not be provided",
    ),
    (
        INCREMENTAL,
        ValidationError,
        "Invalid Request: Incremental Export Specification expected when export type is set as Incremental Export",
    ),
    (
        between(None),
        ValidationError,
        "Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification",
    ),
    ({"ExportTime": -1}, InvalidExportTime, "Export Time is invalid"),
    ({"ExportTime": START + 2 * DAY + 1}, InvalidExportTime, "Export Time is invalid"),
    (
        {"ExportTime": START + 2 * DAY - 1},
        InvalidExportTime,
        "Point in Time Recovery is not available for specified export time",
    ),
    (
        between(START, START + 3 * DAY),
        InvalidExportTime,
        "Incremental export period to time cannot be greater than the current time : 2023-11-17T22:13:20Z",
    ),
    (between(START, START + 899), InvalidExportTime, f"{LENGTH} less than 15 minutes"),
    (between(START + 900, START), InvalidExportTime, f"{LENGTH} less than 15 minutes"),
    (between(START + 2 * DAY - 899), InvalidExportTime, f"{LENGTH} less than 15 minutes"),
    (between(START, START + DAY + 1), InvalidExportTime, f"{LENGTH} greater than 24 hours"),
]


@pytest.mark.parametrize(("request_", "error", "message"), REJECTED)
def test_invalid_export_requests(
    request_: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    with archive(tmp_path) as db:
        create(db)
        create(db, "plain")
        recover(db)
        db.clock.advance(2 * DAY)
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            export(db, **request_)


# (member, its value): the error names the member.
WEIRD: list[tuple[str, Any]] = [
    ("TableArn", ""),
    ("S3Bucket", ""),
    ("S3Bucket", "-nope!"),
    ("S3Bucket", "x" * 256),
    ("S3Bucket", "x" * 100_000 + "!"),
    ("S3Prefix", ""),
    ("S3Prefix", "x" * 1025),
    ("S3BucketOwner", ""),
    ("S3SseAlgorithm", "aws:kms"),
    ("S3SseKmsKeyId", ""),
    ("ClientToken", ""),
    ("ClientToken", "a$b"),
    ("ExportFormat", "CSV"),
    ("ExportType", "PARTIAL_EXPORT"),
]


@pytest.mark.parametrize(("member", "value"), WEIRD)
def test_errors_name_the_invalid_member(member: str, value: str, tmp_path: Path) -> None:
    named = member[0].lower() + member[1:]
    with archive(tmp_path) as db, pytest.raises(ValidationError, match=f"at '{named}' failed to satisfy"):
        export(db, **{member: value})


@pytest.mark.parametrize(
    ("arn", "error", "message"),
    [
        (NOT_THERE, ExportNotFound, f"Export not found: Export not found: {NOT_THERE}"),
        (f"{ARN}users", ValidationError, "Invalid Export ARN"),
        (NOT_THERE.replace("export", "import"), ValidationError, "Invalid Export ARN"),
        (NOT_THERE.replace("1234", "4321"), AccessDenied, "Access is denied"),
    ],
)
def test_exports_that_do_not_exist(arn: str, error: type[Exception], message: str, tmp_path: Path) -> None:
    with archive(tmp_path) as db, pytest.raises(error, match=f"^{re.escape(message)}$"):
        db.call("DescribeExport", {"ExportArn": arn})
