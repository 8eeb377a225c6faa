"""File locks: one process owns a data file."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.errors import (
    StoreError,
    StoreLocked,
)
from tablewright.storage import Store, open_store

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
    script = f"from tablewright.storage import open_store; open_store({str(path)!r})"
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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_cannot_use_the_file(tmp_path: Path) -> None:
    script = f"""
import os
from tablewright.storage import open_store
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
