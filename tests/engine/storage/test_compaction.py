"""Compaction: a file shrinks while its writers continue, which never wait long, and nothing is lost."""

import os
import threading
import time
from itertools import count
from pathlib import Path

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import ReadView, Store, Transaction, open_store

SPACE, OTHER = 7, 8
BODY = 1000


def fill(store: Store, rows: int) -> None:
    def put(tx: Transaction, low: int) -> None:
        for number in range(low, min(low + 1000, rows)):
            tx.put(SPACE, b"%08d" % (number * 7919 % rows), StoredItem(os.urandom(BODY), 1))

    for space in (SPACE, OTHER):
        store.write(lambda tx, space=space: tx.create_space(space))  # type: ignore[misc]
    for low in range(0, rows, 1000):
        store.write(lambda tx, low=low: put(tx, low))  # type: ignore[misc]


def delete_most(store: Store) -> None:
    """Delete nine of ten rows, all over the file."""

    def delete(tx: Transaction) -> None:
        for key in [key for key, _ in tx.range(SPACE) if int(key) % 10]:
            tx.delete(SPACE, key)

    store.write(delete)


def rows(view: ReadView) -> dict[bytes, bytes]:
    return {key: item.raw for key, item in view.range(SPACE)}


class Writer(threading.Thread):
    """Writes row after row until it is stopped, and measures how long each write takes."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.longest, self.written, self.stopped = 0.0, 0, False
        self._store = store

    def run(self) -> None:
        for number in count():
            if self.stopped:
                return
            began = time.perf_counter()
            self._store.write(lambda tx, n=number: tx.put(OTHER, b"%08d" % n, StoredItem(b"new", 3)))  # type: ignore[misc]
            self.longest = max(self.longest, time.perf_counter() - began)
            self.written = number + 1


@pytest.mark.parametrize(
    ("rows_before", "limit"), [(5_000, None), pytest.param(50_000, 0.05, marks=pytest.mark.soak)]
)
def test_a_file_shrinks_beside_a_writer(tmp_path: Path, rows_before: int, limit: float | None) -> None:
    path = tmp_path / "data.db"
    store = open_store(path, "relaxed")
    fill(store, rows_before)
    delete_most(store)
    store.close()
    store = open_store(path)
    kept, size = store.read(rows), path.stat().st_size
    assert store.free_space().free_bytes > size // 2
    progress: list[tuple[int, int]] = []
    writer = Writer(store)
    writer.start()
    while not writer.written:
        time.sleep(0.001)
    released = store.compact(lambda done, total: progress.append((done, total)))
    during = writer.written
    writer.stopped = True
    writer.join()
    assert during > 3, "the writer wrote meanwhile"
    assert released > size // 2
    assert len(progress) > 3, "in several steps"
    assert progress == sorted(progress)
    assert store.read(rows) == kept
    assert store.read(lambda view: view.totals(OTHER)) == (writer.written, 3 * writer.written)
    store.close()
    assert path.stat().st_size < size // 2
    store = open_store(path)
    assert store.read(rows) == kept
    assert store.read(lambda view: view.execute("PRAGMA integrity_check").fetchall()) == [("ok",)]
    store.close()
    if limit is not None:
        assert writer.longest < limit, f"{writer.longest * 1000:.1f} ms, beside {len(progress)} steps"


def test_a_stopped_compaction_continues_later(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    store = open_store(path, "relaxed")
    fill(store, 2_000)
    delete_most(store)
    kept, free = store.read(rows), store.free_space().free_bytes
    turns = iter([False, True])
    first = store.compact(should_stop=lambda: next(turns))
    assert 0 < first < free
    store.close()
    store = open_store(path, "relaxed")
    assert store.free_space().free_bytes == free - first
    assert store.compact() > 0
    assert store.free_space().free_bytes == 0
    assert store.compact() == 0
    assert store.read(rows) == kept
    store.close()


def test_memory_has_nothing_to_release() -> None:
    store = open_store()
    fill(store, 100)
    delete_most(store)
    assert store.compact() == 0
    store.close()
