"""Rows: ordered by key, replaced and deleted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

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
