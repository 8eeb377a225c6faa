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
