"""Tallies: counted once, updated by every write, dropped when writes are undone."""

from collections.abc import Iterator

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import Store, Tallies, open_store

SPACE = 20


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_store()
    opened.write(lambda tx: tx.create_space(SPACE))
    opened.write(lambda tx: tx.put(SPACE, b"a", StoredItem(b"{}", 10)))
    yield opened
    opened.close()


def test_a_space_is_counted_once_and_then_updated(store: Store) -> None:
    tallies = Tallies()
    assert tallies.known(SPACE) is None
    tallies.note(SPACE, None, StoredItem(b"{}", 5))
    assert tallies.known(SPACE) is None, "a space that was not counted has no tally to update"
    assert store.read(lambda rows: tallies.of(rows, SPACE)) == (1, 10)
    tallies.note(SPACE, None, StoredItem(b"{}", 5))
    tallies.note(SPACE, StoredItem(b"{}", 10), StoredItem(b"{}", 7))
    assert tallies.known(SPACE) == (2, 12)
    tallies.note(SPACE, StoredItem(b"{}", 5), None)
    assert store.read(lambda rows: tallies.of(rows, SPACE)) == (1, 7)


def test_a_dropped_tally_is_counted_again(store: Store) -> None:
    tallies = Tallies()
    tallies.begin(SPACE)
    assert tallies.known(SPACE) == (0, 0)
    tallies.forget(SPACE)
    assert store.read(lambda rows: tallies.of(rows, SPACE)) == (1, 10)
    tallies.forget_all()
    assert tallies.known(SPACE) is None


def test_changes_during_a_count_are_added(store: Store) -> None:
    tallies = Tallies()
    assert tallies.watch(SPACE)
    assert not tallies.watch(SPACE), "another count of the same space"
    tallies.note(SPACE, None, StoredItem(b"{}", 5))
    assert tallies.known(SPACE) is None
    tallies.settle(SPACE, (1, 10))
    assert tallies.known(SPACE) == (2, 15)


def test_a_count_that_was_undone_sets_no_tally(store: Store) -> None:
    tallies = Tallies()
    tallies.watch(SPACE)
    tallies.forget_all()
    tallies.settle(SPACE, (1, 10))
    assert tallies.known(SPACE) is None
