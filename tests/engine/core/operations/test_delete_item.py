"""DeleteItem: golden cases, and what a deletion costs."""

from tests.engine.core.operations.writing import shop, text_item
from tests.engine.scripts import play


def test_golden_cases(update_golden: bool) -> None:
    with shop() as db:
        play("delete_item.txt", db, update=update_golden)


def test_a_deletion_is_charged_by_the_size_of_the_item() -> None:
    request = {"TableName": "notes", "Key": {"id": {"S": "a"}}, "ReturnConsumedCapacity": "TOTAL"}
    with shop() as db:
        db.call("PutItem", {"TableName": "notes", "Item": text_item(2049)})
        assert db.call("DeleteItem", request)["ConsumedCapacity"]["CapacityUnits"] == 3
        assert db.call("DeleteItem", request)["ConsumedCapacity"]["CapacityUnits"] == 1
