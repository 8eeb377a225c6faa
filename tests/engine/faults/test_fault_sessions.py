"""Fault sessions: stale reads and lagging indexes, by the clock."""

from tablewright.engine.faults.injector import Faults
from tests.engine.faults.faulty_table import database, get, group, put


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
