"""DescribeExport: show the status of an export and its files."""

from pathlib import Path

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import (
    ARN,
    BUCKET,
    enable_recovery,
    finish_jobs,
    open_music,
    put,
    start_export,
)


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
