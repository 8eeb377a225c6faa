"""Index fills: a restored table has its indexes, written in their own order."""

import threading
from pathlib import Path

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.jobs import row_sorter
from tablewright.engine.core.state import row_batches
from tablewright.engine.database import Database
from tablewright.engine.storage import Transaction
from tests.engine.archive import archive, back_up, restore
from tests.engine.integrity import assert_indexes_match
from tests.engine.order_table import ORDERS

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
