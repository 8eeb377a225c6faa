"""GetItem: golden cases, and what a read costs."""

from tests.engine.core.operations.writing import shop, text_item
from tests.engine.scripts import play


def test_golden_cases(update_golden: bool) -> None:
    with shop() as db:
        play("get_item.txt", db, update=update_golden)


def test_a_read_is_charged_by_the_whole_item_even_with_a_projection() -> None:
    costs = []
    with shop() as db:
        for size in (4096, 4097, 8192, 8193):
            db.call("PutItem", {"TableName": "notes", "Item": text_item(size)})
            reply = db.call(
                "GetItem",
                {
                    "TableName": "notes",
                    "Key": {"id": {"S": "a"}},
                    "ProjectionExpression": "id",
                    "ReturnConsumedCapacity": "TOTAL",
                },
            )
            costs.append(reply["ConsumedCapacity"]["CapacityUnits"])
    assert costs == [0.5, 1, 1, 1.5]


def test_a_caller_may_change_the_reply() -> None:
    request = {"TableName": "notes", "Key": {"id": {"S": "a"}}}
    with shop() as db:
        db.call("PutItem", {"TableName": "notes", "Item": {"id": {"S": "a"}, "tags": {"L": [{"S": "x"}]}}})
        db.call("GetItem", request)["Item"]["tags"]["L"].clear()
        assert db.call("GetItem", request)["Item"]["tags"] == {"L": [{"S": "x"}]}
