"""`tablewright tables`: of a data file, and of a server."""

import json
from pathlib import Path

import pytest

from tablewright import embedded
from tablewright.cli import main
from tests.cli.backup_locations import BackupLocation, create
from tests.cli.runner import error_line, run


def test_tables_of_a_location(backup_location: BackupLocation, capsys: pytest.CaptureFixture[str]) -> None:
    with backup_location.connected() as db:
        create(db, "Orders")
    assert main(["tables", *backup_location.on]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == ["TABLE", "Orders", "Users"]
    assert (rows[1][1], rows[2][1]) == ("0", "2")
    assert main(["tables", *backup_location.on, "--json"]) == 0
    assert [table["TableName"] for table in json.loads(capsys.readouterr().out)] == ["Orders", "Users"]


def test_a_pipe_gets_plain_text_in_full(tmp_path: Path) -> None:
    name = "a-long-name-" * 20
    with embedded(tmp_path / "app.db") as db:
        create(db, name)
    head, row = run("tables", "--data", str(tmp_path / "app.db")).stdout.splitlines()
    assert head == f"{'TABLE':<{len(name)}}  ITEMS  BYTES"
    assert row == f"{name}      0      0"


def test_a_file_without_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    embedded(tmp_path / "app.db").close()
    assert main(["tables", "--on", str(tmp_path / "app.db")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'app.db'} has no tables\n"


def test_a_missing_file(tmp_path: Path) -> None:
    assert "does not exist" in error_line("tables", "--on", str(tmp_path / "data.db"))
