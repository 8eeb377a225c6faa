"""File upgrades: a file of an older format is rewritten when it is opened, at once or not at all."""

import os
import shutil
import signal
import stat
import warnings
from functools import partial
from pathlib import Path

import apsw
import pytest

from tablewright.engine.storage import ReadView, file_upgrade, open_store, page_checksums
from tablewright.engine.storage.damaged_file import DamagedFile
from tablewright.engine.storage.rows import with_checksum
from tablewright.errors import StoreDamaged, StoreError, StoreFormat, StoreFull
from tests.engine.crash.file_calls import FileCall, watching
from tests.engine.storage.damaged_files import (
    OLDER_FORMAT,
    change_rows,
    copy_older_format,
    create_older_format,
    flip_bit,
)

ROWS = [(f"key {number}".encode(), number, os.urandom(number * 40)) for number in range(300)]
SPACES = {0: ROWS[:3], 7: sorted(ROWS), 16: []}


def rows(view: ReadView, space: int = 7) -> list[tuple[bytes, int, bytes]]:
    return [(key, item.size, item.raw) for key, item in view.range(space)]


@pytest.fixture(autouse=True)
def older_format(monkeypatch: pytest.MonkeyPatch) -> None:
    """No release has written another format yet: these tests upgrade a made-up one."""
    monkeypatch.setitem(file_upgrade.OLDER, OLDER_FORMAT, copy_older_format)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.db"
    create_older_format(path, SPACES)
    path.chmod(0o600)
    return path


def test_an_old_file_keeps_its_rows_and_has_checksums(file: Path) -> None:
    for _ in range(2):
        store = open_store(file)
        for space, expected in SPACES.items():
            assert store.read(partial(rows, space=space)) == sorted(expected)
        assert store.read(lambda view: view.totals(7)) == (300, sum(range(300)))
        store.close()
    connection = page_checksums.connect(str(file))
    names = connection.execute("SELECT name FROM sqlite_schema ORDER BY name").fetchall()
    connection.close()
    assert names == [("rows",), ("spaces",), ("system_0",), ("system_7",)]
    header = file.read_bytes()[:100]
    assert int.from_bytes(header[60:64], "big") == file_upgrade.FORMAT == 3
    assert header[20] == page_checksums.RESERVED_BYTES
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(each.name for each in file.parent.iterdir()) == ["data.db", "data.db.lock"]
    assert change_rows(file, 7, "body = x'00'", "substr(key, 5) = CAST('key 9' AS BLOB)") == 1
    store = open_store(file)
    with pytest.raises(StoreDamaged):
        store.read(rows)
    store.close()


def test_a_format_that_no_release_wrote_is_rejected(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(file_upgrade.OLDER, OLDER_FORMAT)
    before = file.read_bytes()
    with pytest.raises(StoreFormat, match="has format 2, which no release of Tablewright has written"):
        open_store(file)
    with pytest.raises(StoreFormat, match="open it as a database first"):
        DamagedFile(file)
    assert file.read_bytes() == before


def test_rows_in_the_log_of_an_old_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    create_older_format(path, {7: []})
    late = page_checksums.connect(str(path))
    late.execute("INSERT INTO space_7 VALUES (x'01', ?, x'02')", (with_checksum(b"\x01", 5, b"\x02"),))
    # As after a crash: the log is copied with the file, and its owner is gone.
    crashed = tmp_path / "crashed.db"
    for end in ("", "-wal"):
        crashed.with_name(f"crashed.db{end}").write_bytes(path.with_name(f"data.db{end}").read_bytes())
    late.close()
    store = open_store(crashed)
    assert store.read(rows) == [(b"\x01", 5, b"\x02")]
    store.close()


def test_a_file_that_another_program_reads_is_not_replaced(file: Path) -> None:
    reader = apsw.Connection(str(file))
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM space_7").fetchall() == [(300,)]
    with pytest.raises(StoreError, match=r"another program|locked"):
        open_store(file)
    assert reader.execute("SELECT count(*) FROM space_7").fetchall() == [(300,)]
    reader.close()
    store = open_store(file)
    assert store.read(rows) == SPACES[7]
    store.close()


@pytest.mark.parametrize("step", ["_empty_log", "_copy", "_flush", "replace"])
def test_an_interrupted_upgrade_changes_nothing(
    file: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = os if step == "replace" else file_upgrade
    with monkeypatch.context() as patch:

        def interrupted(*_: object) -> None:
            raise OSError(28, "No space left on device")

        patch.setattr(owner, step, interrupted)
        with pytest.raises(StoreError, match="cannot be rewritten"):
            open_store(file)
    left = file.with_name(file.name + file_upgrade.SUFFIX)
    assert not left.exists()
    left.write_bytes(b"left by a killed process")
    store = open_store(file)
    assert store.read(rows) == SPACES[7]
    store.close()


def test_a_file_without_page_checksums_gets_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data.db"
    with monkeypatch.context() as patch:
        patch.setattr(page_checksums, "vfs_name", lambda: None)
        store = open_store(path)
        store.write(lambda tx: tx.create_space(7))
        store.close()
        assert path.read_bytes()[20] == 0
    open_store(path).close()
    assert path.read_bytes()[20] == page_checksums.RESERVED_BYTES
    monkeypatch.setattr(page_checksums, "vfs_name", lambda: None)
    with pytest.raises(StoreError, match=r"page checksums.*install a wheel of apsw"):
        open_store(path)


def test_a_damaged_header_is_not_taken_for_an_old_file(file: Path) -> None:
    open_store(file).close()
    flip_bit(file, 20 * 8)
    with pytest.raises(StoreDamaged, match="reserves 9 bytes"):
        open_store(file)


def test_a_row_that_was_damaged_before_stays_damaged(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    create_older_format(path, {16: ROWS})
    connection = page_checksums.connect(str(path))
    connection.execute("UPDATE space_16 SET body = x'00' WHERE key = CAST('key 9' AS BLOB)")
    connection.execute("UPDATE space_16 SET body = 'text' WHERE key = CAST('key 8' AS BLOB)")
    connection.execute("UPDATE space_16 SET size = 'text' WHERE key = CAST('key 7' AS BLOB)")
    connection.close()
    store = open_store(path)
    for number in (7, 8, 9):
        with pytest.raises(StoreDamaged):
            store.read(partial(ReadView.get, space=16, key=b"key %d" % number))
    assert store.read(lambda view: view.get(16, b"key 6")) is not None
    store.close()


def test_a_key_that_is_no_bytes_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    create_older_format(path, {16: ROWS})
    connection = page_checksums.connect(str(path))
    connection.execute("UPDATE space_16 SET key = 7 WHERE key = CAST('key 9' AS BLOB)")
    connection.close()
    with pytest.raises(StoreDamaged, match="salvage"):
        open_store(path)
    assert int.from_bytes(path.read_bytes()[60:64], "big") == OLDER_FORMAT
    assert not path.with_name(path.name + file_upgrade.SUFFIX).exists()


def test_a_full_disk_changes_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def small(connection: apsw.Connection) -> None:
        create_pages(connection)
        connection.execute("PRAGMA max_page_count = 20").fetchall()

    create_pages = file_upgrade.create_pages
    with monkeypatch.context() as patch:
        patch.setattr(file_upgrade, "create_pages", small)
        with pytest.raises(StoreFull, match="free some disk space"):
            open_store(file)
    assert not file.with_name(file.name + file_upgrade.SUFFIX).exists()
    store = open_store(file)
    for space, expected in SPACES.items():
        assert store.read(partial(rows, space=space)) == sorted(expected)
    store.close()


def upgrade_and_die(file: Path, number: int) -> bool:
    """Open a file in a process that is killed ahead of its file call of that number; return whether it was."""
    calls = 0

    def count(call: FileCall) -> None:
        nonlocal calls
        calls += call.changes_file
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)

    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # of forks in a process with threads, which the child does not use
        child = os.fork()
    if child == 0:
        try:
            with watching(count):
                open_store(file).close()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("every", [97, pytest.param(1, marks=pytest.mark.soak)], ids=["some", "all"])
def test_a_kill_during_the_upgrade_loses_nothing(tmp_path: Path, every: int) -> None:
    old = tmp_path / "old.db"
    create_older_format(old, SPACES)
    path, number, formats = tmp_path / "data.db", 1, set()
    while True:
        for suffix in ("", "-wal", "-shm", "-journal", ".lock", file_upgrade.SUFFIX):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        shutil.copyfile(old, path)
        was_killed = upgrade_and_die(path, number)
        formats.add(int.from_bytes(path.read_bytes()[60:64], "big"))
        store = open_store(path)
        for space, expected in SPACES.items():
            assert store.read(partial(rows, space=space)) == sorted(expected), f"killed at call {number}"
        store.close()
        assert not path.with_name(path.name + file_upgrade.SUFFIX).exists()
        if not was_killed:
            break
        number += every
    assert formats == {OLDER_FORMAT, file_upgrade.FORMAT}
    assert number > 300
