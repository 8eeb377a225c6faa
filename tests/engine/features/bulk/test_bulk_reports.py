"""Bulk reports: lines survive a kill, once each."""

import json
from pathlib import Path

import pytest

from tablewright.engine.core.buckets.buckets import Bucket
from tablewright.engine.features.bulk.bulk_reports import EMPTY, ReportFiles, extended


@pytest.fixture
def files(tmp_path: Path) -> ReportFiles:
    found = ReportFiles(Bucket(tmp_path), "reports/", "01-ab")
    found.begin()
    return found


def test_repeated_appends_write_the_pending_lines_once(files: ReportFiles, tmp_path: Path) -> None:
    first = extended(EMPTY, ['{"a":"ö"}'])
    files.append("ERROR", first)
    files.append("ERROR", first)
    second = extended(first, ["{}", "[]"])
    files.append("ERROR", second)
    (path,) = (tmp_path / "reports/AWSDynamoDB/01-ab").iterdir()
    with path.open("a") as file:
        file.write("written, but not committed before a kill")
    files.append("ERROR", second)
    files.finish({"ERROR": second, "CONDITION_CHECK_FAILURE": EMPTY}, {"version": "1"})
    assert (tmp_path / files.key("ERROR")).read_text() == '{"a":"ö"}\n{}\n[]\n'
    assert (tmp_path / files.key("ERROR")).stat().st_mode & 0o777 == 0o600
    manifest = json.loads((tmp_path / "reports/AWSDynamoDB/01-ab/manifest-summary.json").read_text())
    assert manifest == {
        "version": "1",
        "files": [{"outputType": "ERROR", "itemCount": 3, "dataFileS3Key": files.key("ERROR")}],
    }


def test_a_repeated_finish_keeps_the_report(files: ReportFiles, tmp_path: Path) -> None:
    report = extended(EMPTY, ["{}"])
    files.append("ERROR", report)
    for _ in range(2):
        files.finish({"ERROR": report}, {})
    assert (tmp_path / files.key("ERROR")).read_text() == "{}\n"
