"""Export lines: items and changes in DynamoDB JSON and in Ion."""

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.features.exports.export_lines import CHANGE_LINES, ITEM_LINES, ItemChange

ITEM = StoredItem.of({"id": {"S": "ada"}, "age": {"N": "36"}}, 10)
KEYS = {"id": {"S": "ada"}}


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("DYNAMODB_JSON", b'{"Item":{"id":{"S":"ada"},"age":{"N":"36"}}}\n'),
        ("ION", b'$ion_1_0 {Item:{id:"ada",age:36.}}\n'),
    ],
)
def test_an_item(form: str, line: bytes) -> None:
    assert ITEM_LINES[form](ITEM) == line


@pytest.mark.parametrize(
    ("form", "line"),
    [
        (
            "DYNAMODB_JSON",
            b'{"Metadata":{"WriteTimestampMicros":{"N":"5"}},"Keys":{"id":{"S":"ada"}},'
            b'"OldImage":{"id":{"S":"ada"},"age":{"N":"36"}}}\n',
        ),
        (
            "ION",
            b'$ion_1_0 {Record:{Keys:{id:"ada"},Metadata:{WriteTimestampMicros:5.},OldImage:{id:"ada",age:36.}}}\n',
        ),
    ],
)
def test_a_delete_has_an_old_image_only(form: str, line: bytes) -> None:
    assert CHANGE_LINES[form](ItemChange(KEYS, 5, ITEM, None)) == line
