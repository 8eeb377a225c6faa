"""Index rows: which rows a change adds, moves and deletes."""

import dataclasses
import itertools

from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.index_rows import index_changes, project, row_of
from tablewright.engine.core.state.catalog import StoredIndex, StoredTable

TABLE = StoredTable.compile(
    {
        "Id": 16,
        "Spaces": {"": 16, "by-year": 17},
        "Description": {
            "TableName": "music",
            "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
            "AttributeDefinitions": [
                {"AttributeName": "artist", "AttributeType": "S"},
                {"AttributeName": "year", "AttributeType": "N"},
            ],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "by-year",
                    "KeySchema": [{"AttributeName": "year", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "KEYS_ONLY"},
                }
            ],
        },
    }
)
INDEX: StoredIndex = TABLE.indexes[0]


def stored(**numbers: str) -> StoredItem:
    attributes = {"artist": {"S": "nina"}, **{name: {"N": number} for name, number in numbers.items()}}
    return StoredItem.of(attributes, item_size(attributes))


def changes(old: StoredItem | None, new: StoredItem | None) -> list[tuple[bool, bool]]:
    """For each affected index: whether there is a row before, and after."""
    return [
        (before is not None, after is not None) for _, before, after in index_changes(TABLE, b"k", old, new)
    ]


def test_a_row_has_the_index_key_followed_by_the_table_key() -> None:
    row = row_of(INDEX, b"table-key", stored(year="1965", plays="3"))
    assert row is not None
    assert row[0] == INDEX.keys.encode({"year": {"N": "1965"}}) + b"table-key"
    assert row[1].attributes == {"artist": {"S": "nina"}, "year": {"N": "1965"}}
    assert row[1].size == item_size(row[1].attributes)


def test_an_item_without_the_index_key_has_no_row() -> None:
    assert row_of(INDEX, b"k", stored(plays="3")) is None
    assert row_of(INDEX, b"k", None) is None


def test_only_affected_indexes_are_listed() -> None:
    assert changes(None, stored(year="1965")) == [(False, True)]
    assert changes(stored(year="1965"), stored(year="1966")) == [(True, True)]
    assert changes(stored(year="1965"), stored()) == [(True, False)]
    assert changes(stored(year="1965"), stored(year="1965", plays="3")) == [], "plays is not projected"
    assert changes(stored(), stored(plays="3")) == []


def test_a_projection_of_all_attributes_is_the_item_itself() -> None:
    everything = StoredIndex(INDEX.name, INDEX.kind, INDEX.space, INDEX.keys, None)
    item = stored(year="1965", plays="3")
    assert project(everything, item) is item


def test_a_changed_row_is_what_the_item_alone_gives() -> None:
    whole = dataclasses.replace(TABLE, indexes=(StoredIndex("all", "global", 18, INDEX.keys, None), INDEX))
    items = [None, stored(), stored(year="7"), stored(year="7", plays="1"), stored(year="8", plays="1")]
    for old, new in itertools.product(items, items):
        for index, before, after in index_changes(whole, b"k", old, new):
            for row, alone in ((before, row_of(index, b"k", old)), (after, row_of(index, b"k", new))):
                assert (row and (row[0], row[1].raw)) == (alone and (alone[0], alone[1].raw))
