"""Bit rot: whichever bit of a data file changes, each reply is right or an error, never wrong data with status 200."""

import json
import random
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tablewright.connections import embedded
from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import StoreError
from tests.engine.order_table import ORDERS
from tests.engine.storage.damaged_files import bit_count, flip_bit
from tests.engine.streaming import START

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
ITEMS = 60


def open_database(path: Path) -> Database:
    return embedded(path, durability="relaxed", clock=Clock(start=START + 100))._open()


def key(number: int) -> dict[str, Any]:
    return {"pk": {"S": f"customer-{number % 7}"}, "sk": {"N": str(number)}}


def item(number: int, source: random.Random) -> dict[str, Any]:
    # Short items share a page; long ones have pages of their own.
    length = 20_000 if number % 20 == 0 else source.randrange(10, 1500)
    return {
        **key(number),
        "team": {"S": f"team {number % 3}"},
        "rank": {"N": str(source.randrange(1000))},
        "note": {"S": source.randbytes(length // 2).hex()},
        "expires": {"N": str(START + 10_000 + number)},
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with items, three indexes, a stream, a journal, expiry times, a backup and free pages."""
    path = tmp_path_factory.mktemp("whole") / "data.db"
    source = random.Random(1)
    db = Database(open_store(path), Clock(start=START))
    db.call("CreateTable", {**ORDERS, "StreamSpecification": STREAM})
    ttl = {"AttributeName": "expires", "Enabled": True}
    db.call("UpdateTimeToLive", {"TableName": "orders", "TimeToLiveSpecification": ttl})
    recovery = {"PointInTimeRecoveryEnabled": True}
    db.call("UpdateContinuousBackups", {"TableName": "orders", "PointInTimeRecoverySpecification": recovery})
    for number in range(ITEMS + 10):
        db.call("PutItem", {"TableName": "orders", "Item": item(number, source)})
    for number in range(ITEMS, ITEMS + 10):
        db.call("DeleteItem", {"TableName": "orders", "Key": key(number)})
    db.call("CreateBackup", {"TableName": "orders", "BackupName": "first"})
    db.jobs.wait()
    db.close()
    assert not path.with_name("data.db-wal").exists()
    return path


def requests() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "ListTables", {}
    for operation in ("DescribeTable", "DescribeTimeToLive", "DescribeContinuousBackups"):
        yield operation, {"TableName": "orders"}
    yield "ListBackups", {}
    for number in range(ITEMS + 2):
        yield "GetItem", {"TableName": "orders", "Key": key(number)}
    for index in (None, "by-team", "by-team-keys", "by-rank"):
        chosen = {"IndexName": index} if index else {}
        yield "Scan", {"TableName": "orders", **chosen}
        name, value = ("team", "team 1") if index in ("by-team", "by-team-keys") else ("pk", "customer-3")
        condition = {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": value}]}
        for forward in (True, False):
            query = {"TableName": "orders", **chosen, "KeyConditions": {name: condition}}
            yield "Query", {**query, "ScanIndexForward": forward}


def replies(db: Database) -> list[tuple[int, bytes]]:
    found = [db.call_json(operation, json.dumps(request).encode()) for operation, request in requests()]
    return [*found, records(db)]


def records(db: Database) -> tuple[int, bytes]:
    """All stream records, or the first error."""
    status, body = db.call_json("DescribeTable", b'{"TableName":"orders"}')
    if status != 200:
        return status, body
    arn = json.loads(body)["Table"]["LatestStreamArn"]
    status, body = db.call_json("DescribeStream", json.dumps({"StreamArn": arn}).encode())
    if status != 200:
        return status, body
    (shard,) = json.loads(body)["StreamDescription"]["Shards"]
    place = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    status, body = db.call_json("GetShardIterator", json.dumps(place).encode())
    if status != 200:
        return status, body
    status, body = db.call_json("GetRecords", body)
    return status, json.dumps(json.loads(body).get("Records")).encode() if status == 200 else body


def touch(db: Database, number: int) -> int:
    """Update an item, and return the status."""
    request = {
        "TableName": "orders",
        "Key": key(number),
        "UpdateExpression": "SET touched = :yes",
        "ConditionExpression": "attribute_exists(pk)",
        "ExpressionAttributeValues": {":yes": {"BOOL": True}},
    }
    return db.call_json("UpdateItem", json.dumps(request).encode())[0]


def wrong_replies(path: Path, expected: list[tuple[int, bytes]]) -> tuple[list[int], bool]:
    """The numbers of the wrong replies, and whether anything failed."""
    try:
        db = open_database(path)
    except StoreError:
        return [], True
    try:
        actual = replies(db)
    finally:
        close(db)
    wrong = [
        place
        for place, (reply, right) in enumerate(zip(actual, expected, strict=True))
        if reply != right and reply[0] != 500
    ]
    return wrong, actual != expected


def close(db: Database) -> None:
    with suppress(StoreError):
        db.close()


def damaged_copies(whole: Path, path: Path, flips: int, seed: int) -> Iterator[int]:
    """Copies of the file with one changed bit each, under the same path; yields the place of the bit."""
    source = random.Random(seed)
    for _ in range(flips):
        shutil.copyfile(whole, path)
        position = source.randrange(bit_count(path))
        flip_bit(path, position)
        yield position
        for log in ("-wal", "-shm"):
            path.with_name(path.name + log).unlink(missing_ok=True)


def right_replies(whole: Path, path: Path) -> list[tuple[int, bytes]]:
    db = open_database(shutil.copyfile(whole, path))
    expected = replies(db)
    db.close()
    assert all(status == 200 for status, _ in expected)
    return expected


@pytest.mark.parametrize(("flips", "seed"), [(50, 0), pytest.param(10_000, 9, marks=pytest.mark.soak)])
def test_no_changed_bit_gives_wrong_data(whole: Path, tmp_path: Path, flips: int, seed: int) -> None:
    path = tmp_path / "data.db"
    expected = right_replies(whole, path)
    noticed = 0
    for position in damaged_copies(whole, path, flips, seed):
        wrong, failed = wrong_replies(path, expected)
        assert not wrong, f"bit {position}: replies {wrong} are wrong"
        noticed += failed
    assert noticed > flips // 3, "most of the file is read"


@pytest.mark.parametrize("flips", [15, pytest.param(1_000, marks=pytest.mark.soak)])
def test_writes_do_not_hide_damage(whole: Path, tmp_path: Path, flips: int) -> None:
    path = tmp_path / "data.db"
    requested = [json.dumps({"TableName": "orders", "Key": key(number)}).encode() for number in range(ITEMS)]
    db = open_database(shutil.copyfile(whole, path))
    before = [json.loads(db.call_json("GetItem", request)[1])["Item"] for request in requested]
    db.close()
    failed = 0
    for position in damaged_copies(whole, path, flips, seed=5):
        try:
            db = open_database(path)
        except StoreError:
            continue
        try:
            statuses = [touch(db, number) for number in range(ITEMS)]
            found = [db.call_json("GetItem", request) for request in requested]
        finally:
            close(db)
        assert set(statuses) <= {200, 500}, f"bit {position}"
        failed += 500 in statuses
        for item, written, (status, body) in zip(before, statuses, found, strict=True):
            touched = {"touched": {"BOOL": True}} if written == 200 else {}
            assert status == 500 or json.loads(body)["Item"] == {**item, **touched}, f"bit {position}"
    assert failed


def test_the_file_header_is_checked(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    expected = right_replies(whole, path)
    for position in range(0, 100 * 8, 7):
        shutil.copyfile(whole, path)
        flip_bit(path, position)
        assert wrong_replies(path, expected) == ([], True), f"bit {position}"
