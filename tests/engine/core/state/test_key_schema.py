"""Key schemas: which items have a key, and which key they have."""

from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.core.state.key_schema import MAX_HASH_SIZE, MAX_RANGE_SIZE, KeySchema
from tablewright.errors import ValidationError
from tests.engine.table_cases import keys_of

SINGLE = KeySchema.compile(
    keys_of(["h", "r"]),
    [{"AttributeName": "h", "AttributeType": "S"}, {"AttributeName": "r", "AttributeType": "B"}],
)
MULTIPLE = KeySchema.compile(
    keys_of(["h:HASH", "i:HASH", "r", "s"]),
    [
        {"AttributeName": "h", "AttributeType": "S"},
        {"AttributeName": "i", "AttributeType": "N"},
        {"AttributeName": "r", "AttributeType": "B"},
        {"AttributeName": "s", "AttributeType": "S"},
    ],
)


def text(length: int) -> dict[str, str]:
    return {"S": "x" * length}


def binary(length: int) -> dict[str, str]:
    return {"B": b64encode(b"x" * length).decode()}


# Lengths around each limit, and characters of one to four bytes.
LENGTHS = st.sampled_from([0, 1, 255, 256, 511, 512, 1023, 1024, 1025, 2047, 2048, 2049])
TEXTS = st.tuples(st.sampled_from(["x", "é", "語", "🔑"]), LENGTHS).map(lambda pair: {"S": pair[0] * pair[1]})
VALUES = st.one_of(TEXTS, LENGTHS.map(binary), st.just({"N": "1" * 38}), st.just({"NULL": True}))
ITEMS = st.fixed_dictionaries({}, optional=dict.fromkeys("hirs", VALUES))


def size(value: dict[str, str]) -> int:
    ((kind, content),) = value.items()
    if kind == "N":
        return 20
    return len(content.encode()) if kind == "S" else len(content) * 3 // 4 - content.count("=")


def has_key(schema: KeySchema, item: dict[str, dict[str, Any]]) -> bool:
    """By the rules as AWS states them: all there, of their types, not empty, 2048 bytes a hash, 1024 all ranges."""
    for name, kind in schema.types.items():
        if not item.get(name, {}).get(kind):
            return False
    short = all(size(item[name]) <= MAX_HASH_SIZE for name in schema.hash)
    return short and sum(size(item[name]) for name in schema.range) <= MAX_RANGE_SIZE


@pytest.mark.parametrize("schema", [SINGLE, MULTIPLE], ids=["single", "multiple"])
@given(item=ITEMS)
def test_an_item_has_a_key_exactly_when_the_rules_say_so(schema: KeySchema, item: dict[str, Any]) -> None:
    found = schema.find(item)
    assert (found is not None) is has_key(schema, item) is schema.admits(item)
    if found is None:
        with pytest.raises(ValidationError):
            schema.of_item(item)
    else:
        assert found == schema.encode(item) == schema.of_item(item)


@pytest.mark.parametrize(("length", "accepted"), [(2047, True), (2048, True), (2049, False)])
def test_hash_keys_have_up_to_2048_bytes(length: int, accepted: bool) -> None:
    assert (SINGLE.find({"h": text(length), "r": binary(1)}) is not None) is accepted


@pytest.mark.parametrize(("length", "accepted"), [(1023, True), (1024, True), (1025, False)])
def test_range_keys_have_up_to_1024_bytes_together(length: int, accepted: bool) -> None:
    assert (SINGLE.find({"h": text(1), "r": binary(length)}) is not None) is accepted
    both = {"h": text(1), "i": {"N": "1"}, "r": binary(length - 500), "s": text(500)}
    assert (MULTIPLE.find(both) is not None) is accepted
