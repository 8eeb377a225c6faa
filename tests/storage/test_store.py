"""The store: durable, shared by threads, owned by one process, clear about what is wrong."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.errors import (
    ConditionalCheckFailed,
    StoreError,
    StoreFormat,
    StoreFull,
    StoreLocked,
)
from tablewright.storage import Store, Transaction, View, open_store
from tablewright.values.stored_items import StoredItem

SPACE = 7


def item(text: str) -> StoredItem:
    return StoredItem(text.encode(), len(text))


def texts(view: View) -> list[str]:
    return [row.raw.decode() for _, row in view.range(SPACE)]


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(None if request.param == "memory" else tmp_path / "data.db")
    opened.write(lambda tx: tx.create_space(SPACE))
    yield opened
    opened.close()


def test_rows_are_kept_in_key_order(store: Store) -> None:
    def fill(tx: Transaction) -> None:
        for key in (b"b", b"a", b"c"):
            tx.put(SPACE, key, item(key.decode()))

    store.write(fill)
    assert store.read(texts) == ["a", "b", "c"]
    assert store.read(lambda view: [key for key, _ in view.range(SPACE, b"a", b"c", backward=True)]) == [
        b"b",
        b"a",
    ]
    assert store.read(lambda view: view.totals(SPACE)) == (3, 3)
    store.write(lambda tx: tx.delete_range(SPACE, b"a", b"c"))
    assert store.read(texts) == ["c"]


def test_a_put_replaces_and_a_delete_removes(store: Store) -> None:
    store.write(lambda tx: tx.put(SPACE, b"k", item("old")))
    store.write(lambda tx: tx.put(SPACE, b"k", item("newer")))
    found = store.read(lambda view: view.get(SPACE, b"k"))
    assert found is not None
    assert (found.raw, found.size) == (b"newer", 5)
    store.write(lambda tx: tx.delete(SPACE, b"k"))
    assert store.read(lambda view: view.get(SPACE, b"k")) is None


def test_a_refusal_before_any_write_leaves_neighbours_alone(store: Store) -> None:
    def refuse(tx: Transaction) -> None:
        raise ConditionalCheckFailed

    store.stage(lambda tx: tx.put(SPACE, b"k", item("kept")))
    with pytest.raises(ConditionalCheckFailed):
        store.write(refuse)
    assert store.read(texts) == ["kept"]


def test_a_failure_half_way_undoes_the_whole_group_and_tells_everyone(store: Store) -> None:
    def half(tx: Transaction) -> None:
        tx.put(SPACE, b"b", item("half"))
        raise RuntimeError("bug")

    neighbour = store.stage(lambda tx: tx.put(SPACE, b"a", item("staged")))
    with pytest.raises(RuntimeError, match="bug"):
        store.write(half)
    with pytest.raises(StoreError, match="undone"):
        neighbour.outcome()
    assert store.read(texts) == []
    store.write(lambda tx: tx.put(SPACE, b"c", item("next")))
    assert store.read(texts) == ["next"]


def test_a_refusal_half_way_undoes_the_group_and_is_answered(store: Store) -> None:
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

    seen: list[int] = []

    def work() -> None:
        for _ in range(50):
            seen.append(store.write(increment))

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(1, 801))


def test_a_snapshot_sees_one_state(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data.db")
    store.write(lambda tx: tx.create_space(SPACE))

    def look(view: View) -> tuple[list[str], list[str]]:
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


def test_a_file_has_one_owner_in_a_process_and_between_processes(tmp_path: Path) -> None:
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


def test_a_file_has_one_owner_by_whatever_name(tmp_path: Path) -> None:
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
def test_a_forked_child_is_told_that_the_file_is_not_its_own(tmp_path: Path) -> None:
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


def test_a_writer_who_gives_up_in_line_keeps_nobody_waiting(store: Store) -> None:
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


def test_closing_lets_the_file_go_when_the_last_reader_is_done(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    store = open_store(path)
    store.write(lambda tx: tx.create_space(SPACE))

    def read_on(view: View) -> list[str]:
        store.close()
        return texts(view)

    assert store.read(read_on) == []
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data.db", "data.db.lock"]
    with pytest.raises(StoreError, match="closed"):
        store.write(texts)


def test_another_program_s_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    theirs = sqlite3.connect(path)
    theirs.execute("CREATE TABLE t (x)")
    theirs.commit()
    theirs.close()
    with pytest.raises(StoreFormat, match="another program's"):
        open_store(path)
    text = tmp_path / "notes.txt"
    text.write_text("not a database, " * 100)
    with pytest.raises(StoreFormat, match="not a Tablewright database"):
        open_store(text)
    assert text.read_text().startswith("not a database")


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    open_store(path).close()
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(StoreFormat, match=r"format 99.*pip install --upgrade"):
        open_store(path)


def test_places_where_no_file_can_be(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a directory"):
        open_store(tmp_path)
    with pytest.raises(StoreError, match="does not exist"):
        open_store(tmp_path / "no" / "data.db")
    with pytest.raises(StoreError, match="is a device"):
        open_store(os.devnull)
    for path in ("a\0b", "x" * 300, "~nobody-of-that-name/data.db", "\udcff.db"):
        with pytest.raises(StoreError, match="cannot be the path"):
            open_store(path)
    with pytest.raises(StoreError, match="durability"):
        open_store(None, "fast")  # type: ignore[arg-type]


def test_a_full_disk_loses_nothing_and_says_what_to_do(tmp_path: Path) -> None:
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
