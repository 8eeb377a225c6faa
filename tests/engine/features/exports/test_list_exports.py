"""ListExports: list the exports of the last 90 days, newest first, a page at a time."""

from pathlib import Path

from tests.engine.core.operations.music_table import (
    ARN,
    enable_recovery,
    finish_jobs,
    open_music,
    start_export,
)

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
