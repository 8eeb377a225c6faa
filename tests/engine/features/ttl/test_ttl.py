"""TTL: expired items are deleted by a sweep, and not before."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.clock import Clock
from tablewright.engine.core.state.catalog import EXPIRY
from tablewright.engine.database import Database
from tablewright.engine.features.ttl.expiry_sweeps import FIVE_YEARS, expiry_of
from tablewright.engine.storage import open_store
from tests.engine.streaming import (
    START,
    create_table,
    delete,
    get,
    item,
    open_memory,
    put,
    read_all,
)


def enable_ttl(db: Database, attribute: str = "ttl", *, enabled: bool = True) -> None:
    specification = {"AttributeName": attribute, "Enabled": enabled}
    db.call("UpdateTimeToLive", {"TableName": "events", "TimeToLiveSpecification": specification})


@pytest.fixture
def db() -> Iterator[Database]:
    database = open_memory()
    create_table(database)
    enable_ttl(database)
    yield database
    database.close()


def test_an_expired_item_is_readable_until_swept(db: Database) -> None:
    put(db, item("a", ttl=START + 60))
    assert db.sweep() == 0
    db.clock.advance(60)
    assert get(db, "a") is not None
    assert db.sweep() == 1
    assert get(db, "a") is None
    assert db.sweep() == 0


# (value of the TTL attribute, whether it is swept two minutes after the clock's start)
VALUES: list[tuple[dict[str, Any] | None, bool]] = [
    (None, False),
    ({"N": str(START)}, True),
    ({"N": str(START + 119)}, True),
    ({"N": str(START + 120)}, True),
    ({"N": str(START + 121)}, False),
    ({"N": f"{START + 119}.75"}, True),
    ({"N": f"{START + 120}.5"}, False),
    ({"N": "17e8"}, True),
    ({"N": str(START + 120 - FIVE_YEARS)}, True),
    ({"N": str(START + 119 - FIVE_YEARS)}, False),
    ({"N": "0"}, False),
    ({"N": "-1"}, False),
    ({"N": "9e125"}, False),
    ({"S": str(START)}, False),
    ({"NS": [str(START)]}, False),
    ({"M": {"N": {"N": str(START)}}}, False),
]


@pytest.mark.parametrize(("value", "swept"), VALUES)
def test_valid_and_invalid_expiry_values(db: Database, value: dict[str, Any] | None, swept: bool) -> None:
    content = item("a")
    if value is not None:
        content["ttl"] = value
    put(db, content)
    db.clock.advance(120)
    assert db.sweep() == swept
    assert (get(db, "a") is None) == swept


def test_the_record_names_the_service(db: Database) -> None:
    put(db, item("a", ttl=START))
    put(db, item("b"))
    db.sweep()
    delete(db, "b")
    *_, expired, deleted = read_all(db, db.state.catalog.table("events").definition["Streams"][0]["Arn"])
    assert expired["eventName"] == deleted["eventName"] == "REMOVE"
    assert expired["userIdentity"] == {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
    assert expired["dynamodb"]["OldImage"] == item("a", ttl=START)
    assert "userIdentity" not in deleted


def test_an_item_with_a_later_expiry_is_kept(db: Database) -> None:
    put(db, item("moved", ttl=START))
    put(db, item("moved", ttl=START + 3600))
    put(db, item("freed", ttl=START))
    put(db, item("freed"))
    put(db, item("deleted", ttl=START))
    delete(db, "deleted")
    assert db.sweep() == 0
    assert get(db, "moved") is not None
    assert get(db, "freed") is not None


def test_items_from_before_ttl_was_enabled_expire_too() -> None:
    db = open_memory()
    create_table(db)
    put(db, item("a", ttl=START))
    assert db.sweep() == 0
    enable_ttl(db)
    assert db.sweep() == 1
    db.close()


def test_nothing_expires_after_ttl_was_disabled(db: Database) -> None:
    put(db, item("a", ttl=START))
    enable_ttl(db, enabled=False)
    assert db.sweep() == 0
    assert get(db, "a") is not None
    assert schedule(db) == []


def test_ttl_on_a_key_attribute(db: Database) -> None:
    enable_ttl(db, enabled=False)
    enable_ttl(db, "sk")
    put(db, item("a", START))
    put(db, item("a", START + 1))
    assert db.sweep() == 1
    assert get(db, "a", START + 1) is not None


def test_deleting_a_table_drops_its_schedule(db: Database) -> None:
    put(db, item("a", ttl=START))
    db.call("DeleteTable", {"TableName": "events"})
    assert schedule(db) == []
    assert db.sweep() == 0


def test_the_schedule_survives_reopening(tmp_path: Path) -> None:
    clock = Clock(start=START)
    db = Database(open_store(tmp_path / "data.db"), clock)
    create_table(db)
    enable_ttl(db)
    put(db, item("a", ttl=START + 5))
    db.close()
    clock.advance(10)
    db = Database(open_store(tmp_path / "data.db"), clock)
    assert db.sweep() == 1
    db.close()


def schedule(db: Database) -> list[tuple[int, bytes]]:
    def places(tx: Any) -> list[tuple[int, bytes]]:
        return [(int.from_bytes(place[8:16], "big"), place[16:]) for place, _ in tx.rows.range(EXPIRY)]

    return db.sessions.read(places)


ttls = st.none() | st.integers(START - 3, START + 3)


steps = st.lists(
    st.tuples(st.sampled_from(["put", "delete", "sweep"]), st.sampled_from("abc"), ttls), max_size=25
)


@given(steps)
def test_the_schedule_always_equals_the_expiry_of_the_items(moves: list[tuple[str, str, int | None]]) -> None:
    db = open_memory()
    create_table(db, None)
    enable_ttl(db)
    table = db.state.catalog.table("events")
    for kind, pk, ttl in moves:
        if kind == "put":
            put(db, item(pk) if ttl is None else item(pk, ttl=ttl))
        elif kind == "delete":
            delete(db, pk)
        else:
            db.sweep()
        stored = db.sessions.read(lambda tx: list(tx.rows.range(table.space)))
        expiries = [(expiry_of("ttl", content), key) for key, content in stored]
        assert schedule(db) == sorted(place for place in expiries if place[0] is not None)
    db.close()
