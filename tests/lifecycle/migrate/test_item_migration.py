"""The outcome of migrating one item."""

from collections.abc import Sequence
from typing import Any

from tablewright import Design, Repository, Table, connect, embedded, migrations
from tablewright.access.context import Context
from tablewright.access.procedures import Procedure
from tablewright.access.writes import actions
from tablewright.access.writes.actions import ItemEdit, WriteAction, unchanged
from tablewright.access.writes.diff import ItemRejected
from tablewright.design.entities.migrations import Change
from tablewright.dynamodb.values.attributes import Item
from tablewright.lifecycle.migrate.item_migration import (
    EntityMigration,
    MigrationWork,
    MovedRejects,
    RawMigration,
    migrate_item,
    migration_work,
)
from tablewright.lifecycle.traversal.checkpoint_records import Direction, Reject
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore
from tablewright.lifecycle.traversal.table_pass import Outcome, Rejected
from tests.lifecycle.albums import (
    Album,
    album,
    designed,
    main,
    main_items,
    price_as_number,
    price_as_text,
    stored,
)
from tests.lifecycle.stores import Store, run_on

KEY: Item = {"PK": {"S": "a"}, "SK": {"S": "b"}}


def test_an_item_is_changed_the_same_or_rejected(store: Store) -> None:
    context = store.open(designed()).context
    store.put("music", KEY)

    def mark(found: Item) -> Procedure[Sequence[WriteAction]]:
        yield from ()
        if "mark" in found:
            return []
        return [
            actions.update(
                context, main, KEY, ItemEdit({"mark": {"S": "x"}}), unchanged(main, found, ["mark"])
            )
        ]

    def reject(found: Item) -> Procedure[Sequence[WriteAction]]:
        yield from ()
        raise ItemRejected("no")

    assert run_on(store, migrate_item(context, main, KEY, mark)) == "changed"
    assert run_on(store, migrate_item(context, main, KEY, mark)) == "same"
    assert run_on(store, migrate_item(context, main, KEY, reject)) == Rejected("no")
    assert store.items("music") == [{**KEY, "mark": {"S": "x"}}]


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
    assert outcome.reason.startswith("is not a valid Album: plays must be ")
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


def work(of: type[Album] | None, direction: Direction) -> MigrationWork:
    migration = migrations.Migration("prices", of or main, price_as_number, price_as_text)
    with embedded() as connection:
        db = connect(designed(migration), connection, create=True)
        moved = MovedRejects(db.context, CheckpointStore(db.design, db.context).design_table)
        return migration_work(db.design, db.context, migration, direction, moved)


def test_an_entity_is_migrated_with_its_copies_and_locks() -> None:
    up, down = work(Album, "up"), work(Album, "down")
    assert isinstance(up, EntityMigration)
    assert isinstance(down, EntityMigration)
    assert (up.change, up.is_down) == (price_as_number, False)
    assert (down.change, down.is_down) == (price_as_text, True)


def test_items_of_a_table_are_migrated_as_they_are() -> None:
    up, down = work(None, "up"), work(None, "down")
    assert isinstance(up, RawMigration)
    assert isinstance(down, RawMigration)
    assert (up.change, down.change) == (price_as_number, price_as_text)
    assert {"albumId", "GSI1PK"} <= set(up.known)


things = Table("things", ("PK", "SK"))
OLD = {"PK": {"S": "a"}, "SK": {"S": "x"}}
NEW = {"PK": {"S": "b"}, "SK": {"S": "x"}}


def moved(context: Context, rejects: dict[str, list[Reject]]) -> MovedRejects:
    checkpoints = CheckpointStore(Design("things", tables=[things]), context)
    return MovedRejects.of(checkpoints, context, things, "1", rejects)


def test_rejects_of_other_migrations_get_the_new_key(store: Store) -> None:
    context = Context(now=store.clock.now)
    rejects = moved(context, {"2": [Reject("things", OLD, "odd", "0001/02")]})
    delete, put = rejects.actions(things, OLD, NEW)
    assert (delete.kind, put.kind) == ("Delete", "Put")
    assert delete.request["Key"]["name"] == {"S": "2"}
    written = put.request["Item"]
    assert (written["key"], written["reason"], written["turn"]) == (
        {"M": NEW},
        {"S": "odd"},
        {"S": "0001/02"},
    )
    assert delete.request["Key"]["place"] != written["place"]
    assert rejects.actions(things, NEW, OLD) == []


def test_own_rejects_and_those_of_other_tables_stay(store: Store) -> None:
    context = Context(now=store.clock.now)
    rejects = {"1": [Reject("things", OLD, "odd")], "2": [Reject("others", OLD, "odd")]}
    assert moved(context, rejects).actions(things, OLD, NEW) == []


ITEM = {"PK": {"S": "a"}, "SK": {"S": "b"}, "note": {"S": "n"}}


def migrated_raw(store: Store, change: Change, item: dict[str, Any] = ITEM, **options: Any) -> Outcome:
    context = store.open(designed()).context
    store.put("music", ITEM)
    return run_on(store, RawMigration(context, main, "m", change, **options)(item))


def test_attributes_are_changed_and_removed(store: Store) -> None:
    assert migrated_raw(store, lambda item: {"PK": "a", "SK": "b", "size": 1}) == "changed"
    assert store.items("music") == [{"PK": {"S": "a"}, "SK": {"S": "b"}, "size": {"N": "1"}}]


def test_an_item_is_deleted(store: Store) -> None:
    assert migrated_raw(store, lambda item: migrations.DELETE) == "changed"
    assert store.items("music") == []


def test_an_item_that_gained_an_attribute_is_deleted_only_if_the_change_still_says_so(store: Store) -> None:
    context = store.open(designed()).context
    store.put("music", ITEM | {"kept": {"BOOL": True}})

    def change(item: Any) -> Any:
        return item if item.get("kept") else migrations.DELETE

    assert run_on(store, RawMigration(context, main, "m", change, ("kept",))(ITEM)) == "same"
    assert store.items("music") == [ITEM | {"kept": {"BOOL": True}}]


def test_nothing_to_change(store: Store) -> None:
    assert migrated_raw(store, lambda item: item) == "same"
    assert store.items("music") == [ITEM]


def test_a_new_key_is_rejected(store: Store) -> None:
    outcome = migrated_raw(store, lambda item: item | {"PK": "c"})
    reason = "would change its primary key; only a migration of an entity can move an item"
    assert outcome == Rejected(reason)


def test_an_item_that_changed_is_converted_as_it_is_now(store: Store) -> None:
    stale = {**ITEM, "note": {"S": "stale"}}
    assert migrated_raw(store, lambda item: item | {"note": item["note"].upper()}, stale) == "changed"
    assert store.items("music") == [{**ITEM, "note": {"S": "N"}}]
