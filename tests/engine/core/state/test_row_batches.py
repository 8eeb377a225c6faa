"""Row batches: limits by rows and by bytes."""

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.state import row_batches
from tablewright.engine.core.state.row_batches import batch_end, batches, is_one_batch
from tablewright.engine.storage import Store, Transaction, open_store

SPACE = 20


def key(number: int) -> bytes:
    return b"%04d" % number


@pytest.fixture
def store() -> Store:
    return open_store()


def fill(store: Store, rows: int, size: int) -> None:
    def work(tx: Transaction) -> None:
        tx.create_space(SPACE)
        for number in range(rows):
            tx.put(SPACE, key(number), StoredItem(b"", size))

    store.write(work)


def end(store: Store, low: bytes = b"", high: bytes | None = None) -> bytes | None:
    return store.read(lambda rows: batch_end(rows, SPACE, low, high))


def test_a_batch_ends_after_so_many_rows(store: Store) -> None:
    fill(store, row_batches.MAX_ROWS + 1, 10)
    assert end(store) == key(row_batches.MAX_ROWS)
    assert end(store, key(1)) is None


def test_a_batch_of_prepared_rows_is_larger(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_batches, "MAX_ROWS", 3)
    fill(store, 10, 10)
    assert end(store) == key(3)
    assert store.read(lambda rows: batch_end(rows, SPACE, b"", times=2)) == key(6)


def test_a_batch_of_large_rows_is_smaller(store: Store) -> None:
    fill(store, 100, row_batches.MAX_BYTES // 10)
    found = end(store)
    assert found is not None
    assert key(1) <= found <= key(10)


def test_a_batch_has_at_least_one_row(store: Store) -> None:
    fill(store, 3, 2 * row_batches.MAX_BYTES)
    assert end(store) == key(1)


def test_the_last_batch_ends_at_the_end_of_the_range(store: Store) -> None:
    fill(store, 20, 10)
    assert end(store, b"", key(5)) == key(5)
    assert end(store) is None


def test_a_space_of_one_batch(store: Store) -> None:
    assert store.read(lambda rows: is_one_batch(rows, SPACE)), "a missing space"
    fill(store, row_batches.MAX_ROWS, 10)
    assert store.read(lambda rows: is_one_batch(rows, SPACE))
    store.write(lambda tx: tx.put(SPACE, key(9999), StoredItem(b"", 1)))
    assert not store.read(lambda rows: is_one_batch(rows, SPACE))


def test_rows_are_divided_by_count_and_by_bytes() -> None:
    small = [(key(number), StoredItem(b"", 1)) for number in range(10)]
    assert [len(batch) for batch in batches(small, 4)] == [4, 4, 2]
    assert list(batches([])) == []
    large = [(key(number), StoredItem(b"", row_batches.MAX_BYTES // 2)) for number in range(5)]
    assert [len(batch) for batch in batches(large)] == [2, 2, 1]
    assert [row for batch in batches(small, 3) for row in batch] == small
