"""File locks: one process owns a data file."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.engine.storage import Store, open_store
from tablewright.engine.storage.file_lock import lock_file
from tablewright.errors import StoreError, StoreFull, StoreLocked

SPACE = 7


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(None if request.param == "memory" else tmp_path / "data.db")
    opened.write(lambda tx: tx.create_space(SPACE))
    yield opened
    opened.close()


def test_a_file_is_locked_within_and_between_processes(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    store = open_store(path)
    with pytest.raises(
        StoreLocked, match=f"in use by process {os.getpid()}, this process: it was opened before"
    ):
        open_store(path)
    script = f"from tablewright.engine.storage import open_store; open_store({str(path)!r})"
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "StoreLocked" in other.stderr
    assert "start `tablewright serve" in other.stderr
    store.close()
    open_store(path).close()


def test_links_to_a_file_share_its_lock(tmp_path: Path) -> None:
    path, link, twin = tmp_path / "data.db", tmp_path / "link.db", tmp_path / "twin.db"
    link.symlink_to(path)
    store = open_store(link)
    assert store.path == path
    with pytest.raises(StoreLocked, match=r"data\.db is in use"):
        open_store(path)
    store.close()
    os.link(path, twin)
    with pytest.raises(StoreError, match="several hard links"):
        open_store(twin)


@pytest.mark.parametrize(
    "content", ["six==1.16\n", "1234 requirements", "tablewright", "9" * 40, "\x00", "tablewright 12\nmore"]
)
def test_a_file_of_another_program_is_not_taken_as_the_lock(tmp_path: Path, content: str) -> None:
    beside = tmp_path / "requirements.lock"
    beside.write_text(content)
    with pytest.raises(StoreError, match=r"requirements\.lock was not written by Tablewright.*another name"):
        open_store(tmp_path / "requirements")
    assert beside.read_text() == content
    assert not (tmp_path / "requirements").exists(), "no data file was created"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("")
    (tmp_path / "data.db.lock").symlink_to(precious)
    with pytest.raises(StoreError, match=r"data\.db\.lock is a symbolic link"):
        open_store(tmp_path / "data.db")
    assert precious.read_text() == ""


def test_a_hard_link_is_not_written(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("1234")
    os.link(precious, tmp_path / "data.db.lock")
    with pytest.raises(StoreError, match="several hard links"):
        open_store(tmp_path / "data.db")
    assert precious.read_text() == "1234"


def test_a_pipe_is_rejected_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "data.db.lock")
    with pytest.raises(StoreError, match="is not a regular file"):
        open_store(tmp_path / "data.db")


@pytest.mark.parametrize("content", ["", "1234", "1234\n", "tablewright 1234\n"])
def test_a_lock_that_a_process_has_left_behind_is_taken(tmp_path: Path, content: str) -> None:
    beside = tmp_path / "data.db.lock"
    beside.write_text(content)
    open_store(tmp_path / "data.db").close()
    assert beside.read_text() == f"tablewright {os.getpid()}\n"


def test_a_full_disk_is_named_with_the_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`/dev/full` cannot stand for the file: it is not a regular one."""

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tablewright.engine.storage.file_lock.os.open", full)
    with pytest.raises(StoreFull, match=r"no disk space left for .*free some disk space"):
        lock_file(tmp_path / "data.db")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_cannot_use_the_file(tmp_path: Path) -> None:
    script = f"""
import os
from tablewright.engine.storage import open_store
store = open_store({str(tmp_path / "data.db")!r})
store.write(lambda tx: tx.create_space({SPACE}))
if os.fork() == 0:
    for use in (store.read, store.write, store.snapshot):
        try:
            use(lambda view: view.totals({SPACE}))
        except Exception as error:
            print(type(error).__name__, "after the fork" in str(error))
    store.close()
    os._exit(0)
os.wait()
print(store.write(lambda tx: tx.totals({SPACE})))
store.close()
"""
    run = subprocess.run([sys.executable, "-uc", script], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["StoreLocked True"] * 3 + ["(0, 0)"]
