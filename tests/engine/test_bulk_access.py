"""Bulk access: pages of a segment, replacements in one commit, and a watch for the writes of others."""

from typing import Any

import pytest

from tablewright import embedded
from tablewright.connections import Embedded
from tablewright.engine.bulk_access import ANYTHING, BulkAccess, KeyedItem, Replacement
from tablewright.errors import ConditionalCheckFailed, ResourceNotFound, ValidationError

KEYS: dict[str, Any] = {
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [
        {"AttributeName": "id", "AttributeType": "S"},
        {"AttributeName": "kind", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "ByKind",
            "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture
def db() -> Any:
    with embedded() as connection:
        connection.call("CreateTable", {"TableName": "Things", **KEYS})
        for number in range(20):
            connection.call("PutItem", {"TableName": "Things", "Item": item(number)})
        yield connection


def item(number: int, **more: Any) -> dict[str, Any]:
    return {"id": {"S": f"{number:02}"}, "kind": {"S": "old"}, **more}


def access(db: Embedded) -> BulkAccess:
    found = db.bulk_access()
    assert found is not None
    return found


def all_rows(bulk: BulkAccess, segments: int = 1, limit: int = 7) -> list[KeyedItem]:
    rows: list[KeyedItem] = []
    table = bulk.table("Things")
    for segment in range(segments):
        after = None
        while True:
            page = bulk.page(table, (segment, segments), after, limit)
            rows += page.rows
            assert len(page.rows) <= limit
            if page.is_last:
                break
            after = {"id": page.rows[-1].item.attributes["id"]}
    return rows


def kinds(db: Embedded, kind: str) -> int:
    request = {
        "TableName": "Things",
        "IndexName": "ByKind",
        "KeyConditionExpression": "kind = :kind",
        "ExpressionAttributeValues": {":kind": {"S": kind}},
    }
    return int(db.call("Query", request)["Count"])


@pytest.mark.parametrize("segments", [1, 3])
def test_pages_have_every_item_once(db: Embedded, segments: int) -> None:
    rows = all_rows(access(db), segments)
    assert sorted(row.item.attributes["id"]["S"] for row in rows) == [f"{number:02}" for number in range(20)]
    assert access(db).count(access(db).table("Things")) == 20


def test_a_group_is_replaced_as_a_whole_or_not_at_all(db: Embedded) -> None:
    bulk = access(db)
    table = bulk.table("Things")
    rows = all_rows(bulk)
    new = [bulk.stored(table, row.item.attributes | {"kind": {"S": "new"}}) for row in rows]
    groups = [
        [Replacement(table, rows[at].key, rows[at].item.raw, new[at].item) for at in (0, 1)],
        [
            Replacement(table, rows[2].key, rows[2].item.raw, new[2].item),
            Replacement(table, rows[3].key, b"{}", new[3].item),
        ],
        [
            Replacement(table, rows[4].key, rows[4].item.raw, None),
            Replacement(table, rows[5].key, rows[5].item.raw, is_check=True),
        ],
        [Replacement(table, rows[6].key, ANYTHING, new[6].item)],
        [Replacement(table, rows[7].key, None, new[7].item)],
    ]
    replaced = bulk.replace(groups)
    assert replaced.groups == [True, False, True, True, False]
    assert replaced.units > 0
    assert (kinds(db, "new"), kinds(db, "old")) == (3, 16)
    assert db.call("DescribeTable", {"TableName": "Things"})["Table"]["ItemCount"] == 19


def test_nothing_is_replaced_when_the_first_request_fails(db: Embedded) -> None:
    bulk = access(db)
    table = bulk.table("Things")
    row = all_rows(bulk)[0]
    new = bulk.stored(table, row.item.attributes | {"kind": {"S": "new"}})
    groups = [[Replacement(table, row.key, row.item.raw, new.item)]]
    put = {"TableName": "Things", "Item": item(0), "ConditionExpression": "attribute_not_exists(id)"}
    with pytest.raises(ConditionalCheckFailed):
        bulk.replace(groups, ("PutItem", put))
    assert kinds(db, "new") == 0
    put["Item"] = item(99)
    assert bulk.replace(groups, ("PutItem", put)).groups == [True]
    assert (kinds(db, "new"), kinds(db, "old")) == (1, 20)


def test_an_item_of_a_table_that_was_changed_since_is_not_replaced(db: Embedded) -> None:
    bulk = access(db)
    table = bulk.table("Things")
    row = all_rows(bulk)[0]
    db.call("UpdateTable", {"TableName": "Things", "DeletionProtectionEnabled": True})
    assert bulk.replace([[Replacement(table, row.key, row.item.raw, None)]]).groups == [False]


def test_items_are_validated_as_puts_are(db: Embedded) -> None:
    bulk = access(db)
    table = bulk.table("Things")
    for wrong in ({"kind": {"S": "x"}}, item(1, big={"S": "x" * 500_000}), item(1) | {"kind": {"N": "1"}}):
        with pytest.raises(ValidationError):
            bulk.stored(table, wrong)
    with pytest.raises(ResourceNotFound):
        bulk.table("Others")


def test_a_watch_has_the_keys_that_others_write(db: Embedded) -> None:
    bulk = access(db)
    table = bulk.table("Things")
    rows = all_rows(bulk)
    watch = bulk.watch(table)
    db.call("PutItem", {"TableName": "Things", "Item": item(3)})
    db.call("DeleteItem", {"TableName": "Things", "Key": {"id": {"S": "04"}}})
    bulk.replace([[Replacement(table, rows[0].key, ANYTHING, None)]], watch=watch)
    keys = {table.keys.of_key({"id": {"S": name}}) for name in ("03", "04")}
    assert watch.take() == keys
    assert watch.take() == set()
    bulk.unwatch(watch)
    db.call("PutItem", {"TableName": "Things", "Item": item(5)})
    assert watch.take() == set()
