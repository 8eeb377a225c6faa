"""Migration of the items of one entity."""

from typing import Any

from tablewright import Repository, migrations
from tablewright.design.entities.migrations import Change
from tablewright.lifecycle.migrate.entity_migration import EntityMigration
from tablewright.lifecycle.traversal.table_pass import Outcome, Rejected
from tests.lifecycle.albums import Album, album, designed, main_items, price_as_number, stored
from tests.lifecycle.stores import Store, run_on

Fields = dict[str, Any]


def opened(store: Store) -> Repository:
    db = store.open(designed())
    db.put(album(1))
    return db


def migrated(store: Store, db: Repository, change: Change | None, **options: Any) -> Outcome:
    """Migrate the only album."""
    work = EntityMigration(db.design, db.context, Album.layout, "m", change, **options)
    (item,) = main_items(store)
    return run_on(store, work(item))


def test_an_item_is_converted_with_its_version(store: Store) -> None:
    db = opened(store)
    assert migrated(store, db, price_as_number) == "changed"
    (item,) = main_items(store)
    assert (item["price"], item["version"]) == ({"N": "1.5"}, {"N": "2"})
    assert migrated(store, db, price_as_number) == "same"


def test_other_items_stay(store: Store) -> None:
    db = opened(store)
    work = EntityMigration(db.design, db.context, Album.layout, "m", lambda item: migrations.DELETE)
    before = stored(store)
    for item in before.values():
        if "_of" in item:
            assert run_on(store, work(item)) == "same"
    assert stored(store) == before


def test_delete_removes_the_dependents(store: Store) -> None:
    db = opened(store)
    assert migrated(store, db, lambda item: migrations.DELETE) == "changed"
    assert stored(store) == {}


def test_an_invalid_result_is_rejected_up_and_written_down(store: Store) -> None:
    db = opened(store)

    def to_text(item: Fields) -> Fields:
        return item | {"plays": "many"}

    outcome = migrated(store, db, to_text)
    assert isinstance(outcome, Rejected)
    assert outcome.reason.startswith("is not a valid Album: it plays: ")
    assert migrated(store, db, to_text, is_down=True) == "changed"
    (item,) = main_items(store)
    assert item["plays"] == {"S": "many"}


def test_without_a_change_missing_dependents_are_written(store: Store) -> None:
    db = opened(store)
    before = stored(store)
    key = {"PK": {"S": "SHELF#Nico"}, "SK": {"S": "ALBUM#001"}}
    db.connection.call("DeleteItem", {"TableName": store.prefix + "music", "Key": key})
    assert migrated(store, db, None) == "changed"
    assert stored(store) == before
