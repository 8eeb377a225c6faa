"""A store that another process writes: commits are seen at once, and nothing can be written."""

from pathlib import Path

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import FIRST_SHARED, ReadView, Store, Transaction, open_store
from tablewright.engine.storage.reader_store import ReaderStore
from tablewright.errors import SpaceMissing, StoreError

SPACE = FIRST_SHARED


def put(store: Store, key: bytes, body: bytes) -> None:
    store.write(lambda tx: tx.put(SPACE, key, StoredItem(body, len(body))))


def get(store: Store, key: bytes) -> bytes | None:
    def read(view: ReadView) -> bytes | None:
        row = view.get(SPACE, key)
        return None if row is None else row.raw

    return store.read(read)


def create(tx: Transaction) -> None:
    tx.create_space(SPACE)


def test_each_commit_is_seen_by_the_next_read(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data.db")
    store.write(create)
    reader = ReaderStore(tmp_path / "data.db")
    for number in range(20):
        put(store, b"k", b"%d" % number)
        assert get(reader, b"k") == b"%d" % number
    staged = store.stage(lambda tx: tx.put(SPACE, b"k", StoredItem(b"staged", 6)))
    assert get(reader, b"k") == b"19", "a write that is not durable is not seen"
    store.flush()
    staged.outcome()
    assert get(reader, b"k") == b"staged"
    reader.close()
    store.close()


def test_a_snapshot_sees_one_commit(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data.db")
    store.write(create)
    put(store, b"k", b"before")
    reader = ReaderStore(tmp_path / "data.db")

    def twice(view: ReadView) -> list[bytes]:
        first = view.get(SPACE, b"k")
        put(store, b"k", b"after")
        second = view.get(SPACE, b"k")
        assert first is not None
        assert second is not None
        return [first.raw, second.raw]

    assert reader.snapshot(twice) == [b"before", b"before"]
    assert reader.read(twice)[1] == b"after"
    reader.close()
    store.close()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data.db")
    store.write(create)
    reader = ReaderStore(tmp_path / "data.db")
    with pytest.raises(StoreError, match="another process writes it"):
        reader.write(create)
    with pytest.raises(StoreError, match="another process writes it"):
        reader.stage(create)
    with pytest.raises(StoreError, match="readonly"):
        reader.read(lambda view: view.execute(f"INSERT INTO spaces VALUES ({SPACE + 1})"))
    reader.flush()
    reader.close()
    store.close()


def test_dropped_spaces_are_forgotten(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data.db")
    store.write(create)
    put(store, b"k", b"x")
    reader = ReaderStore(tmp_path / "data.db")
    assert get(reader, b"k") == b"x"
    store.write(lambda tx: tx.drop_space(SPACE))
    reader.forget_spaces()
    with pytest.raises(SpaceMissing):
        get(reader, b"k")
    reader.close()
    store.close()
