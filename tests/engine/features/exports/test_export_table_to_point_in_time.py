"""ExportTableToPointInTime: validation, tokens, and the exported items. Formats: tests/engine/features/exports."""

import gzip
from pathlib import Path

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import (
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
