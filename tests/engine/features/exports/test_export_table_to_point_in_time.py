"""ExportTableToPointInTime: validation, tokens, and the exported items. Formats: tests/engine/features/exports."""

import gzip
from pathlib import Path

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import (
    ARN,
    BUCKET,
    START,
    enable_recovery,
    finish_jobs,
    open_music,
    put,
    start_export,
)


def test_an_export_contains_the_items_of_the_requested_time(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        enable_recovery(db)
        put(db, "nina")
        db.clock.advance(60)
        put(db, "later")
        db.clock.advance(600)
        start_export(db, ExportTime=START + 30)
        finish_jobs(db)
    (data,) = (tmp_path / BUCKET).rglob("data/*.json.gz")
    assert gzip.decompress(data.read_bytes()) == b'{"Item":{"artist":{"S":"nina"}}}\n'


def test_a_repeated_token_returns_the_same_export_and_another_request_conflicts(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        enable_recovery(db)
        first = start_export(db, ClientToken="token")
        assert start_export(db, ClientToken="token")["ExportArn"] == first["ExportArn"]
        with pytest.raises(ServiceError) as caught:
            start_export(db, ClientToken="token", S3Prefix="elsewhere")
        assert caught.value.code == "ExportConflictException"


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"TableArn": "arn:aws:dynamodb:us-east-1:123456789012:table/missing"}, "TableNotFoundException"),
        ({"ExportTime": START - 1}, "InvalidExportTimeException"),
        ({"ExportTime": START + 1}, "InvalidExportTimeException"),
        ({"S3Prefix": "../out"}, "ValidationException"),
        ({"ExportType": "INCREMENTAL_EXPORT"}, "ValidationException"),
        ({"S3SseKmsKeyId": "key"}, "ValidationException"),
    ],
)
def test_invalid_requests_plan_no_export(tmp_path: Path, members: dict[str, object], code: str) -> None:
    with open_music(tmp_path) as db:
        enable_recovery(db)
        with pytest.raises(ServiceError) as caught:
            start_export(db, **members)
        assert caught.value.code == code
        assert db.call("ListExports", {})["ExportSummaries"] == []


def test_a_table_without_recovery_cannot_be_exported(tmp_path: Path) -> None:
    with open_music(tmp_path) as db, pytest.raises(ServiceError) as caught:
        start_export(db)
    assert caught.value.code == "PointInTimeRecoveryUnavailableException"


def test_a_finished_export_names_its_manifest(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        enable_recovery(db)
        put(db, "nina")
        arn = start_export(db)["ExportArn"]
        finish_jobs(db)
        described = db.call("DescribeExport", {"ExportArn": arn})["ExportDescription"]
        assert (described["ExportStatus"], described["ItemCount"]) == ("COMPLETED", 1)
        assert (tmp_path / BUCKET / described["ExportManifest"]).is_file()


def test_an_unknown_export_is_not_found(tmp_path: Path) -> None:
    with open_music(tmp_path) as db, pytest.raises(ServiceError) as caught:
        db.call("DescribeExport", {"ExportArn": f"{ARN}/export/01700000000000-0badf00d"})
    assert caught.value.code == "ExportNotFoundException"


DAY = 24 * 3600


def test_pages_list_exports_newest_first_for_ninety_days(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        enable_recovery(db)
        arns = []
        for _ in range(3):
            arns.append(start_export(db)["ExportArn"])
            finish_jobs(db)
            db.clock.advance(DAY)
        page = db.call("ListExports", {"TableArn": ARN, "MaxResults": 2})
        assert [each["ExportArn"] for each in page["ExportSummaries"]] == arns[:0:-1]
        rest = db.call("ListExports", {"TableArn": ARN, "MaxResults": 2, "NextToken": page["NextToken"]})
        assert [each["ExportArn"] for each in rest["ExportSummaries"]] == arns[:1]
        assert rest["ExportSummaries"][0]["ExportStatus"] == "COMPLETED"
        db.clock.advance(88 * DAY + 1)
        listed = db.call("ListExports", {})["ExportSummaries"]
        assert [each["ExportArn"] for each in listed] == arns[:1:-1]


def test_the_exports_of_a_deleted_table_are_not_listed_by_its_arn(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        enable_recovery(db)
        start_export(db)
        finish_jobs(db)
        assert len(db.call("ListExports", {"TableArn": ARN})["ExportSummaries"]) == 1
        db.call("DeleteTable", {"TableName": "music"})
        assert db.call("ListExports", {"TableArn": ARN})["ExportSummaries"] == []
