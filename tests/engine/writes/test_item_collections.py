"""Item collections: sizes in whole gigabytes, one entry for each collection."""

from tablewright.engine.changes import Change
from tablewright.engine.database import Database
from tablewright.engine.writes.item_collections import collection_metrics, collections_metrics
from tablewright.storage import open_store
from tablewright.values.stored_items import StoredItem
from tests.engine.operations.music_table import open_music
from tests.engine.order_table import ORDERS


def order(customer: str, number: int) -> dict[str, dict[str, str]]:
    return {"pk": {"S": customer}, "sk": {"N": str(number)}, "rank": {"N": "1"}}


def test_the_size_of_a_collection_is_a_range_of_gigabytes() -> None:
    db = Database(open_store())
    db.call("CreateTable", ORDERS)
    db.call("PutItem", {"TableName": "orders", "Item": order("ada", 1)})
    table = db.state.catalog.table("orders")
    metrics = db.sessions.read(lambda tx: collection_metrics(tx, table, order("ada", 1)))
    assert metrics == {"ItemCollectionKey": {"pk": {"S": "ada"}}, "SizeEstimateRangeGB": [0.0, 1.0]}
    db.close()


def test_each_changed_collection_is_listed_once() -> None:
    db = Database(open_store())
    db.call("CreateTable", ORDERS)
    table = db.state.catalog.table("orders")
    changes = [
        Change(table, b"", None, StoredItem.of(order(customer, number), 10))
        for customer, number in (("ada", 1), ("ada", 2), ("bob", 1))
    ]
    changes.append(Change(table, b"", None, None))
    metrics = db.sessions.read(lambda tx: collections_metrics(tx, changes))
    keys = [entry["ItemCollectionKey"]["pk"]["S"] for entry in metrics["orders"]]
    assert keys == ["ada", "bob"]
    db.close()


def test_a_table_without_local_indexes_has_no_collections() -> None:
    with open_music() as db:
        table = db.state.catalog.table("music")
        change = Change(table, b"", None, StoredItem.of({"artist": {"S": "nina"}}, 10))
        assert db.sessions.read(lambda tx: collections_metrics(tx, [change])) == {}
