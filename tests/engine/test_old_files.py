"""Files of older versions: everything that they have is there after the upgrade."""

import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.salvage import salvage
from tablewright.engine.storage import open_store
from tablewright.engine.storage_check import check_storage
from tests.engine.integrity import assert_indexes_match
from tests.engine.order_table import ORDERS
from tests.engine.streaming import read_all

FILES = Path(__file__).parent / "storage" / "files"
START = 1_700_000_000
# As the old version wrote them: forty items and a backup, then the last ten were deleted.
ITEMS, DELETED = range(30), range(30, 40)


def item(number: int) -> dict[str, Any]:
    return {
        "pk": {"S": f"customer-{number % 7}"},
        "sk": {"N": str(number)},
        "team": {"S": f"team {number % 3}"},
        "rank": {"N": str(number * 37 % 1000)},
        "note": {"S": f"note {number} " * (2000 if number % 20 == 0 else number)},
        "expires": {"N": str(START + 100000 + number)},
    }


def items(db: Database, table: str = "orders") -> list[dict[str, Any]]:
    found = db.call("Scan", {"TableName": table})["Items"]
    return sorted(found, key=lambda each: int(each["sk"]["N"]))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.db"
    path.write_bytes(lzma.decompress((FILES / "format_2.db.xz").read_bytes()))
    return path


@pytest.fixture
def db(file: Path) -> Iterator[Database]:
    opened = Database(open_store(file), Clock(start=START + 1))
    yield opened
    opened.close()


def test_items_indexes_and_streams_of_format_2(db: Database) -> None:
    assert db.call("ListTables", {})["TableNames"] == ["empty", "orders"]
    assert items(db) == [item(number) for number in ITEMS]
    assert items(db, "empty") == []
    assert_indexes_match(db, collection_sizes=False)
    described = db.call("DescribeTable", {"TableName": "orders"})["Table"]
    assert described["ItemCount"] == len(ITEMS)
    records = read_all(db, described["LatestStreamArn"])
    assert [record["eventName"] for record in records] == ["INSERT"] * 40 + ["REMOVE"] * 10


def test_expiry_backups_and_recovery_of_format_2(db: Database) -> None:
    (backup,) = db.call("ListBackups", {"TableName": "orders"})["BackupSummaries"]
    db.call("RestoreTableFromBackup", {"TargetTableName": "restored", "BackupArn": backup["BackupArn"]})
    recovery = {"SourceTableName": "orders", "TargetTableName": "recovered", "UseLatestRestorableTime": True}
    db.call("RestoreTableToPointInTime", recovery)
    db.jobs.wait()
    assert items(db, "restored") == [item(number) for number in (*ITEMS, *DELETED)]
    assert items(db, "recovered") == [item(number) for number in ITEMS]
    assert_indexes_match(db, collection_sizes=False)
    db.clock.advance(200_000)
    assert db.sweep() == len(ITEMS)
    assert items(db) == []


def test_a_file_of_format_2_is_checked_and_salvaged_without_an_upgrade(file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    report = check_storage(file)
    assert (report.problems, report.rows > 100) == ([], True)
    found = salvage(file, tmp_path / "new.db")
    assert found.lost == []
    assert file.read_bytes() == before
    opened = Database(open_store(tmp_path / "new.db"))
    assert items(opened) == [item(number) for number in ITEMS]
    opened.close()


def test_the_schema_does_not_grow_with_the_number_of_tables(db: Database) -> None:
    def schema() -> list[tuple[str]]:
        query = "SELECT name FROM sqlite_schema ORDER BY name"
        return db.state.store.read(lambda view: list(view.execute(query)))

    before = schema()
    for number in range(20):
        db.call("CreateTable", ORDERS | {"TableName": f"table-{number}"})
    assert schema() == before
