"""Streams: one record for every change, in order, for a day; no record without its change."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ResourceNotFound, TransactionCanceled
from tests.engine.streaming import (
    DAY,
    HOUR,
    START,
    Item,
    close_stream,
    create_table,
    delete,
    item,
    iterator,
    open_memory,
    put,
    read_all,
    read_pages,
)


@pytest.fixture
def db() -> Iterator[Database]:
    database = open_memory()
    yield database
    database.close()


def images(record: dict[str, Any]) -> tuple[Item | None, Item | None]:
    return record["dynamodb"].get("OldImage"), record["dynamodb"].get("NewImage")


def make_one_of_each(db: Database) -> None:
    put(db, item("a", n=1))
    put(db, item("a", n=2))
    delete(db, "a")


OLD, NEW = item("a", n=1), item("a", n=2)


# What the images of an INSERT, a MODIFY and a REMOVE are, by view type: (old, new).
VIEWS: dict[str, list[tuple[Item | None, Item | None]]] = {
    "KEYS_ONLY": [(None, None), (None, None), (None, None)],
    "NEW_IMAGE": [(None, OLD), (None, NEW), (None, None)],
    "OLD_IMAGE": [(None, None), (OLD, None), (NEW, None)],
    "NEW_AND_OLD_IMAGES": [(None, OLD), (OLD, NEW), (NEW, None)],
}


@pytest.mark.parametrize("view", VIEWS)
def test_images_by_view_type(db: Database, view: str) -> None:
    arn = create_table(db, view)
    make_one_of_each(db)
    records = read_all(db, arn)
    assert [record["eventName"] for record in records] == ["INSERT", "MODIFY", "REMOVE"]
    assert [images(record) for record in records] == VIEWS[view]
    assert all(record["dynamodb"]["Keys"] == item("a") for record in records)
    assert all(record["dynamodb"]["StreamViewType"] == view for record in records)


def test_all_members_of_a_record(db: Database) -> None:
    arn = create_table(db)
    put(db, {"pk": {"S": "ключ"}, "sk": {"N": "1"}, "raw": {"B": b"\x00\xff"}})
    (record,) = read_all(db, arn)
    event_id = record.pop("eventID")
    number = record["dynamodb"].pop("SequenceNumber")
    assert len(event_id) == 32
    assert int(event_id, 16)
    assert number.isdecimal()
    assert 21 <= len(number) <= 40
    assert record == {
        "eventName": "INSERT",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "us-east-1",
        "dynamodb": {
            "ApproximateCreationDateTime": START,
            "Keys": {"pk": {"S": "ключ"}, "sk": {"N": "1"}},
            "NewImage": {"pk": {"S": "ключ"}, "sk": {"N": "1"}, "raw": {"B": b"\x00\xff"}},
            "SizeBytes": 14 + 14 + 5,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    }


def test_size_counts_keys_and_images_as_in_the_developer_guide(db: Database) -> None:
    # The example of the GetRecords reference: an item of Id and Message is put, changed and deleted.
    def message(text: str) -> Item:
        return {"Id": {"N": "101"}, "Message": {"S": text}}

    arn = db.call(
        "CreateTable",
        {
            "TableName": "Forum",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "Id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "Id", "AttributeType": "N"}],
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        },
    )["TableDescription"]["LatestStreamArn"]
    put(db, message("New item!"), "Forum")
    put(db, message("This item has changed"), "Forum")
    db.call("DeleteItem", {"TableName": "Forum", "Key": {"Id": {"N": "101"}}})
    assert [record["dynamodb"]["SizeBytes"] for record in read_all(db, arn)] == [26, 59, 38]


def test_a_write_that_changes_nothing_has_no_record(db: Database) -> None:
    arn = create_table(db)
    content = {**item("a"), "tags": {"SS": ["x", "y"]}, "map": {"M": {"k": {"N": "1"}, "l": {"N": "2"}}}}
    put(db, content)
    put(db, content)
    put(db, {**content, "tags": {"SS": ["y", "x"]}})
    put(db, {**content, "map": {"M": {"l": {"N": "2.0"}, "k": {"N": "1"}}}})
    delete(db, "missing")
    assert len(read_all(db, arn)) == 1


def test_no_records_without_a_stream_or_after_it_was_closed(db: Database) -> None:
    arn = create_table(db)
    create_table(db, None, "silent")
    put(db, item("a"))
    put(db, item("a"), "silent")
    close_stream(db)
    put(db, item("b"))
    assert [record["dynamodb"]["Keys"] for record in read_all(db, arn)] == [item("a")]


def test_streams_of_two_tables_do_not_mix(db: Database) -> None:
    arns = {name: create_table(db, name=name) for name in ("one", "two")}
    for name in arns:
        put(db, item(name), name)
    for name, arn in arns.items():
        assert [record["dynamodb"]["Keys"] for record in read_all(db, arn)] == [item(name)]


def test_a_transaction_writes_all_its_records_or_none(db: Database) -> None:
    arn = create_table(db)
    put(db, item("gone"))
    start = iterator(db, arn, "LATEST")
    writes = [
        {"Put": {"TableName": "events", "Item": item("new", n=1)}},
        {"Delete": {"TableName": "events", "Key": item("gone")}},
        {"Delete": {"TableName": "events", "Key": item("missing")}},
    ]
    failing = {
        "Put": {"TableName": "events", "Item": item("b"), "ConditionExpression": "attribute_exists(pk)"}
    }
    with pytest.raises(TransactionCanceled):
        db.call("TransactWriteItems", {"TransactItems": [*writes, failing]})
    assert list(read_pages(db, start)) == []
    db.call("TransactWriteItems", {"TransactItems": writes})
    (page,) = read_pages(db, start)
    assert [record["eventName"] for record in page] == ["INSERT", "REMOVE"]


def test_a_batch_leaves_a_record_for_each_item_it_changed(db: Database) -> None:
    arn = create_table(db)
    put(db, item("same"))
    batch = [
        {"PutRequest": {"Item": item("a", 1)}},
        {"PutRequest": {"Item": item("a", 2)}},
        {"PutRequest": {"Item": item("same")}},
        {"DeleteRequest": {"Key": item("missing")}},
    ]
    db.call("BatchWriteItem", {"RequestItems": {"events": batch}})
    assert [record["eventName"] for record in read_all(db, arn)] == ["INSERT"] * 3


def test_only_an_update_that_changes_the_item_is_a_modification(db: Database) -> None:
    arn = create_table(db)

    def update(expression: str, **values: Any) -> None:
        request = {"TableName": "events", "Key": item("a"), "UpdateExpression": expression}
        db.call("UpdateItem", {**request, **({"ExpressionAttributeValues": values} if values else {})})

    update("REMOVE n")
    update("SET n = :n", **{":n": {"N": "1"}})
    update("ADD n :n", **{":n": {"N": "0"}})
    update("ADD n :n", **{":n": {"N": "1"}})
    update("REMOVE nothing")
    assert [record["eventName"] for record in read_all(db, arn)] == ["INSERT", "MODIFY"]


writes = st.lists(
    st.tuples(
        st.sampled_from(["put", "delete"]), st.sampled_from("abc"), st.integers(0, 1), st.integers(0, 3)
    ),
    max_size=30,
)


@given(writes, st.integers(1, 7))
def test_replaying_the_records_rebuilds_the_table(steps: list[tuple[str, str, int, int]], page: int) -> None:
    db = open_memory()
    arn = create_table(db)
    for kind, pk, sk, n in steps:
        if kind == "put":
            put(db, item(pk, sk, n=n))
        else:
            delete(db, pk, sk)
        db.clock.advance(0.0004)
    rebuilt: dict[str, Item] = {}
    numbers = []
    for record in (record for page_ in read_pages(db, iterator(db, arn), page) for record in page_):
        key = str(record["dynamodb"]["Keys"])
        old, new = images(record)
        assert rebuilt.pop(key, None) == old, "the old image is what was there before"
        if new is not None:
            rebuilt[key] = new
        numbers.append(int(record["dynamodb"]["SequenceNumber"]))
    scanned = db.call("Scan", {"TableName": "events"})["Items"]
    assert sorted(map(str, rebuilt.values())) == sorted(map(str, scanned))
    assert numbers == sorted(set(numbers))
    db.close()


def test_records_and_numbers_continue_after_reopening(tmp_path: Path) -> None:
    clock = Clock(start=START)
    db = Database(open_store(tmp_path / "data.db"), clock)
    arn = create_table(db)
    put(db, item("a"))
    db.close()
    clock.freeze(START - HOUR)
    db = Database(open_store(tmp_path / "data.db"), clock)
    put(db, item("b"))
    records = read_all(db, arn)
    db.close()
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in records] == ["a", "b"]
    first, second = (int(record["dynamodb"]["SequenceNumber"]) for record in records)
    assert first < second


WRITER = """
import os, sys
from tests.engine.streaming import Clock, Database, START, create_table, item, open_store, put
db = Database(open_store(sys.argv[1]), Clock(start=START))
create_table(db)
for number in range(20):
    put(db, item("a", number))
os._exit(7)
"""


def test_acknowledged_writes_have_their_records_after_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    assert subprocess.run([sys.executable, "-c", WRITER, path], check=False).returncode == 7
    db = Database(open_store(path), Clock(start=START))
    records = read_all(db, db.call("ListStreams", {})["Streams"][0]["StreamArn"])
    db.close()
    assert [int(record["dynamodb"]["Keys"]["sk"]["N"]) for record in records] == list(range(20))


def test_a_record_can_be_read_for_a_day(db: Database) -> None:
    arn = create_table(db)
    put(db, item("early"))
    db.clock.advance(12 * HOUR)
    put(db, item("late"))
    db.clock.advance(12 * HOUR)
    assert len(read_all(db, arn)) == 2
    db.clock.advance(1)
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in read_all(db, arn)] == ["late"]


def stored_records(db: Database) -> int:
    from tablewright.engine.core.state.catalog import RECORDS

    return db.sessions.read(lambda tx: tx.rows.totals(RECORDS)[0])


def test_sweeping_deletes_expired_records(db: Database) -> None:
    arn = create_table(db)
    for number in range(1500):
        put(db, item("a", number))
    db.clock.advance(2 * HOUR)
    put(db, item("b"))
    db.clock.advance(DAY - HOUR)
    assert stored_records(db) == 1501
    db.sweep()
    assert stored_records(db) == 1
    assert len(read_all(db, arn)) == 1


def test_a_closed_stream_is_readable_for_a_day_and_then_gone(db: Database) -> None:
    arn = create_table(db)
    put(db, item("a"))
    close_stream(db)
    db.clock.advance(DAY)
    assert len(read_all(db, arn)) == 1
    db.clock.advance(HOUR)
    with pytest.raises(ResourceNotFound, match=f"Requested resource not found: Stream: {arn} not found"):
        read_all(db, arn)
    assert db.call("ListStreams", {})["Streams"] == []
    db.sweep()
    assert stored_records(db) == 0
    assert db.state.catalog.table("events").definition["Streams"] == []


def test_the_stream_of_a_deleted_table_is_readable_for_a_day(tmp_path: Path) -> None:
    clock = Clock(start=START)
    db = Database(open_store(tmp_path / "data.db"), clock)
    arn = create_table(db)
    put(db, item("a"))
    db.call("DeleteTable", {"TableName": "events"})
    db.close()
    db = Database(open_store(tmp_path / "data.db"), clock)
    described = db.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]
    assert (described["StreamStatus"], described["TableName"]) == ("DISABLED", "events")
    assert len(read_all(db, arn)) == 1
    clock.advance(DAY + HOUR)
    db.sweep()
    assert stored_records(db) == 0
    with pytest.raises(ResourceNotFound):
        db.call("DescribeStream", {"StreamArn": arn})
    assert db.sessions.read(lambda tx: list(tx.rows.range(1, b"stream", b"strean"))) == []
    db.close()


def test_a_recreated_table_has_a_new_stream(db: Database) -> None:
    first = create_table(db)
    put(db, item("a"))
    db.call("DeleteTable", {"TableName": "events"})
    db.clock.advance(1)
    second = create_table(db)
    assert first != second
    assert len(read_all(db, first)) == 1
    assert read_all(db, second) == []
    assert [s["StreamArn"] for s in db.call("ListStreams", {"TableName": "events"})["Streams"]] == [
        second,
        first,
    ]
