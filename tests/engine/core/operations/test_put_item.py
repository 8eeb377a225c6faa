"""PutItem: golden cases, and limits."""

import pytest

from tablewright.dynamodb.limits import MAX_ITEM_SIZE
from tablewright.errors import ValidationError
from tests.engine.core.operations.writing import shop, text_item
from tests.engine.scripts import play


def test_golden_cases(update_golden: bool) -> None:
    with shop() as db:
        play("put_item.txt", db, update=update_golden)


def test_an_item_may_be_400_kb_and_no_more() -> None:
    with shop() as db:
        for size in (MAX_ITEM_SIZE - 1, MAX_ITEM_SIZE):
            db.call("PutItem", {"TableName": "notes", "Item": text_item(size)})
            stored = db.call("GetItem", {"TableName": "notes", "Key": {"id": {"S": "a"}}})
            assert stored["Item"] == text_item(size)
        for table in ("notes", "absent"):
            with pytest.raises(ValidationError, match=r"^Item size has exceeded the maximum allowed size$"):
                db.call("PutItem", {"TableName": table, "Item": text_item(MAX_ITEM_SIZE + 1)})


@pytest.mark.parametrize(
    ("attribute", "longest", "words"),
    [
        ("who", 2048, "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
        ("city", 2048, "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
        ("due", 1024, "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"),
    ],
)
def test_keys_are_limited_in_bytes(attribute: str, longest: int, words: str) -> None:
    item = {"who": {"S": "ann"}, "nr": {"N": "1"}, "city": {"S": "rome"}, "due": {"S": "d"}}
    with shop() as db:
        for text in ("x" * longest, "ä" * (longest // 2)):
            db.call("PutItem", {"TableName": "orders", "Item": item | {attribute: {"S": text}}})
            with pytest.raises(ValidationError, match=words):
                db.call("PutItem", {"TableName": "orders", "Item": item | {attribute: {"S": text + "x"}}})


def test_a_write_is_charged_by_the_larger_item_before_or_after() -> None:
    costs = []
    with shop() as db:
        for size in (1024, 1025, 3 * 1024, 3 * 1024 + 1, 10):
            request = {"TableName": "notes", "Item": text_item(size), "ReturnConsumedCapacity": "TOTAL"}
            costs.append(db.call("PutItem", request)["ConsumedCapacity"]["CapacityUnits"])
    assert costs == [1, 2, 3, 4, 4]


def test_an_identical_item_in_another_order_costs_no_index() -> None:
    item = {"who": {"S": "ann"}, "nr": {"N": "1"}, "city": {"S": "rome"}, "due": {"S": "d"}}
    with shop() as db:
        db.call("PutItem", {"TableName": "orders", "Item": item})
        turned = dict(reversed(item.items()))
        reply = db.call(
            "PutItem", {"TableName": "orders", "Item": turned, "ReturnConsumedCapacity": "INDEXES"}
        )
    assert reply["ConsumedCapacity"] == {
        "TableName": "orders",
        "CapacityUnits": 1.0,
        "Table": {"CapacityUnits": 1.0},
    }


def test_binary_comes_back_as_bytes() -> None:
    item = {
        "id": {"S": "a"},
        "one": {"B": b"\x00\xff"},
        "many": {"BS": [b"a", b"b"]},
        "in": {"L": [{"B": b""}]},
    }
    with shop() as db:
        db.call("PutItem", {"TableName": "notes", "Item": item})
        assert db.call("GetItem", {"TableName": "notes", "Key": {"id": {"S": "a"}}})["Item"] == item
