"""File upgrades: a file of the first format gets checksums when it is opened, at once or not at all."""

import os
import stat
from functools import partial
from pathlib import Path

import apsw
import pytest

from tablewright.errors import StoreDamaged, StoreError
from tablewright.storage import View, file_upgrade, open_store, page_checksums
from tests.storage.damaged_files import change_rows, create_format_1, flip_bit

ROWS = [(f"key {number}".encode(), number, os.urandom(number * 40)) for number in range(300)]
SPACES = {0: ROWS[:3], 7: sorted(ROWS), 16: []}


def rows(view: View, space: int = 7) -> list[tuple[bytes, int, bytes]]:
    return [(key, item.size, item.raw) for key, item in view.range(space)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.db"
    create_format_1(path, SPACES)
    path.chmod(0o600)
    return path


def test_an_old_file_keeps_its_rows_and_gets_checksums(file: Path) -> None:
    for _ in range(2):
        store = open_store(file)
        for space, expected in SPACES.items():
            assert store.read(partial(rows, space=space)) == sorted(expected)
        assert store.read(lambda view: view.totals(7)) == (300, sum(range(300)))
        store.close()
    header = file.read_bytes()[:100]
    assert int.from_bytes(header[60:64], "big") == file_upgrade.FORMAT == 2
    assert header[20] == page_checksums.RESERVED_BYTES
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(each.name for each in file.parent.iterdir()) == ["data.db", "data.db.lock"]
    assert change_rows(file, 7, "body = x'00'", "key = CAST('key 9' AS BLOB)") == 1
    store = open_store(file)
    with pytest.raises(StoreDamaged):
        store.read(rows)
    store.close()


def test_rows_in_the_log_of_an_old_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    create_format_1(path, {7: []})
    late = apsw.Connection(str(path))
    late.execute("INSERT INTO space_7 VALUES (x'01', 5, x'02')")
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
