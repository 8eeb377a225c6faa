"""Vector rows: their format, and which rows a change writes and deletes."""

from typing import Any

from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.dynamodb.values.vectors import unpacked
from tablewright.engine.features.vectors.vector_index import (
    item_part,
    metered_bytes,
    projected_item,
    row_of,
    same_rows,
    vector_changes,
    vector_part,
)
from tests.engine.features.vectors.test_vector_index import PLAIN, TENANT, compiled
from tests.engine.features.vectors.vector_table import BY_TENANT, vector, vector_index

ITEM = {"id": {"S": "a"}, "v": vector(1, 2, 3), "tenant": {"S": "red"}, "text": {"S": "x" * 2000}}


def stored(**changes: Any) -> StoredItem:
    attributes = {name: value for name, value in {**ITEM, **changes}.items() if value is not None}
    return StoredItem.of(attributes, item_size(attributes))


def test_a_row_has_the_packed_vector_then_the_projected_item() -> None:
    row = row_of(PLAIN, b"key", stored())
    assert row is not None
    key, body = row
    assert key == b"key"
    assert unpacked(vector_part(PLAIN, body)) == (1.0, 2.0, 3.0)
    rest = {name: value for name, value in ITEM.items() if name != "v"}
    assert projected_item(PLAIN, body) == rest
    assert body.raw == vector_part(PLAIN, body) + item_part(PLAIN, body).raw
    assert body.size == 3 * 4 + len("v") + item_size(rest)


def test_a_row_key_begins_with_the_partition_key() -> None:
    row = row_of(TENANT, b"key", stored())
    assert row is not None
    assert TENANT.hash is not None
    assert row[0] == TENANT.hash.encode(ITEM) + b"key"
    assert projected_item(TENANT, row[1]) == {"id": {"S": "a"}, "tenant": {"S": "red"}}


def test_an_item_that_does_not_belong_to_the_index_has_no_row() -> None:
    assert row_of(PLAIN, b"key", None) is None
    assert row_of(PLAIN, b"key", stored(v=None)) is None
    assert row_of(TENANT, b"key", stored(tenant=None)) is None


def test_rows_are_the_same_in_any_order_of_attributes_and_in_32_bits() -> None:
    one, other = row_of(PLAIN, b"k", stored(kind={"S": "x"})), row_of(PLAIN, b"k", stored(kind={"S": "y"}))
    reversed_item = StoredItem.of(dict(reversed(ITEM.items())), item_size(ITEM))
    again = row_of(PLAIN, b"k", reversed_item)
    nearly = row_of(PLAIN, b"k", stored(v=vector("1.00000000001", 2, 3)))
    first = row_of(PLAIN, b"k", stored())
    assert one
    assert other
    assert again
    assert first
    assert nearly
    assert not same_rows(PLAIN, one[1], other[1])
    assert same_rows(PLAIN, first[1], again[1])
    assert same_rows(PLAIN, first[1], nearly[1])


def test_a_change_concerns_the_indexes_whose_rows_differ() -> None:
    table = compiled(vector_index(), {**BY_TENANT, "Projection": {"ProjectionType": "KEYS_ONLY"}})

    def changed(old: StoredItem | None, new: StoredItem | None) -> list[tuple[str, bool, bool]]:
        return [
            (index.name, before is not None, after is not None)
            for index, before, after in vector_changes(table, b"k", old, new)
        ]

    assert changed(None, stored()) == [("by-tenant", False, True), ("by-vector", False, True)]
    assert changed(stored(), stored(text={"S": "other"})) == [("by-vector", True, True)]
    assert changed(stored(), stored(tenant=None)) == [("by-tenant", True, False), ("by-vector", True, True)]
    assert changed(stored(), stored()) == []
    assert changed(stored(), None) == [("by-tenant", True, False), ("by-vector", True, False)]
    assert changed(stored(v=None), None) == []


def test_a_write_is_metered_by_the_larger_row_and_at_least_one_kilobyte() -> None:
    large, small = row_of(PLAIN, b"k", stored()), row_of(PLAIN, b"k", stored(text=None))
    assert large
    assert small
    assert metered_bytes(None, small) == 1024.0
    assert metered_bytes(large, small) == metered_bytes(small, large) == float(large[1].size)
