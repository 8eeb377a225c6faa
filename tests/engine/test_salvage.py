"""Salvage: everything intact is in the new file, everything else is in the list of losses, and nothing is wrong."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.connections import embedded
from tablewright.dynamodb.clock import Clock
from tablewright.engine.core.state.catalog import CATALOG, META
from tablewright.engine.salvage import SalvageReport, salvage
from tablewright.engine.storage.file_upgrade import PAGE_SIZE
from tablewright.engine.storage_check import check_storage
from tablewright.errors import StoreError, UsageError
from tests.engine.order_table import ORDERS
from tests.engine.storage.damaged_files import bit_count, change_rows, flip_bit
from tests.engine.streaming import START

ITEMS = 120
INDEX_LEAF = 10
"""The first byte of a page of rows: https://sqlite.org/fileformat2.html#b_tree_pages"""
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}


def key(number: int) -> dict[str, Any]:
    return {"pk": {"S": f"p{number % 3}"}, "sk": {"N": str(number)}}


def item(number: int) -> dict[str, Any]:
    # Every other item is in no index.
    team = {"team": {"S": "red"}, "rank": {"N": "1"}} if number % 2 else {}
    return {**key(number), **team, "note": {"S": f"note-{number}-" * 60}, "ends": {"N": str(START + 1000)}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.db"
    with embedded(path, durability="relaxed", clock=Clock(start=START)) as db:
        db.call("CreateTable", {**ORDERS, "StreamSpecification": STREAM})
        ttl = {"AttributeName": "ends", "Enabled": True}
        db.call("UpdateTimeToLive", {"TableName": "orders", "TimeToLiveSpecification": ttl})
        recovery = {"PointInTimeRecoveryEnabled": True}
        db.call(
            "UpdateContinuousBackups", {"TableName": "orders", "PointInTimeRecoverySpecification": recovery}
        )
        for number in range(ITEMS):
            db.call("PutItem", {"TableName": "orders", "Item": item(number)})
        db.call("CreateBackup", {"TableName": "orders", "BackupName": "first"})
        db._open().jobs.wait_for_all()
    return path


def space_of(path: Path) -> int:
    with embedded(path) as db:
        return db._open().state.catalog.table("orders").space


def saved(file: Path) -> tuple[SalvageReport, dict[str, Any]]:
    """The report, and the items of the new file by key."""
    target = file.with_name("saved.db")
    target.unlink(missing_ok=True)
    report = salvage(file, target)
    assert check_storage(target).problems == []
    with embedded(target, clock=Clock(start=START)) as db:
        items = list(_scan(db)) if db.call("ListTables", {})["TableNames"] else []
    return report, {json.dumps({name: each[name] for name in ("pk", "sk")}): each for each in items}


def _scan(db: Any) -> Iterator[dict[str, Any]]:
    start: dict[str, Any] = {}
    while True:
        page = db.call("Scan", {"TableName": "orders", **start})
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


ALL = {json.dumps(key(number)): item(number) for number in range(ITEMS)}


def test_a_whole_file_is_copied_whole(file: Path) -> None:
    report, items = saved(file)
    assert (report.lost, report.recovered) == ([], 0)
    assert items == ALL
    assert report.notes == ["table 'orders': point-in-time recovery is off; turn it on again"]
    with embedded(file.with_name("saved.db"), clock=Clock(start=START + 2000)) as db:
        (backup,) = db.call("ListBackups", {})["BackupSummaries"]
        db.call("RestoreTableFromBackup", {"TargetTableName": "again", "BackupArn": backup["BackupArn"]})
        db._open().jobs.wait_for_all()
        assert db.call("Scan", {"TableName": "again", "Select": "COUNT"})["Count"] == ITEMS
        assert db.sweep() == ITEMS, "expiry times are there"


def test_a_damaged_item_is_taken_from_an_index_or_named(file: Path) -> None:
    where = "instr(body, 'note-7-') > 0 OR instr(body, 'note-8-') > 0"
    assert change_rows(file, space_of(file), "body = '#' || body", where) == 2
    report, items = saved(file)
    assert report.recovered == 1
    assert [(each.table, each.key) for each in report.lost] == [("orders", key(8))]
    assert items == {name: each for name, each in ALL.items() if each["sk"]["N"] != "8"}


def test_a_lost_definition_and_a_lost_counter_are_survived(file: Path) -> None:
    assert change_rows(file, META, "body = '0'")
    report, items = saved(file)
    assert items == ALL
    assert {each.place.partition(" ")[0] for each in report.lost} == {"counters"}
    with embedded(file.with_name("saved.db")) as db:
        db.call("CreateTable", {**ORDERS, "TableName": "next"})
    assert change_rows(file, CATALOG, "body = '#' || body") == 1
    report, items = saved(file)
    assert items == {}
    assert any("'orders'" in each.place for each in report.lost)
    assert any("whose definition is lost" in each.problem for each in report.lost)


def test_an_existing_target_is_rejected(file: Path) -> None:
    with pytest.raises(UsageError, match="exists; give the name of a new file"):
        salvage(file, file)


def test_rows_that_a_page_hides_are_reported(file: Path) -> None:
    """A page with a smaller number of rows in its header is valid SQLite, without the last rows."""
    whole = file.read_bytes()
    leaves = [at for at in range(0, len(whole), PAGE_SIZE) if whole[at] == INDEX_LEAF]
    tried = 0
    for page in [at for at in leaves if b"note-" in whole[at : at + PAGE_SIZE]][:6]:
        count = int.from_bytes(whole[page + 3 : page + 5], "big")
        hidden = bytearray(whole)
        hidden[page + 3 : page + 5] = (count - 1).to_bytes(2, "big")
        file.write_bytes(hidden)
        report, items = saved(file)
        assert items.items() <= ALL.items()
        assert any("items may be missing that are not listed here" in each.problem for each in report.lost)
        tried += 1
    assert tried


@pytest.mark.parametrize("flips", [10, pytest.param(1_000, marks=pytest.mark.soak)])
def test_no_changed_bit_makes_a_wrong_item(file: Path, flips: int) -> None:
    whole, source = file.read_bytes(), random.Random(3)
    unreadable = 0
    for _ in range(flips):
        file.write_bytes(whole)
        position = source.randrange(bit_count(file))
        flip_bit(file, position)
        try:
            report, items = saved(file)
        except StoreError:
            unreadable += 1
            continue
        assert items.items() <= ALL.items(), f"bit {position}"
        assert report.lost or items == ALL, (
            f"bit {position}: items are missing, and the report does not say so"
        )
    assert unreadable < flips / 4
