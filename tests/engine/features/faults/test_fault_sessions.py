"""Fault sessions: stale reads and lagging indexes, by the clock."""

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.features.faults.fault_sessions import RowHistory
from tablewright.engine.features.faults.injector import Faults
from tests.engine.features.faults.faulty_table import database, get, group, put


def test_indexes_lag_behind_their_table_by_the_clock() -> None:
    db = database(Faults(index_lag=5.0))
    put(db, "a")
    assert get(db, "a") is not None
    assert group(db) == []
    db.clock.advance(5)
    assert group(db) == ["a"]
    put(db, "a", group="other")
    put(db, "b")
    assert (group(db), group(db, "other")) == (["a"], [])
    db.clock.advance(5)
    assert (group(db), group(db, "other")) == (["b"], ["a"])


def test_stale_reads_return_earlier_data_and_consistent_reads_do_not() -> None:
    db = database(Faults(stale_reads=1.0, staleness=2.0))
    put(db, "a", v={"N": "1"})
    assert get(db, "a") is None
    assert get(db, "a", consistent=True)["v"] == {"N": "1"}
    db.clock.advance(2)
    put(db, "a", v={"N": "2"})
    assert get(db, "a")["v"] == {"N": "1"}
    assert db.call("Scan", {"TableName": "things"})["Items"][0]["v"] == {"N": "1"}
    assert db.call("Scan", {"TableName": "things", "ConsistentRead": True})["Items"][0]["v"] == {"N": "2"}
    db.clock.advance(2)
    assert get(db, "a")["v"] == {"N": "2"}


def test_faults_switched_on_later_apply_to_later_changes() -> None:
    db = database()
    put(db, "a")
    db.faults = Faults(index_lag=5.0)
    put(db, "b")
    assert group(db) == ["a"]
    db.clock.advance(5)
    assert group(db) == ["a", "b"]
    put(db, "c")
    db.faults = None
    assert group(db) == ["a", "b", "c"]


def test_the_sweep_uses_the_faults_of_the_time() -> None:
    db = database()
    setting = {"Enabled": True, "AttributeName": "ends"}
    db.call("UpdateTimeToLive", {"TableName": "things", "TimeToLiveSpecification": setting})
    put(db, "a", ends={"N": str(int(db.clock.now()) + 1)})
    db.faults = Faults(index_lag=5.0)
    db.clock.advance(2)
    assert db.sweep() == 1
    assert (get(db, "a", consistent=True), group(db)) == (None, ["a"])
    db.clock.advance(5)
    assert group(db) == []


def test_a_watch_of_a_bulk_write_sees_the_changes_made_with_faults() -> None:
    db = database()
    bulk = db.bulk_access()
    assert bulk is not None
    watch = bulk.watch(db.state.catalog.table("things"))
    db.faults = Faults(short_pages=0.5)
    put(db, "a")
    assert len(watch.take()) == 1
    bulk.unwatch(watch)
    put(db, "b")
    assert not watch.take()
    db.close()


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
