"""DescribeBackup: show a backup and its source table."""

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import ARN, create_backup, open_music, put


def test_an_available_backup_shows_its_source_table() -> None:
    with open_music() as db:
        put(db, "nina")
        arn = create_backup(db)
        described = db.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
        assert described["BackupDetails"]["BackupStatus"] == "AVAILABLE"
        assert described["SourceTableDetails"]["TableArn"] == ARN
        assert described["SourceTableDetails"]["ItemCount"] == 1
        assert described["BackupDetails"]["BackupSizeBytes"] == len("artistnina")


@pytest.mark.parametrize(
    ("arn", "code"),
    [
        (f"{ARN}/backup/01700000000000-0badf00d", "BackupNotFoundException"),
        (f"{ARN}/export/01700000000000-0badf00d", "ValidationException"),
        (
            ARN.replace("123456789012", "999999999999") + "/backup/01700000000000-0badf00d",
            "AccessDeniedException",
        ),
    ],
)
def test_an_unknown_arn_is_rejected(arn: str, code: str) -> None:
    with open_music() as db, pytest.raises(ServiceError) as caught:
        db.call("DescribeBackup", {"BackupArn": arn})
    assert caught.value.code == code
