"""CancelBulkOperation: stop a bulk operation; the items that it wrote remain."""

from pathlib import Path

import pytest

from tablewright.engine.core.jobs.job_runner import Jobs
from tablewright.errors import ValidationError
from tests.engine.core.operations.music_table import BUCKET, artists, open_music
from tests.engine.features.bulk.test_bulk_operations import start


def test_an_operation_is_cancelled_once_and_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_music(tmp_path) as db:
        (tmp_path / BUCKET / "in").mkdir()
        (tmp_path / BUCKET / "in" / "1.json").write_text('{"Item":{"artist":{"S":"nina"}}}\n')
        with monkeypatch.context() as idle:
            idle.setattr(Jobs, "wake", lambda self: None)
            arn = start(db)["BulkOperationArn"]
        for _ in range(2):
            reply = db.call("CancelBulkOperation", {"BulkOperationArn": arn})
            assert reply == {"BulkOperationArn": arn, "BulkOperationStatus": "CANCELLING"}
        db.jobs.wake()
        db.jobs.wait()
        shown = db.call("DescribeBulkOperation", {"BulkOperationArn": arn})["BulkOperationDescription"]
        assert (shown["BulkOperationStatus"], shown["ProcessedItemCount"]) == ("CANCELLED", 0)
        assert artists(db) == []
        with pytest.raises(ValidationError, match="cannot be cancelled: its status is CANCELLED"):
            db.call("CancelBulkOperation", {"BulkOperationArn": arn})
