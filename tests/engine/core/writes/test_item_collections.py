"""Item collections: the size limit on every write path, and the metrics of replies."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import COLLECTIONS
from tablewright.engine.core.state.engine_state import MAX_COLLECTION_SIZE
from tablewright.engine.core.writes.item_collections import collection_metrics, collections_metrics
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ItemCollectionSizeLimitExceeded, TransactionCanceled
from tests.engine.core.operations.music_table import open_music
from tests.engine.integrity import assert_indexes_match
from tests.engine.order_table import ORDERS

LIMIT = 1000
# "pk", "a", "sk", a number of one digit, "note": a row of the table without the text of the note.
ROW = 2 + 1 + 2 + 2 + 4
RANKED = 2 * (ROW + 4 + 2)


def order(customer: str, number: int) -> dict[str, dict[str, str]]:
    return {"pk": {"S": customer}, "sk": {"N": str(number)}, "rank": {"N": "1"}}


def noted(number: int, size: int, customer: str = "a") -> dict[str, Any]:
    """An item whose row in the table has that size; without a rank, it has none in the local index."""
    return {"pk": {"S": customer}, "sk": {"N": str(number)}, "note": {"S": "x" * (size - ROW)}}


@pytest.fixture(params=["memory", "file"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "data.db" if request.param == "file" else None
    (tmp_path / "buckets" / "files").mkdir(parents=True)
    database = Database(open_store(path, "relaxed"), Clock(1_700_000_000), buckets=tmp_path / "buckets")
    database.state.max_collection_size = LIMIT
    database.call("CreateTable", ORDERS)
    yield database
    assert_indexes_match(database)
    database.close()


def put(db: Database, item: dict[str, Any]) -> None:
    db.call("PutItem", {"TableName": "orders", "Item": item})


def update(db: Database, item: dict[str, Any]) -> None:
    values = {":note": item["note"]}
    key = {name: item[name] for name in ("pk", "sk")}
    request = {"Key": key, "UpdateExpression": "SET note = :note", "ExpressionAttributeValues": values}
    db.call("UpdateItem", {"TableName": "orders", **request})


def batch(db: Database, item: dict[str, Any]) -> None:
    other = {"PutRequest": {"Item": noted(9, 100, "b")}}
    db.call("BatchWriteItem", {"RequestItems": {"orders": [other, {"PutRequest": {"Item": item}}]}})


def insert(db: Database, item: dict[str, Any]) -> None:
    db.call("ExecuteStatement", statement_of(item))


def statement_of(item: dict[str, Any]) -> dict[str, Any]:
    text = "INSERT INTO orders VALUE {'pk': ?, 'sk': ?, 'note': ?}"
    return {"Statement": text, "Parameters": list(item.values())}


def test_the_limit_is_10_gb() -> None:
    assert Database(open_store()).state.max_collection_size == MAX_COLLECTION_SIZE == 10 * 1024**3


@pytest.mark.parametrize("write", [put, update, batch, insert])
def test_a_collection_may_have_the_limit_and_not_a_byte_more(
    db: Database, write: Callable[[Database, dict[str, Any]], None]
) -> None:
    put(db, noted(1, 600))
    with pytest.raises(ItemCollectionSizeLimitExceeded, match=r"^Collection size exceeded$"):
        write(db, noted(2, 401))
    assert db.call("Scan", {"TableName": "orders"})["Count"] == 1, "nothing of the request was written"
    write(db, noted(2, 400))
    put(db, noted(1, 600, "c"))
    with pytest.raises(ItemCollectionSizeLimitExceeded):
        put(db, noted(3, 20))


def test_rows_of_local_indexes_count_and_rows_of_global_indexes_do_not(db: Database) -> None:
    note = "x" * (LIMIT // 2 - RANKED // 2)
    put(db, {**order("a", 1), "note": {"S": note}})
    with pytest.raises(ItemCollectionSizeLimitExceeded):
        put(db, noted(2, ROW))
    db.call("DeleteItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}})
    team = {"team": {"S": "t" * 96}}
    put(db, {**noted(1, LIMIT - 100), **team})
    with pytest.raises(ItemCollectionSizeLimitExceeded):
        put(db, {**noted(1, LIMIT - 99), **team})


def test_a_full_collection_can_be_read_replaced_and_made_smaller(db: Database) -> None:
    put(db, noted(1, 600))
    put(db, noted(2, 400))
    db.state.max_collection_size = LIMIT // 2  # the collection is larger than the limit, as after a restore
    put(db, noted(1, 600))
    put(db, noted(1, 599))
    update(db, noted(1, 599))
    with pytest.raises(ItemCollectionSizeLimitExceeded):
        update(db, noted(1, 600))
    request = {"Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}, "UpdateExpression": "REMOVE note"}
    db.call("UpdateItem", {"TableName": "orders", **request})
    db.call("DeleteItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}, "sk": {"N": "2"}}})
    put(db, noted(3, 400))


def test_a_transaction_names_the_actions_that_exceed_the_limit(db: Database) -> None:
    put(db, noted(1, 600))
    items = [noted(2, 300), noted(3, 101), noted(4, 500, "b"), noted(5, 100)]
    actions = [{"Put": {"TableName": "orders", "Item": item}} for item in items]
    with pytest.raises(TransactionCanceled) as caught:
        db.call("TransactWriteItems", {"TransactItems": actions})
    failed = {"Code": "ItemCollectionSizeLimitExceeded", "Message": "Collection size exceeded"}
    assert caught.value.reasons == [{"Code": "None"}, failed, {"Code": "None"}, {"Code": "None"}]
    statements = [statement_of(item) for item in items[:2]]
    with pytest.raises(TransactionCanceled) as caught:
        db.call("ExecuteTransaction", {"TransactStatements": statements})
    assert caught.value.reasons == [{"Code": "None"}, failed]
    freed = {"Delete": {"TableName": "orders", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}}}
    db.call("TransactWriteItems", {"TransactItems": [actions[0], actions[3], freed]})


def test_the_parts_of_a_batch_count_together(db: Database) -> None:
    puts = [{"PutRequest": {"Item": noted(number, 250)}} for number in range(5)]
    with pytest.raises(ItemCollectionSizeLimitExceeded):
        db.call("BatchWriteItem", {"RequestItems": {"orders": puts}})
    db.call("BatchWriteItem", {"RequestItems": {"orders": puts[:4]}})


def test_each_statement_of_a_batch_fails_on_its_own(db: Database) -> None:
    items = [noted(1, 600), noted(2, 401), noted(3, 400)]
    statements = [statement_of(item) for item in items]
    responses = db.call("BatchExecuteStatement", {"Statements": statements})["Responses"]
    error = {"Code": "ItemCollectionSizeLimitExceeded", "Message": "Collection size exceeded"}
    assert [response.get("Error") for response in responses] == [None, error, None]


def test_a_bulk_operation_reports_the_item(db: Database, tmp_path: Path) -> None:
    items = [noted(1, 600), noted(2, 401), noted(3, 400)]
    lines = "\n".join(json.dumps({"Item": item}) for item in items)
    (tmp_path / "buckets" / "files" / "1.json").write_text(lines)
    request = {
        "TableName": "orders",
        "InputS3Configuration": {"S3Bucket": "files", "InputFormat": "DYNAMODB_JSON"},
        "OutputS3Configuration": {"S3Bucket": "files", "OutputType": ["ERROR"]},
    }
    arn = db.call("StartBulkPutItems", request)["BulkOperationDescription"]["BulkOperationArn"]
    db.jobs.wait()
    shown = db.call("DescribeBulkOperation", {"BulkOperationArn": arn})["BulkOperationDescription"]
    assert (shown["ProcessedItemCount"], shown["FailedItemCount"]) == (3, 1)
    [error] = tmp_path.glob("buckets/files/AWSDynamoDB/*/error.json")
    assert json.loads(error.read_text())["ErrorCode"] == "ItemCollectionSizeLimitExceededException"


def test_tables_without_local_indexes_have_no_limit(tmp_path: Path) -> None:
    with open_music() as db:
        db.state.max_collection_size = 10
        db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": "nina" * 100}}})


def test_metrics_show_the_size_that_the_limit_counts(db: Database) -> None:
    gigabytes = 3 * (1 << 30)
    put(db, noted(1, 600))
    db.sessions.write(lambda tx: _pretend_size(tx, gigabytes))
    request = {"TableName": "orders", "Item": noted(1, 600), "ReturnItemCollectionMetrics": "SIZE"}
    assert db.call("PutItem", request)["ItemCollectionMetrics"]["SizeEstimateRangeGB"] == [3.0, 4.0]
    with pytest.raises(ItemCollectionSizeLimitExceeded):
        put(db, noted(1, 601))
    db.sessions.write(lambda tx: _pretend_size(tx, 600))


def _pretend_size(tx: Writing, size: int) -> None:
    [(key, _)] = tx.rows.range(COLLECTIONS)
    tx.rows.put(COLLECTIONS, key, StoredItem(b"%d" % size, 0))


def test_the_size_of_a_collection_is_a_range_of_gigabytes() -> None:
    db = Database(open_store())
    db.call("CreateTable", ORDERS)
    put(db, order("ada", 1))
    table = db.state.catalog.table("orders")
    metrics = db.sessions.read(lambda tx: collection_metrics(tx, table, order("ada", 1)))
    assert metrics == {"ItemCollectionKey": {"pk": {"S": "ada"}}, "SizeEstimateRangeGB": [0.0, 1.0]}
    db.close()


def test_each_changed_collection_is_listed_once() -> None:
    db = Database(open_store())
    db.call("CreateTable", ORDERS)
    table = db.state.catalog.table("orders")
    changes = [
        ItemChange(table, b"", None, StoredItem.of(order(customer, number), 10))
        for customer, number in (("ada", 1), ("ada", 2), ("bob", 1))
    ]
    changes.append(ItemChange(table, b"", None, None))
    metrics = db.sessions.read(lambda tx: collections_metrics(tx, changes))
    keys = [entry["ItemCollectionKey"]["pk"]["S"] for entry in metrics["orders"]]
    assert keys == ["ada", "bob"]
    db.close()


def test_a_table_without_local_indexes_has_no_collections() -> None:
    with open_music() as db:
        table = db.state.catalog.table("music")
        change = ItemChange(table, b"", None, StoredItem.of({"artist": {"S": "nina"}}, 10))
        assert db.sessions.read(lambda tx: collections_metrics(tx, [change])) == {}
