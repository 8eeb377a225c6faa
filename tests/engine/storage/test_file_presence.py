"""File presence: a data file that was deleted or replaced while it is open acknowledges nothing more."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import Store, open_store
from tablewright.engine.storage.store import FilePresence
from tablewright.errors import StoreMissing

SPACE = 7


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    opened = open_store(path)
    opened.write(lambda tx: tx.create_space(SPACE))
    yield opened
    opened.close()


def put(store: Store) -> None:
    store.write(lambda tx: tx.put(SPACE, b"key", StoredItem(b"{}", 2)))


def delete(path: Path) -> None:
    path.unlink()


def replace(path: Path) -> None:
    twin = path.with_name("twin.db")
    shutil.copy(path, twin)
    twin.replace(path)


def rename_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


def delete_log(path: Path) -> None:
    path.with_name("data.db-wal").unlink()


@pytest.mark.parametrize("change", [delete, replace, rename_folder, delete_log])
def test_no_write_is_acknowledged_after_the_file_is_gone(
    store: Store, path: Path, change: Callable[[Path], None]
) -> None:
    put(store)
    change(path)
    with pytest.raises(StoreMissing, match=r"(deleted|replaced).*restore the file"):
        put(store)
    with pytest.raises(StoreMissing):
        put(store)
    with pytest.raises(StoreMissing):
        store.read(lambda view: view.totals(SPACE))


def test_a_staged_write_fails_at_its_flush(store: Store, path: Path) -> None:
    staged = store.stage(lambda tx: tx.put(SPACE, b"key", StoredItem(b"{}", 2)))
    path.unlink()
    with pytest.raises(StoreMissing):
        store.flush()
    with pytest.raises(StoreMissing):
        staged.outcome()


def test_files_that_stay_are_no_problem(path: Path) -> None:
    path.touch()
    Path(f"{path}-wal").touch()
    presence = FilePresence(path)
    assert presence.problem() is None
    os.utime(path)
    path.write_text("longer")
    assert presence.problem() is None
    path.unlink()
    assert presence.problem() == f"{path} was deleted while it was open"
