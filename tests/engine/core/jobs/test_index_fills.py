"""Index fills: a restored table has its indexes, written in their own order."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.jobs import row_sorter
from tablewright.engine.core.state import row_batches
from tablewright.engine.database import Database
from tablewright.engine.storage import Transaction, open_store
from tests.engine.archive import archive, back_up, restore
from tests.engine.integrity import assert_indexes_match
from tests.engine.order_table import ORDERS
from tests.engine.table_cases import index_of, request_of

ITEMS = 60


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_batches, "MAX_ROWS", 7)
    monkeypatch.setattr(row_sorter, "RUN_BYTES", 9000)


def fill(db: Database) -> None:
    db.call("CreateTable", ORDERS)
    for number in range(ITEMS):
        item = {
            "pk": {"S": f"p{number % 5}"},
            "sk": {"N": str(number)},
            "rank": {"N": str(number * 37 % 11)},
            "note": {"S": f"note {number}"},
        }
        item |= {"team": {"S": f"t{number % 3}"}} if number % 4 else {}
        db.call("PutItem", {"TableName": "orders", "Item": item})


@pytest.mark.parametrize("place", ["memory", "file"])
def test_a_restored_table_has_its_indexes_and_collection_sizes(tmp_path: Path, place: str) -> None:
    with archive(tmp_path, tmp_path / "data.db" if place == "file" else None) as db:
        fill(db)
        restore(db, back_up(db, "orders"))
        assert_indexes_match(db)
        for index, count in (("by-rank", ITEMS), ("by-team", 45), ("by-team-keys", 45)):
            found = db.call("Scan", {"TableName": "restored", "IndexName": index})["Items"]
            assert len(found) == count
            assert found == db.call("Scan", {"TableName": "orders", "IndexName": index})["Items"]
        shown = db.call("DescribeTable", {"TableName": "restored"})["Table"]
        assert [index["ItemCount"] for index in shown["GlobalSecondaryIndexes"]] == [45, 45]


def test_each_index_is_written_in_its_own_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: dict[int, list[bytes]] = {}
    write_row = Transaction.put

    def record(rows: Transaction, space: int, key: bytes, row: StoredItem) -> None:
        if threading.current_thread() is not threading.main_thread():
            written.setdefault(space, []).append(key)
        write_row(rows, space, key, row)

    with archive(tmp_path, tmp_path / "data.db") as db:
        fill(db)
        backup = back_up(db, "orders")
        monkeypatch.setattr(Transaction, "put", record)
        restore(db, backup)
        for index in db.state.catalog.table("restored").indexes:
            keys = written[index.space]
            assert len(keys) in (ITEMS, 45)
            assert keys == sorted(keys)


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=1_700_000_000))
    yield database
    database.close()


def create(db: Database, notation: str, **members: Any) -> None:
    db.call("CreateTable", {**request_of("music", notation), **members})


def update(db: Database, **members: Any) -> dict[str, Any]:
    db.clock.advance(1)
    return db.call("UpdateTable", {"TableName": "music", **members})["TableDescription"]  # type: ignore[no-any-return]


def describe(db: Database) -> dict[str, Any]:
    return db.call("DescribeTable", {"TableName": "music"})["Table"]  # type: ignore[no-any-return]


def add_index(db: Database, name: str, *words: str, **types: str) -> dict[str, Any]:
    return update(
        db,
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in types.items()],
        GlobalSecondaryIndexUpdates=[{"Create": index_of(name, *words)}],
    )


def scanned(db: Database, index: str) -> list[str]:
    return sorted(
        item["artist"]["S"] for item in db.call("Scan", {"TableName": "music", "IndexName": index})["Items"]
    )


def test_a_new_index_contains_the_items_that_fit_its_key(db: Database) -> None:
    create(db, "artist | artist:S")
    fitting = {"text": {"S": "x"}, "longest": {"S": "x" * 2048}, "spread": {"S": "é" * 1024}}
    unfit = {
        "number": {"N": "1"},
        "empty": {"S": ""},
        "long": {"S": "x" * 2049},
        "wide": {"S": "é" * 1025},
        "nothing": {"NULL": True},
    }
    for artist, year in {**fitting, **unfit}.items():
        db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": artist}, "year": year}})
    db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": "none"}}})
    shown = add_index(db, "by-year", "year", year="S")
    (index,) = shown["GlobalSecondaryIndexes"]
    assert (shown["TableStatus"], index["IndexStatus"], index["Backfilling"], index["ItemCount"]) == (
        "UPDATING",
        "CREATING",
        False,
        0,
    )
    settled = describe(db)
    (index,) = settled["GlobalSecondaryIndexes"]
    assert (settled["TableStatus"], index["IndexStatus"], index["ItemCount"]) == ("ACTIVE", "ACTIVE", 3)
    assert "Backfilling" not in index
    assert scanned(db, "by-year") == sorted(fitting)
    for artist in unfit:
        db.call("DeleteItem", {"TableName": "music", "Key": {"artist": {"S": artist}}})
    assert describe(db)["GlobalSecondaryIndexes"][0]["ItemCount"] == 3


def test_range_keys_of_a_new_index_are_measured_together(db: Database) -> None:
    create(db, "artist | artist:S")
    for artist, length in {"below": 1023, "at": 1024, "above": 1025}.items():
        values = {"a": {"S": "x" * (length - 500)}, "b": {"B": b"y" * 500}}
        db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": artist}, **values}})
    add_index(db, "by-a-b", "artist", "a", "b", artist="S", a="S", b="B")
    assert scanned(db, "by-a-b") == ["at", "below"]
