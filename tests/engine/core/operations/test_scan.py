"""Scan: golden cases, and segments that share out a table."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.core.operations.scan import partition_count, scan_units
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.core.operations.reading import PLAYERS, TAGS, attributes, index, key, opened
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


def made(request: dict[str, Any]) -> StoredTable:
    database = Database(open_store())
    database.call("CreateTable", request)
    return database.state.catalog.table(request["TableName"])


def provisioned(reads: int, writes: int) -> dict[str, Any]:
    return {"ProvisionedThroughput": {"ReadCapacityUnits": reads, "WriteCapacityUnits": writes}}


@pytest.mark.parametrize(
    ("reads", "writes", "count"),
    [
        (1, 1, 1),
        (3000, 1, 2),
        (1500, 500, 1),
        (1501, 500, 2),
        (3000, 1000, 2),
        (3001, 1000, 3),
        (12_000, 4000, 8),
    ],
)
def test_a_provisioned_table_has_as_many_as_it_needs(reads: int, writes: int, count: int) -> None:
    assert partition_count(made({**TAGS, **provisioned(reads, writes)})) == count


def test_a_local_index_shares_the_partitions_of_its_table() -> None:
    table = made(
        {
            "TableName": "both",
            "AttributeDefinitions": attributes(h="S", r="N", x="S"),
            "KeySchema": key("h", "r"),
            "LocalSecondaryIndexes": [index("local", key("h", "x"))],
            "GlobalSecondaryIndexes": [{**index("global", key("x")), **provisioned(1, 1)}],
            **provisioned(3000, 1000),
        }
    )
    assert partition_count(table, table.index("global")) == 1
    assert partition_count(table, table.index("local")) == 2


def test_an_on_demand_table_has_four() -> None:
    table = made(PLAYERS)
    assert partition_count(table) == partition_count(table, table.index("in-city")) == 4


def test_a_scan_pays_for_each_partition_it_enters() -> None:
    first, second, fourth = b"\x00" * 4, b"\x40" + b"\x00" * 3, b"\xff" * 4
    assert scan_units([], b"", None, 4, consistent=True) == 4
    assert scan_units([(first, 5000)], b"", None, 4, consistent=True) == 5
    assert scan_units([(first, 4000), (second, 4000)], b"", second, 4, consistent=True) == 2
    assert scan_units([(first, 4000), (second, 4000)], b"", None, 1, consistent=False) == 1
    assert scan_units([(fourth, 1)], fourth, None, 4, consistent=False) == 0.5
