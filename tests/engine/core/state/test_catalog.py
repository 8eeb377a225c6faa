"""The catalog: tables in memory, their definitions in the store."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from tablewright.engine.core.requests.arns import table_arn
from tablewright.engine.core.state.catalog import CATALOG, FIRST_FREE, META, Catalog, StoredTable
from tablewright.engine.storage import Store, Transaction, open_store
from tablewright.errors import ResourceNotFound, ValidationError


def definition(name: str = "music", **more: Any) -> dict[str, Any]:
    return {
        "Id": 16,
        "Spaces": {"": 16, "by-year": 17, "by-album": 18},
        "Description": {
            "TableName": name,
            "TableArn": table_arn("us-east-1", name),
            "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
            "AttributeDefinitions": [
                {"AttributeName": each, "AttributeType": kind}
                for each, kind in (("artist", "S"), ("year", "N"), ("album", "S"))
            ],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "by-year",
                    "KeySchema": [{"AttributeName": "year", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["song"]},
                },
                {
                    "IndexName": "by-album",
                    "KeySchema": [{"AttributeName": "album", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                },
            ],
        },
        **more,
    }


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_store()
    for space in (CATALOG, META):
        opened.write(partial(Transaction.create_space, space=space))
    yield opened
    opened.close()


def test_a_definition_is_compiled() -> None:
    table = StoredTable.compile(definition(TimeToLive={"AttributeName": "ends"}, Recovery={"Days": 7}))
    assert [(index.name, index.space) for index in table.indexes] == [("by-album", 18), ("by-year", 17)]
    by_year = table.index("by-year")
    assert by_year is not None
    assert by_year.projected == frozenset({"artist", "year", "song"})
    assert table.indexed == {"year", "album"}
    assert len(table.effects) == 2
    assert not table.has_local_indexes


def test_a_table_without_indexes_has_the_same_rows() -> None:
    table = StoredTable.compile(definition())
    bare = table.without_indexes()
    assert (bare.all_indexes, bare.has_index_rows, bare.indexed) == ((), False, frozenset())
    assert (bare.space, bare.keys, bare.definition) == (table.space, table.keys, table.definition)


def test_a_saved_table_is_found_by_name_and_arn_and_after_loading(store: Store) -> None:
    catalog = Catalog()
    store.write(lambda tx: catalog.save(tx, definition()))
    assert catalog.find("arn:aws:dynamodb:us-east-1:123456789012:table/music") is catalog.table("music")
    loaded = Catalog()
    store.read(loaded.load)
    assert [table.name for table in loaded.all()] == ["music"]
    store.write(lambda tx: catalog.remove(tx, catalog.table("music")))
    with pytest.raises(ResourceNotFound):
        catalog.table("music")


def test_an_announced_table_is_found_only_as_announced(store: Store) -> None:
    catalog = Catalog()
    store.write(lambda tx: catalog.announce(tx, definition()))
    assert catalog.find("music") is None
    assert store.read(lambda view: catalog.committed(view, "music")) is None
    announced = store.read(lambda view: catalog.announced(view, "music"))
    assert announced is not None
    store.write(lambda tx: catalog.save(tx, definition()))
    assert catalog.find("music") is not None
    assert store.read(lambda view: catalog.announced(view, "music")) is None


def test_numbers_are_never_used_twice(store: Store) -> None:
    first, second = Catalog(), Catalog()
    numbers = [store.write(each.next_number) for each in (first, second, first)]
    assert numbers == [FIRST_FREE, FIRST_FREE + 1, FIRST_FREE + 2]


def test_an_item_must_fit_the_keys_of_all_indexes() -> None:
    table = StoredTable.compile(definition())
    assert table.key_of_item({"artist": {"S": "nina"}, "year": {"N": "1965"}})
    with pytest.raises(ValidationError, match="Type mismatch for Index Key year Expected: N Actual: S"):
        table.key_of_item({"artist": {"S": "nina"}, "year": {"S": "1965"}})


def test_key_attributes_have_no_nested_paths() -> None:
    table = StoredTable.compile(definition())
    table.require_scalar_keys(frozenset({"song"}))
    with pytest.raises(ValidationError, match="IndexKey: album"):
        table.require_scalar_keys(frozenset({"album"}))


def saved(store: Store, *definitions: dict[str, Any]) -> Catalog:
    """A catalog that was loaded after these definitions were saved."""
    catalog = Catalog()
    for each in definitions:
        store.write(partial(catalog.save, definition=each))
    loaded = Catalog()
    store.read(loaded.load)
    return loaded


def test_a_loaded_definition_is_compiled_at_its_first_use(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = saved(store, definition("music"), definition("films"))
    compiled: list[str] = []
    compile_table = StoredTable.compile

    def count(each: dict[str, Any]) -> StoredTable:
        compiled.append(each["Description"]["TableName"])
        return compile_table(each)

    monkeypatch.setattr(StoredTable, "compile", count)
    music = catalog.table("arn:aws:dynamodb:us-east-1:123456789012:table/music")
    assert catalog.find("music") is catalog.table("music") is music
    assert compiled == ["music"]
    assert {table.name for table in catalog.all()} == {"films", "music"}
    assert sorted(compiled) == ["films", "music"]


@pytest.mark.parametrize("is_loaded", [True, False])
def test_tables_are_found_by_a_member_of_their_definition(store: Store, is_loaded: bool) -> None:
    ttl = {"TimeToLive": {"AttributeName": "ends"}}
    definitions = [
        definition("music", **ttl, Streams=[]),
        definition("films", **ttl, Recovery={"Days": 7}),
        definition("games", Streams=[{"Id": 20, "Closed": 1}], Insights={}),
        definition("books"),
    ]
    catalog = saved(store, *definitions) if is_loaded else Catalog()
    if not is_loaded:
        for each in definitions:
            store.write(partial(catalog.save, definition=each))

    def names(member: str) -> list[str]:
        return [table.name for table in catalog.having(member)]

    assert names("TimeToLive") == ["films", "music"]
    assert (names("Recovery"), names("Streams"), names("Insights")) == (["films"], ["games"], [])
    store.write(lambda tx: catalog.save(tx, definition("films")))
    store.write(lambda tx: catalog.save(tx, definition("books", **ttl)))
    assert names("TimeToLive") == ["books", "music"]
    store.write(lambda tx: catalog.remove(tx, catalog.table("music")))
    assert (names("TimeToLive"), names("Recovery")) == (["books"], [])


def test_a_changed_or_removed_definition_is_not_compiled_again_from_its_old_bytes(store: Store) -> None:
    catalog = saved(store, definition("music"), definition("films"))
    store.write(lambda tx: catalog.save(tx, definition("music", Recovery={"Days": 7})))
    assert len(catalog.table("music").effects) == 1
    films = StoredTable.compile(definition("films"))
    store.write(lambda tx: catalog.remove(tx, films))
    assert catalog.find("films") is None
    assert [table.name for table in catalog.all()] == ["music"]


def test_a_table_is_compiled_once_by_concurrent_readers(store: Store) -> None:
    names = [f"table-{number}" for number in range(50)]
    catalog = saved(store, *map(definition, names))
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda name: [catalog.find(name) for _ in range(3)], names * 8))
    for place, tables in enumerate(found):
        assert set(tables) == {catalog.table(names[place % 50])}
