"""ListStreams: pages, filters, errors."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ServiceError
from tests.engine.streaming import close_stream, create_table, open_memory


@pytest.fixture
def db() -> Iterator[Database]:
    database = open_memory()
    yield database
    database.close()


def list_pages(db: Database, **request: Any) -> list[list[str]]:
    pages = []
    while True:
        reply = db.call("ListStreams", request)
        pages.append([stream["StreamArn"] for stream in reply["Streams"]])
        if "LastEvaluatedStreamArn" not in reply:
            return pages
        assert reply["LastEvaluatedStreamArn"] == pages[-1][-1]
        request["ExclusiveStartStreamArn"] = reply["LastEvaluatedStreamArn"]


def create_many(db: Database, count: int) -> list[str]:
    arns = []
    for number in range(count):
        db.clock.advance(1)
        arns.append(create_table(db, "KEYS_ONLY", f"table-{number}"))
    return arns


def test_a_stream_is_shown_by_arn_table_and_label(db: Database) -> None:
    arn = create_table(db)
    assert db.call("ListStreams", {}) == {
        "Streams": [{"StreamArn": arn, "TableName": "events", "StreamLabel": arn.rpartition("/")[2]}]
    }


def test_no_streams(db: Database) -> None:
    create_table(db, None)
    assert db.call("ListStreams", {}) == {"Streams": []}
    assert db.call("ListStreams", {"TableName": "events"}) == {"Streams": []}
    assert db.call("ListStreams", {"TableName": "missing"}) == {"Streams": []}


@pytest.mark.parametrize(("limit", "sizes"), [(1, [1, 1, 1, 1]), (3, [3, 1]), (4, [4]), (100, [4])])
def test_pages(db: Database, limit: int, sizes: list[int]) -> None:
    arns = create_many(db, 4)
    pages = list_pages(db, Limit=limit)
    assert [len(page) for page in pages] == sizes
    assert sorted(arn for page in pages for arn in page) == sorted(arns)


def test_the_default_page_has_a_hundred_entries(db: Database) -> None:
    create_many(db, 101)
    assert [len(page) for page in list_pages(db)] == [100, 1]


def test_paging_continues_when_tables_are_created_and_deleted(db: Database) -> None:
    arns = create_many(db, 4)
    first = db.call("ListStreams", {"Limit": 2})
    seen = [stream["StreamArn"] for stream in first["Streams"]]
    db.call("DeleteTable", {"TableName": first["Streams"][-1]["TableName"]})
    db.clock.advance(1)
    create_table(db, "KEYS_ONLY", "newcomer")
    rest = list_pages(db, Limit=2, ExclusiveStartStreamArn=first["LastEvaluatedStreamArn"])
    assert sorted([*seen, *rest[0]]) == sorted(arns)


def test_a_closed_stream_stays_listed_beside_the_new_one(db: Database) -> None:
    arn = create_table(db)
    close_stream(db)
    assert list_pages(db, TableName="events") == [[arn]]


ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/events/stream/2015-05-20T20:51:10.252"
AT = "1 validation error detected: Value '{}' at '{}' failed to satisfy constraint: Member must have "

INVALID: list[tuple[dict[str, Any], str]] = [
    ({"Limit": 0}, AT.format(0, "limit") + "value greater than or equal to 1"),
    ({"Limit": 101}, AT.format(101, "limit") + "value less than or equal to 100"),
    ({"TableName": "ab"}, AT.format("ab", "tableName") + "length greater than or equal to 3"),
    (
        {"ExclusiveStartStreamArn": "short"},
        AT.format("short", "exclusiveStartStreamArn") + "length greater than or equal to 37",
    ),
    ({"ExclusiveStartStreamArn": "x" * 50}, "Invalid StreamArn"),
    ({"ExclusiveStartStreamArn": ARN + "/x"}, "Invalid StreamArn"),
]


@pytest.mark.parametrize(("request_", "message"), INVALID)
def test_invalid_values(db: Database, request_: dict[str, Any], message: str) -> None:
    with pytest.raises(ServiceError) as error:
        db.call("ListStreams", request_)
    assert (error.value.code, error.value.message) == ("ValidationException", message)
