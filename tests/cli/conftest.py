import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.backup_locations import BackupLocation
from tests.cli.things import DESIGN, Things
from tests.server.processes import ServerProcess


@pytest.fixture
def thing_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current directory, with the module `thing_design` and no other file: tests replace it within a second."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "thing_design.py").write_text(DESIGN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("thing_design", None)


@pytest.fixture
def things(thing_folder: Path, capsys: pytest.CaptureFixture[str]) -> Things:
    return Things(capsys)


@pytest.fixture(scope="session")
def backup_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BackupLocation]:
    buckets = tmp_path_factory.mktemp("buckets")
    with ServerProcess("--on", "memory", "--buckets", str(buckets)) as process:
        yield BackupLocation(process.url, buckets)


@pytest.fixture(params=["file", "server"])
def backup_location(
    request: pytest.FixtureRequest, tmp_path: Path, backup_server: BackupLocation
) -> BackupLocation:
    """A location with the table Users."""
    file = BackupLocation(str(tmp_path / "app.db"), tmp_path / "app.db.buckets")
    location = file if request.param == "file" else backup_server
    location.reset()
    return location
