"""The store: durable, shared by threads, owned by one process, with clear errors."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import ReadView, Store, open_store
from tablewright.engine.storage.file_upgrade import PAGE_SIZE
from tablewright.engine.storage.store import UNCOPIED_PAGES
from tablewright.errors import (
    StoreError,
    StoreFormat,
    StoreFull,
)

SPACE = 7


def item(text: str) -> StoredItem:
    return StoredItem(text.encode(), len(text))


def texts(view: ReadView) -> list[str]:
    return [row.raw.decode() for _, row in view.range(SPACE)]


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(None if request.param == "memory" else tmp_path / "data.db")
    opened.write(lambda tx: tx.create_space(SPACE))
    yield opened
    opened.close()


def test_a_snapshot_sees_one_state(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data.db")
    store.write(lambda tx: tx.create_space(SPACE))

    def look(view: ReadView) -> tuple[list[str], list[str]]:
        before = texts(view)
        store.write(lambda tx: tx.put(SPACE, b"k", item("meanwhile")))
        return before, texts(view)

    assert store.snapshot(look) == ([], [])
    assert store.read(texts) == ["meanwhile"]
    store.close()


def test_a_file_keeps_its_rows_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    store = open_store(path)
    store.write(lambda tx: tx.create_space(SPACE))
    store.write(lambda tx: tx.put(SPACE, b"k", item("kept")))
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}, modes
    store.close()
    again = open_store(path)
    assert again.read(texts) == ["kept"]
    again.close()


def test_closing_releases_the_file_after_the_last_reader(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    store = open_store(path)
    store.write(lambda tx: tx.create_space(SPACE))

    def read_on(view: ReadView) -> list[str]:
        store.close()
        return texts(view)

    assert store.read(read_on) == []
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data.db", "data.db.lock"]
    with pytest.raises(StoreError, match="closed"):
        store.write(texts)


def test_a_file_of_another_program_is_rejected_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    theirs = sqlite3.connect(path)
    theirs.execute("CREATE TABLE t (x)")
    theirs.commit()
    theirs.close()
    before = path.read_bytes()
    with pytest.raises(StoreFormat, match="another program's"):
        open_store(path)
    assert path.read_bytes() == before
    theirs = sqlite3.connect(path)
    theirs.execute("PRAGMA application_id = 7")
    theirs.close()
    before = path.read_bytes()
    with pytest.raises(StoreFormat, match="another program's"):
        open_store(path)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("theirs.db-*")), "no log was created"
    text = tmp_path / "notes.txt"
    text.write_text("not a database, " * 100)
    with pytest.raises(StoreFormat, match="not a Tablewright database"):
        open_store(text)
    assert text.read_text().startswith("not a database")


def test_a_newer_format_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    store = open_store(path)
    store.write(lambda tx: tx.execute("PRAGMA user_version = 99"))
    store.close()
    with pytest.raises(StoreFormat, match=r"format 99.*pip install --upgrade"):
        open_store(path)


def test_invalid_paths_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a directory"):
        open_store(tmp_path)
    with pytest.raises(StoreError, match="does not exist"):
        open_store(tmp_path / "no" / "data.db")
    with pytest.raises(StoreError, match="is a device"):
        open_store(os.devnull)
    for path in ("a\0b", "x" * 300, "~no-such-user/data.db", "\udcff.db"):
        with pytest.raises(StoreError, match="cannot be the path"):
            open_store(path)
    with pytest.raises(StoreError, match="durability"):
        open_store(None, "fast")  # type: ignore[arg-type]


def test_a_full_disk_loses_no_committed_data(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data.db")
    store.write(lambda tx: tx.create_space(SPACE))
    store.write(lambda tx: tx.put(SPACE, b"kept", item("kept")))
    # SQLite's own page limit fails exactly as a full disk does.
    store.write(lambda tx: tx.execute("PRAGMA max_page_count = 20"))
    with pytest.raises(StoreFull, match="free some disk space"):
        store.write(lambda tx: tx.put(SPACE, b"large", item("x" * 1_000_000)))
    assert store.read(texts) == ["kept"]
    store.write(lambda tx: tx.execute("PRAGMA max_page_count = 100000"))
    store.write(lambda tx: tx.put(SPACE, b"later", item("later")))
    assert store.read(texts) == ["kept", "later"]
    store.close()


@pytest.mark.parametrize("file", [None, "data.db"])
def test_a_copy_is_separate_from_its_store(tmp_path: Path, file: str | None) -> None:
    store = open_store(file and tmp_path / file)
    store.write(lambda tx: tx.create_space(SPACE))
    store.write(lambda tx: tx.put(SPACE, b"first", item("first")))
    store.stage(lambda tx: tx.put(SPACE, b"staged", item("staged")))
    copy = store.copy()
    assert copy.path is None
    assert copy.read(texts) == ["first", "staged"]
    copy.write(lambda tx: tx.put(SPACE, b"third", item("third")))
    assert store.read(texts) == ["first", "staged"]
    store.write(lambda tx: tx.delete(SPACE, b"first"))
    store.close()
    assert copy.read(texts) == ["first", "staged", "third"]
    copy.close()


@pytest.mark.parametrize(
    "journal", [b"", b"a journal", bytes.fromhex("d9d505f920a163d7") + bytes(8) + b"\0\0\0\1"]
)
def test_a_file_beside_a_journal_that_is_not_of_its_creation_is_not_changed(
    tmp_path: Path, journal: bytes
) -> None:
    path = tmp_path / "notes.db"
    path.write_bytes(b"notes of another program")
    Path(f"{path}-journal").write_bytes(journal)
    with pytest.raises(StoreFormat, match="not a Tablewright database"):
        open_store(path)
    assert path.read_bytes() == b"notes of another program"


def test_a_job_copies_the_log_only_when_it_has_many_new_pages(tmp_path: Path) -> None:
    def uncopied(view: ReadView) -> int:
        ((_, pages, copied),) = view.execute("PRAGMA wal_checkpoint(NOOP)")
        return int(pages) - int(copied)

    store = open_store(tmp_path / "data.db", "relaxed")
    store.write(lambda tx: tx.create_space(SPACE))
    with store.checkpoints_apart() as checkpoint:
        checkpoint()
        few = store.read(uncopied)
        assert 0 < few < UNCOPIED_PAGES, "a flush for each transaction would take longer than its work"
        store.write(lambda tx: tx.put(SPACE, b"k", item("x" * UNCOPIED_PAGES * PAGE_SIZE)))
        assert store.read(uncopied) > UNCOPIED_PAGES
        checkpoint()
        assert store.read(uncopied) == 0
    store.close()
