"""ListBulkOperations: list the bulk operations of the last 90 days, newest first."""

from pathlib import Path
from typing import Any

import pytest

from tablewright.errors import ValidationError
from tests.engine.core.operations.music_table import START, open_music
from tests.engine.features.bulk.test_bulk_operations import start


def test_pages_list_all_operations_newest_first(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        arns = []
        for _ in range(12):
            db.clock.advance(1)
            arns.append(start(db)["BulkOperationArn"])
        db.jobs.wait()
        page = db.call("ListBulkOperations", {})
        shown: list[dict[str, Any]] = page["BulkOperationsSummaryList"]
        assert [each["BulkOperationArn"] for each in shown] == arns[:1:-1]
        assert shown[0] == {
            "BulkOperationArn": arns[-1],
            "BulkOperationStatus": "COMPLETED",
            "StartTime": START + 12,
            "EndTime": START + 12,
        }
        rest = db.call("ListBulkOperations", {"NextToken": page["NextToken"], "MaxResults": 25})
        assert [each["BulkOperationArn"] for each in rest["BulkOperationsSummaryList"]] == arns[1::-1]
        assert "NextToken" not in rest


def test_operations_are_listed_for_90_days(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        start(db)
        db.jobs.wait()
        db.clock.advance(90 * 24 * 3600 + 1)
        assert db.call("ListBulkOperations", {}) == {"BulkOperationsSummaryList": []}


@pytest.mark.parametrize("request_", [{"MaxResults": 0}, {"MaxResults": 26}, {"NextToken": "xyz"}])
def test_invalid_requests_are_rejected(tmp_path: Path, request_: dict[str, Any]) -> None:
    with open_music(tmp_path) as db, pytest.raises(ValidationError):
        db.call("ListBulkOperations", request_)
