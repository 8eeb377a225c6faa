"""A damaged file: reading a damaged part is an error with its table and key, and the rest stays readable."""

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablewright.connections import Embedded, embedded
from tablewright.dynamodb.clock import Clock
from tablewright.engine.core.state.catalog import CATALOG, RECORDS
from tablewright.engine.database import Database
from tablewright.engine.features.replicas.replica_groups import version_space
from tablewright.engine.regions import Regions
from tablewright.engine.storage import open_store
from tablewright.engine.storage_check import check_storage
from tablewright.errors import StoreDamaged
from tests.engine.order_table import ORDERS
from tests.engine.storage.damaged_files import change_rows, flip_bit

KEY = {"pk": {"S": "torn"}, "sk": {"N": "-1.5"}}
WHOLE = {"pk": {"S": "whole"}, "sk": {"N": "2"}}
UPDATE = {
    "UpdateExpression": "SET #name = :value",
    "ExpressionAttributeNames": {"#name": "x"},
    "ExpressionAttributeValues": {":value": {"S": "x"}},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.db"
    with embedded(path) as db:
        db.call(
            "CreateTable",
            {**ORDERS, "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}},
        )
        for key in (KEY, WHOLE):
            db.call(
                "PutItem", {"TableName": "orders", "Item": {**key, "team": {"S": "red"}, "rank": {"N": "1"}}}
            )
    return path


def space_of(path: Path, index: str | None = None) -> int:
    with embedded(path) as db:
        table = db._open().state.catalog.table("orders")
        found = table if index is None else table.index(index)
        assert found is not None
        return found.space


def get(db: Embedded, key: dict[str, Any]) -> Any:
    return db.call("GetItem", {"TableName": "orders", "Key": key})["Item"]


def test_a_damaged_table_definition_is_reported_on_open(file: Path) -> None:
    assert change_rows(file, CATALOG, "body = '#' || body") == 1
    with pytest.raises(StoreDamaged, match=r"is damaged .*table 'orders'.* restore it from a backup"):
        embedded(file)


READS: list[Callable[[Embedded], object]] = [
    lambda db: get(db, KEY),
    lambda db: db.call("Scan", {"TableName": "orders"}),
    lambda db: db.call("UpdateItem", {"TableName": "orders", "Key": KEY} | UPDATE),
    lambda db: db.call("PutItem", {"TableName": "orders", "Item": KEY}),
    lambda db: db.call("DeleteItem", {"TableName": "orders", "Key": KEY, "ReturnValues": "ALL_OLD"}),
]


@pytest.mark.parametrize(
    "change", ["body = '#' || body", "body = CAST('x' AS TEXT)", "size = size + 1", "size = 'x'"]
)
@pytest.mark.parametrize("read", READS)
def test_a_damaged_item_is_named_and_never_returned(
    file: Path, read: Callable[[Embedded], object], change: str
) -> None:
    assert change_rows(file, space_of(file), change, "instr(body, 'torn') > 0") == 1
    with embedded(file) as db:
        with pytest.raises(
            StoreDamaged, match=r"is damaged \(table 'orders', key .*restore it from a backup"
        ) as caught:
            read(db)
        assert (caught.value.table, caught.value.key) == ("orders", KEY)
        assert get(db, WHOLE)


def test_a_row_under_another_key_is_damaged(file: Path) -> None:
    assert (
        change_rows(file, space_of(file), "key = CAST(key || x'00' AS BLOB)", "instr(body, 'torn') > 0") == 1
    )
    with embedded(file) as db, pytest.raises(StoreDamaged, match="table 'orders'"):
        db.call("Scan", {"TableName": "orders"})


def test_a_damaged_index_row_names_the_index_and_both_keys(file: Path) -> None:
    assert change_rows(file, space_of(file, "by-team"), "size = size + 1", "instr(body, 'torn') > 0") == 1
    with embedded(file) as db:
        with pytest.raises(StoreDamaged, match="index 'by-team' of table 'orders'") as caught:
            db.call("Scan", {"TableName": "orders", "IndexName": "by-team"})
        assert caught.value.key == {**KEY, "team": {"S": "red"}, "rank": {"N": "1"}}
        assert get(db, KEY), "the table itself is whole"


def test_a_damaged_stream_record_is_reported(file: Path) -> None:
    assert change_rows(file, RECORDS, "body = '#' || body") == 2
    with embedded(file) as db:
        arn = db.call("DescribeTable", {"TableName": "orders"})["Table"]["LatestStreamArn"]
        (shard,) = db.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
        place = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = db.call("GetShardIterator", place)["ShardIterator"]
        with pytest.raises(StoreDamaged, match="stream records"):
            db.call("GetRecords", {"ShardIterator": iterator})


def test_a_copy_of_a_damaged_row_stays_damaged(file: Path) -> None:
    assert change_rows(file, space_of(file), "body = '#' || body", "instr(body, 'torn') > 0") == 1
    with embedded(file) as db:
        created = db.call("CreateBackup", {"TableName": "orders", "BackupName": "later"})
        db._open().jobs.wait()
        restore = {"TargetTableName": "copy", "BackupArn": created["BackupDetails"]["BackupArn"]}
        db.call(
            "RestoreTableFromBackup",
            {**restore, "GlobalSecondaryIndexOverride": [], "LocalSecondaryIndexOverride": []},
        )
        db._open().jobs.wait()
        assert db.call("GetItem", {"TableName": "copy", "Key": WHOLE})["Item"]
        with pytest.raises(StoreDamaged, match="table 'copy'"):
            db.call("GetItem", {"TableName": "copy", "Key": KEY})


def test_a_new_index_does_not_hide_a_damaged_item(file: Path) -> None:
    assert change_rows(file, space_of(file), "body = '#' || body", "instr(body, 'torn') > 0") == 1
    create = {
        "IndexName": "late",
        "KeySchema": [{"AttributeName": "team", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    with embedded(file) as db:
        request = {
            "TableName": "orders",
            "AttributeDefinitions": ORDERS["AttributeDefinitions"],
            "GlobalSecondaryIndexUpdates": [{"Create": create}],
        }
        with pytest.raises(StoreDamaged, match="table 'orders'"):
            db.call("UpdateTable", request)


def test_a_failed_read_of_a_writer_does_not_undo_other_writes(file: Path) -> None:
    assert change_rows(file, space_of(file), "body = '#' || body", "instr(body, 'torn') > 0") == 1
    with embedded(file) as db:
        database = db._open()
        staged = database.stage_json(
            "PutItem", b'{"TableName":"orders","Item":{"pk":{"S":"new"},"sk":{"N":"1"}}}'
        )
        with pytest.raises(StoreDamaged):
            db.call("DeleteItem", {"TableName": "orders", "Key": KEY})
        database.flush()
        assert staged.settled()[0] == 200
        assert get(db, {"pk": {"S": "new"}, "sk": {"N": "1"}})


def test_network_clients_do_not_see_the_path(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    content = file.read_bytes()
    for match in re.finditer(b'"torn"', content):
        flip_bit(file, match.start() * 8)
    with embedded(file) as db, caplog.at_level(logging.ERROR, "tablewright.engine"):
        status, body = db._open().call_json("Scan", b'{"TableName":"orders"}')
        assert status == 500
        assert b"damaged" in body
        assert str(file).encode() not in body
    assert str(file) in caplog.text


def test_a_damaged_version_of_an_item_is_reported_with_its_table(tmp_path: Path) -> None:
    database = Database(open_store(tmp_path / "app.db"), Clock(start=1_700_000_000))
    regions = Regions(database)
    database.call("CreateTable", ORDERS)
    create = {"Create": {"RegionName": "eu-west-1"}}
    database.call("UpdateTable", {"TableName": "orders", "ReplicaUpdates": [create]})
    regions.replicate()
    database.call("PutItem", {"TableName": "orders", "Item": KEY})
    space = version_space(database.state.catalog.table("orders"))
    regions.close()
    database.close()
    assert space is not None
    assert change_rows(tmp_path / "app.db", space, "body = body || x'00'") > 0
    with (
        embedded(tmp_path / "app.db") as db,
        pytest.raises(StoreDamaged, match="versions of the items of table 'orders'"),
    ):
        db.call("PutItem", {"TableName": "orders", "Item": KEY})
    problems = check_storage(tmp_path / "app.db").problems
    assert {each.place for each in problems} == {"versions of the items of table 'orders'"}
