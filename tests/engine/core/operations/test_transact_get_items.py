"""TransactGetItems: golden cases, and limits."""

from typing import Any

import pytest

from tablewright.errors import ValidationError
from tests.engine.core.operations.writing import shop, text_item
from tests.engine.scripts import play


def test_golden_cases(update_golden: bool) -> None:
    with shop() as db:
        play("transact_get_items.txt", db, update=update_golden)


def gets(count: int) -> list[dict[str, Any]]:
    return [{"Get": {"TableName": "notes", "Key": {"id": {"S": f"{number:03}"}}}} for number in range(count)]


def test_a_transaction_may_read_100_items_and_no_more() -> None:
    with shop() as db:
        for count in (99, 100):
            assert db.call("TransactGetItems", {"TransactItems": gets(count)}) == {"Responses": [{}] * count}
        with pytest.raises(ValidationError) as error:
            db.call("TransactGetItems", {"TransactItems": gets(101)})
        assert error.value.message.endswith(
            "]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"
        )


def test_a_transaction_may_read_4_mb_and_no_more() -> None:
    size = 256 * 1024
    with shop() as db:
        for number in range(17):
            db.call("PutItem", {"TableName": "notes", "Item": text_item(size, f"{number:03}")})
        reply = db.call("TransactGetItems", {"TransactItems": gets(16), "ReturnConsumedCapacity": "TOTAL"})
        assert reply["ConsumedCapacity"] == [
            {"TableName": "notes", "CapacityUnits": 2048.0, "ReadCapacityUnits": 2048.0}
        ]
        with pytest.raises(ValidationError, match="size cannot exceed"):
            db.call("TransactGetItems", {"TransactItems": gets(17)})
