"""`tablewright backup`: on a data file, and at a server."""

import re
from pathlib import Path

import pytest

from tablewright import embedded
from tablewright.cli import main
from tests.cli.backup_locations import BackupLocation, create, run_json


def test_create_list_and_delete(backup_location: BackupLocation, capsys: pytest.CaptureFixture[str]) -> None:
    on = backup_location.on
    (made,) = run_json(capsys, "backup", "--table", "Users", "--name", "before", *on)
    assert (made["BackupStatus"], made["BackupName"]) == ("AVAILABLE", "before")
    assert main(["backup", "--list", *on]) == 0
    heads, *rows = capsys.readouterr().out.splitlines()
    assert heads.split() == ["NAME", "CREATED", "(UTC)", "STATUS", "BYTES", "ARN"]
    (row,) = (row for row in rows if row.endswith(made["BackupArn"]))
    assert row.split()[0] == "before"
    (gone,) = run_json(capsys, "backup", "--delete", made["BackupArn"], *on)
    assert gone["BackupStatus"] == "DELETED"


def test_back_up_all_tables(backup_location: BackupLocation, capsys: pytest.CaptureFixture[str]) -> None:
    with backup_location.connected() as db:
        create(db, "Orders")
    made = run_json(capsys, "backup", "--all", *backup_location.on)
    assert [re.sub(r"-\d{4}-\d\d-\d\d-.*", "", backup["BackupName"]) for backup in made] == [
        "Orders",
        "Users",
    ]


def test_a_file_without_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "app.db")
    embedded(path).close()
    assert main(["backup", "--all", "--on", path]) == 2
    assert "has no tables" in capsys.readouterr().err
    assert main(["backup", "--list", "--on", path]) == 0
    assert capsys.readouterr().out == f"{path} has no backups\n"


def test_a_missing_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["backup", "--all", "--on", "missing.db"]) == 2
    error = capsys.readouterr().err
    assert error == "tablewright: data file missing.db does not exist; give another location with --on\n"
    assert not Path("missing.db").exists()
