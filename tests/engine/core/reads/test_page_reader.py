"""Pages: with any page size, in either direction, over a table or an index, every row is returned once and in order."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.reads.page_reader import PAGE_SIZE
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.core.operations.reading import attributes, index, key
from tests.example_counts import examples

TABLE: dict[str, Any] = {
    "TableName": "walked",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": attributes(h="S", r="N", x="S", y="N"),
    "KeySchema": key("h", "r"),
    "LocalSecondaryIndexes": [index("local", key("h", "y"), projection="KEYS_ONLY")],
    "GlobalSecondaryIndexes": [index("global", key("x")), index("many", key("x h", "y r"))],
}


class Row(NamedTuple):
    """One item, as Python sorts it."""

    h: str
    r: int
    x: str | None
    y: int | None

    def item(self) -> dict[str, Any]:
        wire = {"h": {"S": self.h}, "r": {"N": str(self.r)}, "x": {"S": self.x}, "y": {"N": str(self.y)}}
        return {name: wire[name] for name, value in self._asdict().items() if value is not None}


rows = st.builds(
    Row,
    st.sampled_from("ab"),
    st.integers(-20, 20),
    st.none() | st.sampled_from("xy"),
    st.none() | st.integers(-1, 1),
)
tables = st.lists(rows, max_size=25, unique_by=lambda row: (row.h, row.r))
limits = st.none() | st.integers(1, 6)


def fill(items: list[Row]) -> Database:
    database = Database(open_store())
    database.call("CreateTable", TABLE)
    for row in items:
        database.call("PutItem", {"TableName": "walked", "Item": row.item()})
    return database


def walk(
    database: Database, operation: str, request: dict[str, Any], limit: int | None
) -> Iterator[dict[str, Any]]:
    """The items of all pages; each page keeps to its limit, and only the last has no key."""
    request = (
        {"TableName": "walked", **request}
        if limit is None
        else {"TableName": "walked", "Limit": limit, **request}
    )
    while True:
        page = database.call(operation, request)
        assert page["Count"] == page["ScannedCount"] == len(page["Items"])
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        assert page["ScannedCount"] == limit
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def where(condition: str, **values: Any) -> dict[str, Any]:
    wire = {
        f":{name}": {"S": value} if isinstance(value, str) else {"N": str(value)}
        for name, value in values.items()
    }
    return {"KeyConditionExpression": condition, "ExpressionAttributeValues": wire}


@examples(60)
@given(tables, limits, st.booleans(), st.integers(-20, 20), st.integers(-20, 20))
def test_walks_of_a_table(items: list[Row], limit: int | None, forward: bool, low: int, high: int) -> None:
    database = fill(items)
    order = {"ScanIndexForward": forward}
    mine = sorted((row for row in items if row.h == "a"), key=lambda row: row.r, reverse=not forward)
    for condition, chosen in (
        (where("h = :h", h="a"), mine),
        (where("h = :h AND r <= :r", h="a", r=low), [row for row in mine if row.r <= low]),
        (where("h = :h AND r > :r", h="a", r=low), [row for row in mine if row.r > low]),
        (where("h = :h AND r = :r", h="a", r=low), [row for row in mine if row.r == low]),
        (
            where("h = :h AND r BETWEEN :r AND :s", h="a", r=min(low, high), s=max(low, high)),
            [row for row in mine if min(low, high) <= row.r <= max(low, high)],
        ),
    ):
        assert list(walk(database, "Query", condition | order, limit)) == [row.item() for row in chosen]


@examples(60)
@given(tables, limits, st.booleans())
def test_walks_of_indexes(items: list[Row], limit: int | None, forward: bool) -> None:
    database = fill(items)
    order = {"ScanIndexForward": forward}
    local = list(walk(database, "Query", where("h = :h", h="a") | order | {"IndexName": "local"}, limit))
    expected = sorted((row.y, row.r) for row in items if row.h == "a" and row.y is not None)
    assert [(int(item["y"]["N"]), int(item["r"]["N"])) for item in local] == (
        expected if forward else expected[::-1]
    )
    shared = list(walk(database, "Query", where("x = :x", x="x") | order | {"IndexName": "global"}, limit))
    assert by_key(shared) == by_key([row.item() for row in items if row.x == "x"])
    many = where("x = :x AND h = :h AND y = :y AND r >= :r", x="x", h="a", y=0, r=-5) | {"IndexName": "many"}
    chosen = sorted(row for row in items if row[::2] == ("a", "x") and row.y == 0 and row.r >= -5)
    found = list(walk(database, "Query", many | order, limit))
    assert found == [row.item() for row in (chosen if forward else chosen[::-1])]


@examples(60)
@given(tables, limits, st.sampled_from([None, "local", "global"]))
def test_scans(items: list[Row], limit: int | None, name: str | None) -> None:
    database = fill(items)
    source = {} if name is None else {"IndexName": name}
    wanted = {
        None: items,
        "local": [r for r in items if r.y is not None],
        "global": [r for r in items if r.x],
    }
    found = list(walk(database, "Scan", {**source, "AttributesToGet": ["h", "r"]}, limit))
    assert by_key(found) == sorted((row.h, row.r) for row in wanted[name])
    assert found == list(walk(database, "Scan", {**source, "AttributesToGet": ["h", "r"]}, None))


def by_key(items: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return sorted((item["h"]["S"], int(item["r"]["N"])) for item in items)


def big(number: int, size: int) -> dict[str, Any]:
    """An item of exactly so many bytes."""
    bare = {"h": {"S": "a"}, "r": {"N": str(number)}, "data": {"S": ""}}
    return {**bare, "data": {"S": "x" * (size - item_size(bare))}}


@pytest.mark.parametrize(("last", "pages"), [(1, [4, 2]), (0, [4, 2]), (-1, [5, 1])])
def test_a_page_ends_with_the_row_that_fills_a_megabyte(last: int, pages: list[int]) -> None:
    database = fill([])
    quarter = PAGE_SIZE // 4
    for number, size in enumerate([quarter, quarter, quarter, quarter + last, 100, 100], 1):
        database.call("PutItem", {"TableName": "walked", "Item": big(number, size)})
    for operation, request in (("Query", where("h = :h", h="a")), ("Scan", {})):
        assert counts(database, operation, request) == pages
        filtered = request | {"FilterExpression": "attribute_exists(y)", "Select": "COUNT"}
        assert counts(database, operation, filtered) == pages, "the filter comes after"


def test_items_fetched_for_a_local_index_count_in_whole_read_units() -> None:
    database = fill([Row("a", number, None, 0) for number in range(300)])
    request = where("h = :h", h="a") | {"IndexName": "local", "Select": "ALL_ATTRIBUTES"}
    # Each row of the index counts its few bytes, and each item that completes it 4 KB.
    assert counts(database, "Query", request) == [256, 44]
    assert counts(database, "Query", {**request, "Select": "COUNT"}) == [300]


def counts(database: Database, operation: str, request: dict[str, Any]) -> list[int]:
    """How many rows each page of a walk reads."""
    request, found = {"TableName": "walked", **request}, []
    while True:
        page = database.call(operation, request)
        found.append(page["ScannedCount"])
        if "LastEvaluatedKey" not in page:
            return found
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def test_only_the_last_row_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    database = fill([Row("a", number, None, None) for number in range(10)])
    decoded: list[StoredItem] = []
    whole = StoredItem.attributes.fget  # type: ignore[attr-defined]

    def watched(item: StoredItem) -> Any:
        decoded.append(item)
        return whole(item)

    monkeypatch.setattr(StoredItem, "attributes", property(watched))
    page = database.execute("Query", {"TableName": "walked", "Limit": 5, **where("h = :h", h="a")})
    assert [item is page["Items"][-1] for item in decoded] == [True]
    page = database.execute("Query", {"TableName": "walked", **where("h = :h", h="a")})
    assert page["Count"] == 10
    assert len(decoded) == 1
