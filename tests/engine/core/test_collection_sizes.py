"""Collection sizes: stored with each change, correct after expiry, restore, kill and an upgrade."""

from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.dynamodb.values.key_bytes import partition
from tablewright.engine.core.collection_sizes import collection_size, sizes_range
from tablewright.engine.core.state.catalog import COLLECTIONS
from tablewright.engine.database import Database
from tablewright.engine.storage import ReadView, open_store
from tablewright.errors import ItemCollectionSizeLimitExceeded
from tests.engine.integrity import assert_indexes_match
from tests.engine.order_table import ORDERS

START = 1_700_000_000


def open_orders(path: Path | None = None) -> Database:
    db = Database(open_store(path, "relaxed"), Clock(START))
    if db.state.catalog.find("orders") is None:
        db.call("CreateTable", ORDERS)
    return db


def put(db: Database, customer: str, number: int, **more: Any) -> None:
    item = {"pk": {"S": customer}, "sk": {"N": str(number)}, "rank": {"N": "7"}, **more}
    db.call("PutItem", {"TableName": "orders", "Item": item})


def stored(db: Database, table: str = "orders") -> int:
    """The number of stored sizes."""
    low, high = sizes_range(db.state.catalog.table(table))
    return db.sessions.read(lambda tx: sum(1 for _ in tx.rows.range(COLLECTIONS, low, high)))


def size(db: Database, customer: str, table: str = "orders") -> int:
    found = db.state.catalog.table(table)
    return db.sessions.read(lambda tx: collection_size(tx.rows, found, partition([{"S": customer}])))


def test_an_empty_collection_has_no_size_stored() -> None:
    db = open_orders()
    put(db, "ada", 1)
    put(db, "ada", 2)
    # 3 + 2 for the partition key, 2 + 2 for the sort key, 4 + 2 for the rank; in the table and in the local index.
    assert (stored(db), size(db, "ada")) == (1, 2 * 2 * 15)
    for number in (1, 2):
        key = {"pk": {"S": "ada"}, "sk": {"N": str(number)}}
        db.call("DeleteItem", {"TableName": "orders", "Key": key})
    assert (stored(db), size(db, "ada")) == (0, 0)
    db.close()


def test_expired_items_leave_their_collection() -> None:
    db = open_orders()
    specification = {"AttributeName": "ttl", "Enabled": True}
    db.call("UpdateTimeToLive", {"TableName": "orders", "TimeToLiveSpecification": specification})
    put(db, "ada", 1)
    put(db, "ada", 2, ttl={"N": str(START + 10)})
    db.clock.advance(60)
    assert db.sweep() == 1
    assert size(db, "ada") == 30
    assert_indexes_match(db)
    db.close()


def test_a_deleted_table_leaves_no_sizes() -> None:
    db = open_orders()
    put(db, "ada", 1)
    db.call("DeleteTable", {"TableName": "orders"})
    db.jobs.wait_for_all()
    assert db.sessions.read(lambda tx: list(tx.rows.range(COLLECTIONS))) == []
    db.close()


@pytest.mark.parametrize("rows_at_once", [2, 128])
def test_a_restored_table_has_sizes(monkeypatch: pytest.MonkeyPatch, rows_at_once: int) -> None:
    monkeypatch.setattr("tablewright.engine.core.state.row_batches.MAX_ROWS", rows_at_once)
    db = open_orders()
    for number in range(5):
        put(db, "ada", number)
        put(db, f"other-{number}", number)
    arn = db.call("CreateBackup", {"TableName": "orders", "BackupName": "kept"})["BackupDetails"]["BackupArn"]
    db.jobs.wait_for_all()
    db.call("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": "restored"})
    db.jobs.wait_for_all()
    assert (stored(db, "restored"), size(db, "ada", "restored")) == (6, size(db, "ada"))
    assert_indexes_match(db)
    db.close()


def test_a_size_that_is_not_stored_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a file that an older version wrote."""
    db = open_orders()
    for number in range(3):
        put(db, "ada", number)
    db.sessions.write(lambda tx: tx.rows.delete_range(COLLECTIONS, b"", None))
    db.state.max_collection_size = 100
    with pytest.raises(ItemCollectionSizeLimitExceeded):
        put(db, "ada", 3)
    db.state.max_collection_size = 1000
    put(db, "ada", 3)
    assert stored(db) == 1
    assert_indexes_match(db)
    counted: list[int] = []
    totals = ReadView.totals

    def counting(view: ReadView, space: int, *bounds: Any) -> tuple[int, int]:
        counted.append(space)
        return totals(view, space, *bounds)

    monkeypatch.setattr(ReadView, "totals", counting)
    put(db, "ada", 4)
    assert counted == [], "a write does not read the collection"
    db.close()


def test_sizes_are_in_the_file(tmp_path: Path) -> None:
    db = open_orders(tmp_path / "data.db")
    put(db, "ada", 1)
    db.close()
    db = open_orders(tmp_path / "data.db")
    assert stored(db) == 1
    put(db, "ada", 2)
    assert size(db, "ada") == 60
    assert_indexes_match(db)
    db.close()
