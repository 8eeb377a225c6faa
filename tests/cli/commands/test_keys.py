"""`tablewright keys`: the file works, and is never overwritten."""

from pathlib import Path

import pytest

from tablewright import keyrings
from tablewright.cli import main


def test_a_new_file_is_readable_by_its_owner_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "master.json"
    assert main(["keys", "new", str(file)]) == 0
    assert "Back it up" in capsys.readouterr().out
    assert file.stat().st_mode & 0o777 == 0o600
    keys = keyrings.KeyFile(file)
    assert keys.unwrap(keys.newest, keys.wrap(b"k" * 32, "test"), "test") == b"k" * 32


def test_an_existing_file_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "master.json"
    main(["keys", "new", str(file)])
    before = file.read_bytes()
    assert main(["keys", "new", str(file)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_a_missing_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "new", str(tmp_path / "none" / "master.json")]) == 2
    assert "does not exist; create it first: mkdir -p " in capsys.readouterr().err
