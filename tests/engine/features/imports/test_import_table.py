"""ImportTable: validation, tokens, and the imported table. File formats: tests/engine/features/imports."""

from pathlib import Path
from typing import Any

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import (
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
