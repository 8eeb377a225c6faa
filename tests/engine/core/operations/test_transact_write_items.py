"""TransactWriteItems: golden cases, limits, and tokens that outlive the process."""

from typing import Any

import pytest

from tablewright.dynamodb.limits import MAX_ITEM_SIZE
from tablewright.errors import (
    ConditionalCheckFailed,
    TransactionCanceled,
    ValidationError,
)
from tests.engine.core.operations.writing import shop, text_item
from tests.engine.scripts import play


def test_golden_cases(update_golden: bool) -> None:
    with shop() as db:
        play("transact_write_items.txt", db, update=update_golden)


def puts(count: int, size: int = 20) -> list[dict[str, Any]]:
    return [
        {"Put": {"TableName": "notes", "Item": text_item(size, f"{number:03}")}} for number in range(count)
    ]


def test_a_transaction_may_have_100_actions_and_no_more() -> None:
    with shop() as db:
        for count in (99, 100):
            assert db.call("TransactWriteItems", {"TransactItems": puts(count)}) == {}
        with pytest.raises(ValidationError) as error:
            db.call("TransactWriteItems", {"TransactItems": puts(101)})
        assert error.value.message.endswith(
            "]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"
        )


def test_a_transaction_has_at_most_4_mb() -> None:
    with shop() as db:
        db.call("TransactWriteItems", {"TransactItems": puts(16, 256 * 1024)})
        with pytest.raises(ValidationError, match="size cannot exceed"):
            db.call("TransactWriteItems", {"TransactItems": puts(17, 256 * 1024)})
        deletes = [{"Delete": {"TableName": "notes", "Key": {"id": {"S": f"{n:03}"}}}} for n in range(16)]
        db.call("TransactWriteItems", {"TransactItems": deletes})


def test_a_too_large_put_is_rejected_and_a_too_large_update_cancels() -> None:
    def update(size: int) -> list[dict[str, Any]]:
        item = text_item(size)
        return [
            {
                "Update": {
                    "TableName": "notes",
                    "Key": {"id": item["id"]},
                    "UpdateExpression": "SET #t = :t",
                    "ExpressionAttributeNames": {"#t": "text"},
                    "ExpressionAttributeValues": {":t": item["text"]},
                }
            }
        ]

    with shop() as db:
        db.call("TransactWriteItems", {"TransactItems": puts(1, MAX_ITEM_SIZE)})
        db.call("TransactWriteItems", {"TransactItems": update(MAX_ITEM_SIZE)})
        with pytest.raises(ValidationError, match=r"^Item size has exceeded the maximum allowed size$"):
            db.call("TransactWriteItems", {"TransactItems": puts(1, MAX_ITEM_SIZE + 1)})
        with pytest.raises(TransactionCanceled) as cancel:
            db.call("TransactWriteItems", {"TransactItems": update(MAX_ITEM_SIZE + 1)})
    assert cancel.value.reasons == [
        {
            "Code": "ValidationError",
            "Message": "Item size to update has exceeded the maximum allowed size",
        }
    ]


def test_a_cancellation_shows_items_as_python_sent_them() -> None:
    item = {"id": {"S": "a"}, "bin": {"B": b"x"}}
    failing = {
        "TableName": "notes",
        "Item": item,
        "ConditionExpression": "attribute_not_exists(id)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    with shop() as db:
        db.call("PutItem", {"TableName": "notes", "Item": item})
        with pytest.raises(TransactionCanceled) as cancel:
            db.call("TransactWriteItems", {"TransactItems": [{"Put": failing}]})
        with pytest.raises(ConditionalCheckFailed) as error:
            db.call("PutItem", failing)
    assert cancel.value.reasons[0]["Item"] == error.value.item == item


def test_a_replay_costs_a_read_of_the_items_as_they_are() -> None:
    request = {
        "TransactItems": puts(1, 1500),
        "ClientRequestToken": "once",
        "ReturnConsumedCapacity": "TOTAL",
    }
    with shop() as db:
        first, second = (db.call("TransactWriteItems", request)["ConsumedCapacity"] for _ in range(2))
    assert first == [{"TableName": "notes", "CapacityUnits": 4.0, "WriteCapacityUnits": 4.0}]
    assert second == [{"TableName": "notes", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}]
