"""BatchWriteItem: golden cases, and limits."""

from typing import Any

import pytest

from tablewright.dynamodb.limits import MAX_ITEM_SIZE
from tablewright.errors import ValidationError
from tests.engine.core.operations.writing import shop, text_item
from tests.engine.scripts import play


def test_golden_cases(update_golden: bool) -> None:
    with shop() as db:
        play("batch_write_item.txt", db, update=update_golden)


def puts(count: int, size: int = 20) -> list[dict[str, Any]]:
    return [{"PutRequest": {"Item": text_item(size, f"{number:03}")}} for number in range(count)]


def test_a_batch_may_have_25_writes_and_no_more() -> None:
    with shop() as db:
        for count in (24, 25):
            assert db.call("BatchWriteItem", {"RequestItems": {"notes": puts(count)}}) == {
                "UnprocessedItems": {}
            }
        with pytest.raises(ValidationError) as error:
            db.call("BatchWriteItem", {"RequestItems": {"notes": puts(26)}})
        assert error.value.message.startswith("1 validation error detected: Value '{notes=[WriteRequest(")
        assert error.value.message.endswith(
            "]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: "
            "[Member must have length less than or equal to 25, Member must have length greater than or equal to 1]"
        )
        with pytest.raises(ValidationError, match=r"^Too many items requested for the BatchWriteItem call$"):
            db.call("BatchWriteItem", {"RequestItems": {"notes": puts(25), "orders": puts(1)}})


def test_items_may_be_400_kb_each() -> None:
    with shop() as db:
        db.call("BatchWriteItem", {"RequestItems": {"notes": puts(25, MAX_ITEM_SIZE)}})
        with pytest.raises(ValidationError, match=r"^Item size has exceeded the maximum allowed size$"):
            db.call("BatchWriteItem", {"RequestItems": {"absent": puts(1, MAX_ITEM_SIZE + 1)}})


def test_a_batch_with_one_bad_write_does_nothing() -> None:
    with shop() as db:
        bad = {"PutRequest": {"Item": {"id": {"N": "1"}}}}
        with pytest.raises(ValidationError):
            db.call("BatchWriteItem", {"RequestItems": {"notes": [*puts(3), bad]}})
        assert db.call("Scan", {"TableName": "notes"})["Count"] == 0
