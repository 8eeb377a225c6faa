"""`tablewright restore`: from a backup, and from a point in time."""

import pytest

from tablewright.cli import main
from tests.cli.backup_locations import BackupLocation, run_json


def test_restore_a_backup(backup_location: BackupLocation, capsys: pytest.CaptureFixture[str]) -> None:
    on = backup_location.on
    (made,) = run_json(capsys, "backup", "--table", "Users", "--name", "before", *on)
    assert main(["restore", "--backup", "before", "--into", "Restored", *on]) == 0
    assert capsys.readouterr().out.startswith("Restored Restored: ")
    found = backup_location.scan("Restored")
    assert found == backup_location.scan("Restored", IndexName="by-team") == ["ada", "bob"]
    assert main(["restore", "--backup", made["BackupArn"], "--into", "ByArn", *on]) == 0
    assert main(["backup", "--delete", made["BackupArn"], *on]) == 0
    assert main(["restore", "--backup", "before", "--into", "Again", *on]) == 2
    assert "there is no backup named before; list the backups" in capsys.readouterr().err


def test_restore_a_point_in_time(backup_location: BackupLocation, capsys: pytest.CaptureFixture[str]) -> None:
    on = backup_location.on
    assert main(["restore", "--table", "Users", "--to", "latest", "--into", "Then", *on]) == 2
    error = capsys.readouterr().err
    assert (
        "Point in time recovery is not enabled for table 'Users', so its earlier states are unknown" in error
    )
    with backup_location.connected() as db:
        specification = {"PointInTimeRecoveryEnabled": True}
        request = {"TableName": "Users", "PointInTimeRecoverySpecification": specification}
        db.call("UpdateContinuousBackups", request)
    run_json(capsys, "restore", "--table", "Users", "--to", "latest", "--into", "Then", *on)
    assert backup_location.scan("Then") == ["ada", "bob"]
    assert main(["restore", "--table", "Users", "--to", "2001-01-01T00:00:00", "--into", "Never", *on]) == 2
    assert "must be within EarliestRestorableDateTime" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--table", "Users"], "--table and --to must be given together"),
        (["--backup", "b", "--to", "latest"], "--table and --to must be given together"),
        (
            ["--table", "Users", "--to", "yesterday"],
            "--to must be a time such as 2026-02-18T14:25:00, or seconds since 1970, got 'yesterday'",
        ),
    ],
)
def test_invalid_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["restore", *options, "--into", "Then"]) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert (output.out, output.err.count("\n")) == ("", 1)
