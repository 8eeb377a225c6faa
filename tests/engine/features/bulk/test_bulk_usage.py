"""Bulk usage: bytes by table and index."""

from typing import Any

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.state.catalog import Index, Table
from tablewright.engine.database import Database
from tablewright.engine.features.bulk.bulk_usage import UsageMeter
from tablewright.engine.storage import open_store
from tests.engine.order_table import ORDERS


def test_bytes_are_added_by_table_and_index() -> None:
    db = Database(open_store())
    db.call("CreateTable", ORDERS)
    table: Table = db.state.catalog.table("orders")
    index: Index = table.indexes[0]
    member = "LocalSecondaryIndexes" if index.kind == "local" else "GlobalSecondaryIndexes"
    old, new = StoredItem(b"{}", 900), StoredItem(b"{}", 300)
    usage: dict[str, Any] = {"TableName": "orders"}
    for _ in range(2):
        meter = UsageMeter(table)
        meter.write(old, new)
        meter.write_index(index, (b"a", old), (b"b", new))
        meter.write_index(index, (b"a", old), None)
        assert meter.total == 4
        meter.add_to(usage)
    assert usage == {
        "TableName": "orders",
        "BulkPutBytes": 1200,
        "Table": {"BulkPutBytes": 600},
        member: {index.name: {"BulkPutBytes": 600}},
    }
    db.close()
