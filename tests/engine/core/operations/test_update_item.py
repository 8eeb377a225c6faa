"""UpdateItem: golden cases, and limits."""

from typing import Any

import pytest

from tablewright.dynamodb.limits import MAX_ITEM_SIZE
from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.engine.database import Database
from tablewright.errors import ValidationError
from tests.engine.core.operations.writing import shop
from tests.engine.scripts import play

TOO_LARGE = r"^Item size to update has exceeded the maximum allowed size$"


def test_golden_cases(update_golden: bool) -> None:
    with shop() as db:
        play("update_item.txt", db, update=update_golden)


def update(db: Database, key: str, expression: str, **values: Any) -> int:
    """Update a note; return its new size."""
    request = {
        "TableName": "notes",
        "Key": {"id": {"S": key}},
        "UpdateExpression": expression,
        "ReturnValues": "ALL_NEW",
    }
    if values:
        request["ExpressionAttributeValues"] = {f":{name}": value for name, value in values.items()}
    return item_size(db.call("UpdateItem", request)["Attributes"])


@pytest.mark.parametrize(
    ("key", "expression", "others", "largest"),
    [
        # The item itself, where its key is long.
        ("k" * 100, "SET b = :b", {}, MAX_ITEM_SIZE),
        # What the update writes, with 3 bytes for itself and 19 for a clause that sets, where the key is short.
        ("k", "SET b = :b", {}, MAX_ITEM_SIZE - 22 + len("idk")),
        ("k", "SET b = :b, c = :c", {"c": {"S": "y"}}, MAX_ITEM_SIZE - 41 + len("idk")),
        ("k", "SET b = :b, c = :c", {"c": {"S": "y" * 500}}, MAX_ITEM_SIZE - 41 + len("idk")),
        ("k", "SET b = :b REMOVE r", {}, MAX_ITEM_SIZE - 24 + len("idk")),
        ("k", "SET b = :b ADD n :n", {"n": {"N": "1"}}, MAX_ITEM_SIZE - 41 + len("idk")),
    ],
)
def test_the_result_and_the_size_of_an_update_are_limited(
    key: str, expression: str, others: dict[str, Any], largest: int
) -> None:
    rest = item_size({"id": {"S": key}, "b": {"S": ""}, **others})
    with shop() as db:
        for size in (largest - 1, largest):
            assert update(db, key, expression, b={"S": "x" * (size - rest)}, **others) == size
        with pytest.raises(ValidationError, match=TOO_LARGE):
            update(db, key, expression, b={"S": "x" * (largest + 1 - rest)}, **others)


def test_unchanged_attributes_do_not_count_as_written() -> None:
    largest = MAX_ITEM_SIZE - 22 + len("idk") + len("u" + "y" * 10)
    with shop() as db:
        db.call("PutItem", {"TableName": "notes", "Item": {"id": {"S": "k"}, "u": {"S": "y" * 10}}})
        text = "x" * (largest - len("idkb" + "u" + "y" * 10))
        assert update(db, "k", "SET b = :b", b={"S": text}) == largest
        with pytest.raises(ValidationError, match=TOO_LARGE):
            update(db, "k", "SET b = :b", b={"S": text + "x"})


def nested(depth: int) -> dict[str, Any]:
    """A text in so many maps."""
    value: dict[str, Any] = {"S": "x"}
    for _ in range(depth):
        value = {"M": {"m": value}}
    return value


def test_an_update_cannot_nest_a_value_deeper_than_32_levels() -> None:
    with shop() as db:
        db.call("PutItem", {"TableName": "notes", "Item": {"id": {"S": "a"}, "m": nested(2)}})
        update(db, "a", "SET m.n = :v", v=nested(30))
        with pytest.raises(ValidationError, match="Nesting Levels have exceeded supported limits"):
            update(db, "a", "SET m.n = :v", v=nested(31))


def test_an_item_that_no_longer_fits_an_index_can_still_be_updated_elsewhere() -> None:
    """An index may be newer than the item: an item that does not fit its key is not indexed, and can be updated."""
    with shop() as db:
        db.call("PutItem", {"TableName": "notes", "Item": {"id": {"S": "a"}, "kind": {"N": "1"}}})
        db.call(
            "UpdateTable",
            {
                "TableName": "notes",
                "AttributeDefinitions": [
                    {"AttributeName": "id", "AttributeType": "S"},
                    {"AttributeName": "kind", "AttributeType": "S"},
                ],
                "GlobalSecondaryIndexUpdates": [
                    {
                        "Create": {
                            "IndexName": "by-kind",
                            "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
                            "Projection": {"ProjectionType": "ALL"},
                        }
                    }
                ],
            },
        )
        update(db, "a", "SET n = :n", n={"N": "1"})
        with pytest.raises(ValidationError, match="Type mismatch for Index Key kind"):
            update(db, "a", "SET kind = :n", n={"N": "2"})
