"""Sequence numbers: always increasing, even when the clock is set back or the database is opened again."""

from collections.abc import Iterator

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.state.sequence_numbers import (
    Sequences,
    last_number,
    number_of,
    position,
    sequence_at,
)
from tablewright.engine.storage import Store, open_store

SPACE = 3
NOW = 1_700_000_000.0


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_store()
    opened.write(lambda tx: tx.create_space(SPACE))
    yield opened
    opened.close()


def test_numbers_of_a_stream_increase_in_one_millisecond_and_when_the_clock_is_set_back(store: Store) -> None:
    sequences = Sequences(SPACE, lambda: None)
    times = [NOW, NOW, NOW + 0.001, NOW - 60, NOW + 1]
    numbers = [store.read(lambda rows, time=time: sequences.next(rows, 7, time)) for time in times]  # type: ignore[misc]
    assert numbers == sorted(set(numbers))
    assert numbers[0] == sequence_at(NOW)
    assert numbers[-1] == sequence_at(NOW + 1)


def test_a_new_process_continues_after_the_stored_records(store: Store) -> None:
    late = sequence_at(NOW + 3600)
    store.write(lambda tx: tx.put(SPACE, position(7, late), StoredItem(b"{}", 0)))
    assert store.read(lambda rows: last_number(rows, SPACE, 7)) == late
    assert store.read(lambda rows: last_number(rows, SPACE, 8)) is None
    assert store.read(lambda rows: Sequences(SPACE, lambda: None).next(rows, 7, NOW)) == late + 1


def test_numbers_are_above_the_creation_time_of_the_stream(store: Store) -> None:
    sequences = Sequences(SPACE, lambda: None)
    assert store.read(lambda rows: sequences.next(rows, 7, NOW - 60, since=NOW)) == sequence_at(NOW) + 1


def test_the_first_number_of_each_stream_is_reported_once(store: Store) -> None:
    reported: list[str] = []
    sequences = Sequences(SPACE, lambda: reported.append("first"))
    for stream in (7, 7, 8):
        store.read(lambda rows, stream=stream: sequences.next(rows, stream, NOW))  # type: ignore[misc]
    assert reported == ["first", "first"]


def test_keys_sort_by_stream_and_number() -> None:
    keys = [position(1, 5), position(1, 10**20), position(2, 0)]
    assert keys == sorted(keys)
    assert [number_of(key) for key in keys] == [5, 10**20, 0]
