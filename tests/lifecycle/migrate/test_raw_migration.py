"""Migration of stored items, whatever they are."""

from typing import Any

from tablewright import migrations
from tablewright.design.entities.migrations import Change
from tablewright.lifecycle.migrate.raw_migration import RawMigration
from tablewright.lifecycle.traversal.table_pass import Outcome, Rejected
from tests.lifecycle.albums import designed, main
from tests.lifecycle.stores import Store, run_on

ITEM = {"PK": {"S": "a"}, "SK": {"S": "b"}, "note": {"S": "n"}}


def migrated(store: Store, change: Change, item: dict[str, Any] = ITEM, **options: Any) -> Outcome:
    context = store.open(designed()).context
    store.put("music", ITEM)
    return run_on(store, RawMigration(context, main, "m", change, **options)(item))


def test_attributes_are_changed_and_removed(store: Store) -> None:
    assert migrated(store, lambda item: {"PK": "a", "SK": "b", "size": 1}) == "changed"
    assert store.items("music") == [{"PK": {"S": "a"}, "SK": {"S": "b"}, "size": {"N": "1"}}]


def test_an_item_is_deleted(store: Store) -> None:
    assert migrated(store, lambda item: migrations.DELETE) == "changed"
    assert store.items("music") == []


def test_an_item_that_gained_an_attribute_is_deleted_only_if_the_change_still_says_so(store: Store) -> None:
    context = store.open(designed()).context
    store.put("music", ITEM | {"kept": {"BOOL": True}})

    def change(item: Any) -> Any:
        return item if item.get("kept") else migrations.DELETE

    assert run_on(store, RawMigration(context, main, "m", change, ("kept",))(ITEM)) == "same"
    assert store.items("music") == [ITEM | {"kept": {"BOOL": True}}]


def test_nothing_to_change(store: Store) -> None:
    assert migrated(store, lambda item: item) == "same"
    assert store.items("music") == [ITEM]


def test_a_new_key_is_rejected(store: Store) -> None:
    outcome = migrated(store, lambda item: item | {"PK": "c"})
    reason = "would change its primary key; only a migration of an entity can move an item"
    assert outcome == Rejected(reason)


def test_an_item_that_changed_is_converted_as_it_is_now(store: Store) -> None:
    stale = {**ITEM, "note": {"S": "stale"}}
    assert migrated(store, lambda item: item | {"note": item["note"].upper()}, stale) == "changed"
    assert store.items("music") == [{**ITEM, "note": {"S": "N"}}]
