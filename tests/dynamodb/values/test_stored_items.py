"""Stored items: bytes in the store, Python objects for callers."""

from hypothesis import given

from tablewright.dynamodb.values.attributes import AttributeValue, admit_item
from tablewright.dynamodb.values.stored_items import StoredItem, to_python
from tests.dynamodb.values.strategies import items


@given(items())
def test_a_stored_item_comes_back_as_python_sent_it(item: dict[str, AttributeValue]) -> None:
    admitted, size = admit_item(item)
    stored = StoredItem.of(admitted, size)
    reply = to_python({"Item": StoredItem(stored.raw, size)})
    assert admit_item(reply["Item"])[0] == admitted
