"""Page checksums: on every page of a new file, and without effect on other files of the process."""

from functools import partial
from pathlib import Path

import apsw
import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import Store, Transaction, open_store, page_checksums
from tablewright.errors import StoreDamaged
from tests.engine.storage.damaged_files import flip_bit


def put(tx: Transaction, number: int) -> None:
    tx.put(7, b"key-%d" % number, StoredItem(b"x" * 1000, 1))


def filled(path: Path) -> Store:
    store = open_store(path)
    store.write(lambda tx: tx.create_space(7))
    for number in range(50):
        store.write(partial(put, number=number))
    return store


def test_a_missing_row_is_not_taken_for_an_absent_one(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    filled(path).close()
    content = path.read_bytes()
    flip_bit(path, (content.index(b"key-33") + 5) * 8)  # the key is now another one
    store = open_store(path)
    with pytest.raises(StoreDamaged):
        store.read(lambda view: view.get(7, b"key-33"))
    store.close()


def test_the_default_of_the_process_is_not_changed(tmp_path: Path) -> None:
    filled(tmp_path / "data.db").close()
    assert page_checksums.vfs_name() == page_checksums.VFS
    assert apsw.vfs_names()[0] != page_checksums.VFS


def test_a_copy_in_memory_can_be_written(tmp_path: Path) -> None:
    store = filled(tmp_path / "data.db")
    copy = store.copy()
    store.close()
    copy.write(lambda tx: tx.put(7, b"more", StoredItem(b"y" * 50_000, 2)))
    assert copy.read(lambda view: view.totals(7)) == (51, 52)
    copy.close()
