"""Stale reads: earlier versions of rows, up to a horizon."""

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.features.faults.stale_reads import RowHistory

SPACE = 20


def row(text: str) -> StoredItem:
    return StoredItem(text.encode(), len(text))


def test_a_row_is_returned_as_it_was_at_a_time() -> None:
    history = RowHistory(horizon=60)
    history.record(SPACE, b"a", None, now=10)
    history.record(SPACE, b"a", row("first"), now=20)
    current = row("second")
    assert history.get(SPACE, b"a", 5, current) is None
    seen = history.get(SPACE, b"a", 15, current)
    assert seen is not None
    assert seen.raw == b"first"
    assert history.get(SPACE, b"a", 20, current) is current
    assert history.get(SPACE, b"b", 5, current) is current


def test_versions_before_the_horizon_are_dropped() -> None:
    history = RowHistory(horizon=10)
    history.record(SPACE, b"a", None, now=0)
    history.record(SPACE, b"a", row("first"), now=20)
    assert history.differences(SPACE, -1).keys() == {b"a"}
    seen = history.get(SPACE, b"a", -1, None)
    assert seen is not None
    assert seen.raw == b"first", "the version from before time 0 is dropped"


def test_a_range_has_restored_rows_in_order_and_no_new_ones() -> None:
    history = RowHistory(horizon=60)
    history.record(SPACE, b"b", row("deleted"), now=10)
    history.record(SPACE, b"c", None, now=10)
    history.record(SPACE, b"z", row("outside"), now=10)
    current = [(b"a", row("same")), (b"c", row("new")), (b"d", row("same"))]

    def keys(backward: bool) -> list[bytes]:
        rows = current[::-1] if backward else current
        return [key for key, _ in history.range(SPACE, b"a", b"e", 5, rows, backward=backward)]

    assert keys(backward=False) == [b"a", b"b", b"d"]
    assert keys(backward=True) == [b"d", b"b", b"a"]
