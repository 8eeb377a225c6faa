"""Scan: golden cases, and segments that share out a table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.database import Database
from tests.engine.core.operations.reading import PLAYERS, TAGS, opened
from tests.engine.scripts import play

COUNT = 40


@pytest.fixture(scope="module")
def tagged() -> Database:
    database = opened(TAGS)
    for number in range(COUNT):
        database.call("PutItem", {"TableName": "tags", "Item": {"id": {"N": str(number)}}})
    return database


def test_cases(update_golden: bool) -> None:
    play("scan.txt", opened(PLAYERS, TAGS), update=update_golden)


@given(st.integers(1, 50), st.integers(1, 7))
def test_segments_divide_a_table(tagged: Database, total: int, limit: int) -> None:
    found = [number for segment in range(total) for number in walk(tagged, segment, total, limit)]
    assert sorted(found) == list(range(COUNT))


def walk(database: Database, segment: int, total: int, limit: int) -> list[int]:
    request = {"TableName": "tags", "Segment": segment, "TotalSegments": total, "Limit": limit}
    found: list[int] = []
    while True:
        page = database.call("Scan", request)
        found += [int(item["id"]["N"]) for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            return found
        assert page["ScannedCount"] == limit
        request = {**request, "ExclusiveStartKey": page["LastEvaluatedKey"]}
