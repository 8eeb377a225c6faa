"""`tablewright compact`: a data file becomes smaller, and `tables` says when that is worthwhile."""

import json
from pathlib import Path

import pytest

from tablewright import embedded
from tablewright.cli import main
from tests.cli.backup_locations import create
from tests.cli.runner import error_line


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "app.db"
    with embedded(path, durability="relaxed") as db:
        for name in ("Kept", "Dropped"):
            create(db, name)
        for number in range(20):
            db.call(
                "PutItem",
                {"TableName": "Dropped", "Item": {"id": {"S": str(number)}, "x": {"S": "x" * 100_000}}},
            )
        db.call("DeleteTable", {"TableName": "Dropped"})
        db._open().jobs.wait_for_all()
    return path


def test_a_file_becomes_smaller(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = file.stat().st_size
    assert before > 2_000_000
    assert main(["tables", "--on", str(file)]) == 0
    assert f"are free; release them with: tablewright compact --on {file}" in capsys.readouterr().out
    assert main(["compact", "--on", str(file)]) == 0
    assert capsys.readouterr().out.startswith(f"{file}: released 2.")
    assert file.stat().st_size < before / 4
    assert main(["compact", "--on", str(file)]) == 0
    assert "no free space to release" in capsys.readouterr().out
    assert main(["tables", "--on", str(file)]) == 0
    assert "are free" not in capsys.readouterr().out


def test_sizes_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compact", "--on", str(file), "--json"]) == 0
    sizes = json.loads(capsys.readouterr().out)
    assert sizes["released_bytes"] == sizes["before"]["file_bytes"] - sizes["after"]["file_bytes"] > 2_000_000
    assert sizes["after"]["free_bytes"] == 0


def test_a_file_in_use_and_a_server_are_rejected(file: Path) -> None:
    assert "give FILE with --on" in error_line("compact", "--on", "http://127.0.0.1:8000")
    with embedded(file):
        assert "is in use by process" in error_line("compact", "--on", str(file))
