"""GetRecords: pages of records, the end of a shard, and iterators that are too old or not ours."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.database import Database
from tablewright.errors import ExpiredIterator, ServiceError, ValidationError
from tests.engine.streaming import close_stream, create_table, item, iterator, open_memory, put, read_pages


@pytest.fixture
def db() -> Iterator[Database]:
    database = open_memory()
    yield database
    database.close()


@pytest.fixture
def arn(db: Database) -> str:
    return create_table(db)


def get_records(db: Database, start: str, **request: Any) -> dict[str, Any]:
    return db.call("GetRecords", {"ShardIterator": start, **request})


def test_no_records_is_an_empty_list(db: Database, arn: str) -> None:
    reply = get_records(db, iterator(db, arn))
    assert reply["Records"] == []
    assert "NextShardIterator" in reply


@pytest.mark.parametrize("limit", [1, 3, 7, 1000])
def test_each_record_once_in_order(db: Database, arn: str, limit: int) -> None:
    for number in range(7):
        put(db, item("a", number))
    pages = list(read_pages(db, iterator(db, arn), limit))
    assert all(len(page) <= limit for page in pages)
    assert [int(record["dynamodb"]["Keys"]["sk"]["N"]) for page in pages for record in page] == list(range(7))


def test_a_page_holds_a_thousand_records(db: Database) -> None:
    arn = create_table(db, "KEYS_ONLY", "keys")
    for number in range(1001):
        put(db, item("a", number), "keys")
    first = get_records(db, iterator(db, arn))
    assert len(first["Records"]) == 1000
    assert len(get_records(db, first["NextShardIterator"])["Records"]) == 1


def test_a_page_holds_a_megabyte(db: Database, arn: str) -> None:
    for number in range(5):
        put(db, {**item("a", number), "filler": {"S": "x" * 300_000}})
    pages = list(read_pages(db, iterator(db, arn)))
    assert [len(page) for page in pages] == [3, 2]


def test_one_record_is_returned_whatever_its_size(db: Database, arn: str) -> None:
    put(db, {**item("a"), "filler": {"S": "x" * 400_000}})
    put(db, {**item("a"), "filler": {"S": "y" * 400_000}})
    pages = list(read_pages(db, iterator(db, arn)))
    assert [len(page) for page in pages] == [1, 1]


def test_a_closed_shard_ends(db: Database, arn: str) -> None:
    for number in range(3):
        put(db, item("a", number))
    close_stream(db)
    first = get_records(db, iterator(db, arn), Limit=2)
    assert len(first["Records"]) == 2
    last = get_records(db, first["NextShardIterator"], Limit=2)
    assert len(last["Records"]) == 1
    assert "NextShardIterator" not in last


def test_an_iterator_from_before_the_stream_was_closed_works(db: Database, arn: str) -> None:
    start = iterator(db, arn, "LATEST")
    put(db, item("a"))
    close_stream(db)
    reply = get_records(db, start)
    assert len(reply["Records"]) == 1
    assert "NextShardIterator" not in reply


def test_an_iterator_is_valid_for_fifteen_minutes(db: Database, arn: str) -> None:
    start = iterator(db, arn)
    db.clock.advance(15 * 60)
    get_records(db, start)
    db.clock.advance(1)
    with pytest.raises(ExpiredIterator, match="The provided iterator exceeds the maximum age allowed"):
        get_records(db, start)


def test_the_iterator_of_a_recreated_table_is_not_found(db: Database, arn: str) -> None:
    start = iterator(db, arn)
    db.call("DeleteTable", {"TableName": "events"})
    assert get_records(db, start)["Records"] == []
    assert create_table(db) == arn, "the clock is frozen, so the new stream has the name of the old one"
    with pytest.raises(ServiceError) as error:
        get_records(db, start)
    assert error.value.code == "ResourceNotFoundException"


@given(st.data())
def test_a_changed_iterator_is_rejected(data: st.DataObject) -> None:
    db = open_memory()
    start = iterator(db, create_table(db))
    place = data.draw(st.integers(0, len(start) - 1))
    other = data.draw(st.characters(codec="utf-8").filter(lambda letter: letter != start[place]))
    with pytest.raises(ServiceError):
        get_records(db, start[:place] + other + start[place + 1 :])
    db.close()


@pytest.mark.parametrize("nonsense", ["x", "||", "a|1|b", "a|1|" + "A" * 48, "é|1|é", "x" * 2048])
def test_an_invalid_iterator_is_rejected(db: Database, nonsense: str) -> None:
    with pytest.raises(ValidationError, match="Invalid ShardIterator"):
        get_records(db, nonsense)


VALUE = "1 validation error detected: Value {} at '{}' failed to satisfy constraint: Member must "

INVALID: list[tuple[dict[str, Any], str]] = [
    ({"Limit": 0}, VALUE.format("'0'", "limit") + "have value greater than or equal to 1"),
    ({"Limit": -1}, VALUE.format("'-1'", "limit") + "have value greater than or equal to 1"),
    ({"Limit": 1001}, VALUE.format("'1001'", "limit") + "have value less than or equal to 1000"),
    ({"ShardIterator": None}, VALUE.format("null", "shardIterator") + "not be null"),
    ({"ShardIterator": ""}, VALUE.format("''", "shardIterator") + "have length greater than or equal to 1"),
]


@pytest.mark.parametrize(("request_", "message"), INVALID)
def test_invalid_values(db: Database, arn: str, request_: dict[str, Any], message: str) -> None:
    with pytest.raises(ServiceError) as error:
        db.call("GetRecords", {"ShardIterator": iterator(db, arn), **request_})
    assert (error.value.code, error.value.message) == ("ValidationException", message)
