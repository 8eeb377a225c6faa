"""BatchGetItem: golden cases, and limits."""

from typing import Any

import pytest

from tablewright.errors import ValidationError
from tests.engine.core.operations.writing import shop, text_item
from tests.engine.scripts import play


def test_golden_cases(update_golden: bool) -> None:
    with shop() as db:
        play("batch_get_item.txt", db, update=update_golden)


def keys(count: int) -> list[dict[str, Any]]:
    return [{"id": {"S": f"{number:03}"}} for number in range(count)]


def test_a_batch_may_have_100_keys_and_no_more() -> None:
    with shop() as db:
        for key in keys(100):
            db.call("PutItem", {"TableName": "notes", "Item": key})
        for count in (99, 100):
            reply = db.call("BatchGetItem", {"RequestItems": {"notes": {"Keys": keys(count)}}})
            assert reply == {"Responses": {"notes": keys(count)}, "UnprocessedKeys": {}}
        with pytest.raises(ValidationError) as error:
            db.call("BatchGetItem", {"RequestItems": {"notes": {"Keys": keys(101)}}})
        assert error.value.message == (
            "1 validation error detected: Value at 'RequestItems.notes.member.Keys' failed to satisfy constraint: "
            "Member must have length less than or equal to 100"
        )
        with pytest.raises(ValidationError, match=r"^Too many items requested for the BatchGetItem call$"):
            db.call(
                "BatchGetItem",
                {"RequestItems": {"notes": {"Keys": keys(100)}, "orders": {"Keys": [{"who": {"S": "ann"}}]}}},
            )


def test_keys_beyond_16_mb_are_returned_as_unprocessed() -> None:
    size = 400 * 1024
    block: dict[str, Any] = {"Keys": keys(45), "ConsistentRead": True, "ProjectionExpression": "id"}
    with shop() as db:
        for key in keys(45):
            db.call("PutItem", {"TableName": "notes", "Item": text_item(size, key["id"]["S"])})
        first = db.call("BatchGetItem", {"RequestItems": {"notes": block}, "ReturnConsumedCapacity": "TOTAL"})
        second = db.call("BatchGetItem", {"RequestItems": first["UnprocessedKeys"]})
    fitting = 16 * 1024 * 1024 // size
    assert first["Responses"]["notes"] == keys(45)[:fitting]
    assert first["UnprocessedKeys"] == {"notes": {**block, "Keys": keys(45)[fitting:]}}
    assert first["ConsumedCapacity"] == [{"TableName": "notes", "CapacityUnits": fitting * size / 4096}]
    assert second == {"Responses": {"notes": keys(45)[fitting:]}, "UnprocessedKeys": {}}
