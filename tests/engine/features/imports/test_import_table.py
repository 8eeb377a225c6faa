"""ImportTable: validation, tokens, and the imported table. File formats: tests/engine/features/imports."""

from pathlib import Path
from typing import Any

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import (
    ARN,
    BUCKET,
    CREATE_MUSIC,
    artists,
    finish_jobs,
    open_music,
    start_import,
)


def test_an_import_creates_a_table_with_the_items_of_the_bucket(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        (tmp_path / BUCKET / "data.json").write_text('{"Item":{"artist":{"S":"nina"}}}\n')
        assert start_import(db)["ImportStatus"] == "IN_PROGRESS"
        finish_jobs(db)
        assert artists(db, "imported") == ["nina"]


def test_a_repeated_token_returns_the_same_import(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        first = start_import(db)
        finish_jobs(db)
        db.call("DeleteTable", {"TableName": "imported"})
        assert start_import(db)["ImportArn"] == first["ImportArn"]
        finish_jobs(db)
        assert len(db.call("ListImports", {})["ImportSummaryList"]) == 1


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"TableCreationParameters": CREATE_MUSIC, "ClientToken": "other"}, "ResourceInUseException"),
        ({"InputFormat": "XML"}, "ValidationException"),
        ({"InputFormat": "ION", "InputFormatOptions": {"Csv": {"Delimiter": ","}}}, "ValidationException"),
    ],
)
def test_invalid_requests_plan_no_import(tmp_path: Path, members: dict[str, Any], code: str) -> None:
    with open_music(tmp_path) as db:
        with pytest.raises(ServiceError) as caught:
            start_import(db, **members)
        assert caught.value.code == code
        assert db.call("ListImports", {})["ImportSummaryList"] == []


def test_a_finished_import_counts_items_and_errors(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        lines = '{"Item":{"artist":{"S":"nina"}}}\n{"Item":{"name":{"S":"without key"}}}\n'
        (tmp_path / BUCKET / "data.json").write_text(lines)
        arn = start_import(db)["ImportArn"]
        finish_jobs(db)
        described = db.call("DescribeImport", {"ImportArn": arn})["ImportTableDescription"]
        assert (described["ImportStatus"], described["FailureCode"]) == ("FAILED", "ItemValidationError")
        counts = {name: described[name] for name in ("ImportedItemCount", "ProcessedItemCount", "ErrorCount")}
        assert counts == {"ImportedItemCount": 1, "ProcessedItemCount": 2, "ErrorCount": 1}


def test_an_unknown_import_is_not_found(tmp_path: Path) -> None:
    with open_music(tmp_path) as db, pytest.raises(ServiceError) as caught:
        db.call("DescribeImport", {"ImportArn": f"{ARN}/import/01700000000000-0badf00d"})
    assert caught.value.code == "ImportNotFoundException"


def test_pages_list_imports_newest_first_and_keep_those_of_deleted_tables(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        for name in ("one", "two", "three"):
            start_import(db, name)
            finish_jobs(db)
            db.clock.advance(1)
        db.call("DeleteTable", {"TableName": "two"})

        def tables(page: dict[str, list[dict[str, str]]]) -> list[str]:
            return [each["TableArn"].rpartition("/")[2] for each in page["ImportSummaryList"]]

        page = db.call("ListImports", {"PageSize": 2})
        assert tables(page) == ["three", "two"]
        rest = db.call("ListImports", {"PageSize": 2, "NextToken": page["NextToken"]})
        assert tables(rest) == ["one"]
        assert "NextToken" not in rest
        db.clock.advance(91 * 24 * 3600)
        assert tables(db.call("ListImports", {})) == []
