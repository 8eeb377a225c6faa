"""Group commit: writers share a commit, and a failure undoes the whole group."""

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import ReadView, Store, Transaction, open_store
from tablewright.errors import (
    ConditionalCheckFailed,
    StoreError,
)
from tests.thread_switching import frequent_thread_switches

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


def test_an_error_before_the_first_change_keeps_the_group(store: Store) -> None:
    def refuse(tx: Transaction) -> None:
        raise ConditionalCheckFailed

    store.stage(lambda tx: tx.put(SPACE, b"k", item("kept")))
    with pytest.raises(ConditionalCheckFailed):
        store.write(refuse)
    assert store.read(texts) == ["kept"]


def test_a_failure_after_the_first_change_undoes_the_group_for_all_writers(store: Store) -> None:
    def half(tx: Transaction) -> None:
        tx.put(SPACE, b"b", item("half"))
        raise RuntimeError("bug")

    other = store.stage(lambda tx: tx.put(SPACE, b"a", item("staged")))
    with pytest.raises(RuntimeError, match="bug"):
        store.write(half)
    with pytest.raises(StoreError, match="undone"):
        other.outcome()
    assert store.read(texts) == []
    store.write(lambda tx: tx.put(SPACE, b"c", item("next")))
    assert store.read(texts) == ["next"]


def test_a_service_error_after_the_first_change_undoes_the_group(store: Store) -> None:
    def half(tx: Transaction) -> None:
        tx.put(SPACE, b"b", item("half"))
        raise ConditionalCheckFailed

    with pytest.raises(StoreError, match="failed after its first change and was undone"):
        store.write(half)
    assert store.read(texts) == []


def test_staged_work_is_invisible_to_readers_of_a_file_until_flushed(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data.db")
    store.write(lambda tx: tx.create_space(SPACE))
    staged = store.stage(lambda tx: tx.put(SPACE, b"k", item("staged")))
    assert store.read(texts) == []
    store.flush()
    staged.outcome()
    assert store.read(texts) == ["staged"]
    store.close()


def test_sixteen_threads_lose_nothing(store: Store) -> None:
    def increment(tx: Transaction) -> int:
        row = tx.get(SPACE, b"counter")
        count = int(row.raw) + 1 if row else 1
        tx.put(SPACE, b"counter", item(str(count)))
        return count

    ready = threading.Barrier(16)

    def work(_: int) -> list[int]:
        ready.wait()
        return [store.write(increment) for _ in range(50)]

    for start in range(1, 80_001, 800):
        with frequent_thread_switches(), ThreadPoolExecutor(16) as pool:
            counts = list(pool.map(work, range(16)))
        assert sorted(count for each in counts for count in each) == list(range(start, start + 800))
        first, second, *_ = sorted(counts)
        if second[0] < first[-1]:
            return
    pytest.fail("no two threads wrote at the same time")


def test_a_writer_that_leaves_the_queue_commits_for_the_others(store: Store) -> None:
    class GaveUp(Exception):
        pass

    def give_up(*_: object) -> None:
        raise GaveUp

    def interrupt_the_next(tx: Transaction) -> None:
        begun.set()
        while not store._writers._queue:
            pass
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    begun = threading.Event()
    before = signal.signal(signal.SIGUSR1, give_up)
    first = threading.Thread(target=store.write, args=(interrupt_the_next,), daemon=True)
    try:
        first.start()
        begun.wait()
        with pytest.raises(GaveUp):
            store.write(texts)
        first.join(10)
        assert not first.is_alive()
        assert store.write(texts) == []
    finally:
        signal.signal(signal.SIGUSR1, before)
