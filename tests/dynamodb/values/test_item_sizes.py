"""Item sizes: golden cases, and the size that `admit` measures."""

from base64 import b64encode

import orjson
import pytest
from hypothesis import given

from tablewright.dynamodb.values.attributes import AttributeValue, admit, admit_item
from tablewright.dynamodb.values.item_sizes import item_size
from tests.dynamodb.values.strategies import items
from tests.golden import arrows


@pytest.mark.parametrize(("value", "size"), arrows("values/sizes.txt"))
def test_sizes(value: str, size: str) -> None:
    assert admit(orjson.loads(value))[1] == int(size)


@given(items())
def test_admitting_measures_what_sizes_counts(item: dict[str, AttributeValue]) -> None:
    admitted, size = admit_item(item)
    assert size == item_size(admitted)


def test_bytes_have_the_size_of_their_base64_text() -> None:
    content = [b"", b"a", b"ab", b"abc"]
    texts = [b64encode(each).decode() for each in content]
    assert [item_size({"b": {"B": each}}) for each in content] == [
        item_size({"b": {"B": each}}) for each in texts
    ]
    assert item_size({"b": {"BS": content}}) == item_size({"b": {"BS": texts}})
