"""DescribeBulkOperation: show the status of a bulk operation and its item counts."""

from pathlib import Path

import pytest

from tablewright.errors import AccessDenied, ResourceNotFound, ValidationError
from tests.engine.core.operations.music_table import ARN, BUCKET, open_music
from tests.engine.features.bulk.test_bulk_operations import start


def test_a_finished_operation_shows_its_counts(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        (tmp_path / BUCKET / "in").mkdir()
        lines = '{"Item":{"artist":{"S":"nina"}}}\n{"Item":{"name":{"S":"without key"}}}\n'
        (tmp_path / BUCKET / "in" / "1.json").write_text(lines)
        arn = start(db)["BulkOperationArn"]
        db.jobs.wait()
        shown = db.call("DescribeBulkOperation", {"BulkOperationArn": arn})["BulkOperationDescription"]
        assert shown["BulkOperationStatus"] == "COMPLETED_WITH_ERRORS"
        assert (shown["ProcessedItemCount"], shown["FailedItemCount"]) == (2, 1)
        assert shown["ProcessedInputBytes"] == shown["TotalInputBytes"] == len(lines)


@pytest.mark.parametrize("operation", ["DescribeBulkOperation", "CancelBulkOperation"])
def test_an_arn_of_no_operation_is_rejected(tmp_path: Path, operation: str) -> None:
    with open_music(tmp_path) as db:
        with pytest.raises(ResourceNotFound):
            db.call(operation, {"BulkOperationArn": f"{ARN}/bulk-operation/01700000000000-0badf00d"})
        with pytest.raises(ValidationError, match="Invalid BulkOperation ARN"):
            db.call(operation, {"BulkOperationArn": f"{ARN}/import/01700000000000-0badf00d"})
        foreign = ARN.replace("123456789012", "999999999999")
        with pytest.raises(AccessDenied):
            db.call(operation, {"BulkOperationArn": f"{foreign}/bulk-operation/01700000000000-0badf00d"})
