"""Fault sessions: stale reads and lagging indexes, by the clock."""

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
