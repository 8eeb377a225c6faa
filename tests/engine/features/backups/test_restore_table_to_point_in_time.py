"""RestoreTableToPointInTime: create a table with the items of another table as of a point in time."""

from typing import Any

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import (
    START,
    artists,
    enable_recovery,
    finish_jobs,
    open_music,
    put,
)


@pytest.mark.parametrize(
    ("members", "restored"),
    [
        ({"RestoreDateTime": START}, ["nina"]),
        ({"RestoreDateTime": START + 60}, ["ella", "nina"]),
        ({"UseLatestRestorableTime": True}, ["ella", "nina"]),
    ],
)
def test_the_restored_table_has_the_items_of_that_time(members: dict[str, Any], restored: list[str]) -> None:
    with open_music() as db:
        enable_recovery(db)
        put(db, "nina")
        db.clock.advance(60)
        put(db, "ella")
        db.clock.advance(400)
        put(db, "within the last five minutes")
        request = {"SourceTableName": "music", "TargetTableName": "restored", **members}
        db.call("RestoreTableToPointInTime", request)
        finish_jobs(db)
        assert artists(db, "restored") == restored


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({}, "ValidationException"),
        ({"RestoreDateTime": START, "UseLatestRestorableTime": True}, "ValidationException"),
        ({"RestoreDateTime": START - 1}, "InvalidRestoreTimeException"),
        ({"RestoreDateTime": START + 1}, "InvalidRestoreTimeException"),
        ({"UseLatestRestorableTime": True, "TargetTableName": "music"}, "TableAlreadyExistsException"),
        ({"UseLatestRestorableTime": True, "SourceTableName": "missing"}, "TableNotFoundException"),
    ],
)
def test_invalid_requests_restore_nothing(members: dict[str, Any], code: str) -> None:
    with open_music() as db:
        enable_recovery(db)
        request = {"SourceTableName": "music", "TargetTableName": "restored", **members}
        with pytest.raises(ServiceError) as caught:
            db.call("RestoreTableToPointInTime", request)
        assert caught.value.code == code
        assert db.call("ListTables", {})["TableNames"] == ["music"]
