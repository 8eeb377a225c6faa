"""Restoring an item: what was is written again, with its copies and locks, if nothing changed since it was read."""

from typing import Any

import pytest

from tablewright import Design, Repository, connect, keyrings
from tablewright.access.items.footprint import footprint
from tablewright.access.items.vault import NoVault
from tablewright.access.procedures import run_sync
from tablewright.access.writes import entity_writes
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.item_rewrites import ItemChanged, ItemRestore
from tablewright.access.writes.values import Delete, Update
from tablewright.dynamodb.values.attributes import Item
from tests.access.studio import Artist, ArtistById, Interrupted, Studio, left_by, main
from tests.access.test_secret_entities import Login
from tests.access.test_secret_entities import main as vault_table

ARTIST = ArtistById(studio="s", artist_id="1")
KEY: Item = {"PK": {"S": "STUDIO#s"}, "SK": {"S": "ARTIST#1"}}


def artist(store: Studio, **values: Any) -> Artist:
    return store.run_sync(entity_writes.create(store.context, Artist(studio="s", artist_id="1", **values)))


def item_of(store: Studio) -> Item | None:
    found: Item | None = store.db.call("GetItem", {"TableName": "studio-test", "Key": KEY}).get("Item")
    return found


def restore(store: Studio, found: Item | None, desired: Item | None) -> ItemRestore:
    return ItemRestore(store.context, main, Artist.layout, found, desired)


def test_a_changed_entity_gets_its_fields_copies_and_locks_back(store: Studio) -> None:
    old = artist(store, email="a@x", city="Oslo", friends=["f", "g"])
    then = item_of(store)
    write = Update(old, set={"email": "b@x", "city": "Rome", "friends": ["h"]})
    store.run_sync(entity_writes.update(store.context, write))
    assert store.run_sync(restore(store, item_of(store), then).execute())
    assert store.table() == left_by(old.changed(version=3))


def test_a_deleted_entity_is_written_with_its_copies_and_locks(store: Studio) -> None:
    old = artist(store, email="a@x", friends=["f"])
    then, before = item_of(store), store.table()
    store.run_sync(entity_writes.delete(store.context, Delete(old)))
    store.run_sync(restore(store, None, then).execute())
    assert store.table() == before


def test_an_entity_that_did_not_exist_is_deleted_with_its_copies_and_locks(store: Studio) -> None:
    artist(store, email="a@x", friends=["f"])
    store.run_sync(restore(store, item_of(store), None).execute())
    assert store.table() == {}


def test_an_item_that_is_as_desired_is_not_written(store: Studio) -> None:
    artist(store)
    assert store.run_sync(restore(store, item_of(store), item_of(store)).execute()) == []
    assert store.run_sync(restore(store, None, None).execute()) == []


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_change_since_the_read_is_not_overwritten(store: Studio, is_deleted: bool) -> None:
    artist(store, email="a@x")
    then = item_of(store)
    store.run_sync(entity_writes.update(store.context, Update(ARTIST, set={"email": "b@x"})))

    def other() -> None:
        if is_deleted:
            store.run_sync(entity_writes.delete(store.context, Delete(ARTIST)))
        else:
            store.run_sync(entity_writes.update(store.context, Update(ARTIST, set={"email": "c@x"})))

    connection = Interrupted(store, "TransactWriteItems", other)
    with pytest.raises(ItemChanged):
        connection.run_sync(restore(store, item_of(store), then).execute())
    assert connection.operations.count("TransactWriteItems") == 1
    assert (item_of(store) or {}).get("email") == (None if is_deleted else {"S": "c@x"})


def test_an_item_that_appeared_since_the_read_is_not_overwritten(store: Studio) -> None:
    old = artist(store, city="Oslo")
    then = item_of(store)
    store.run_sync(entity_writes.delete(store.context, Delete(old)))
    connection = Interrupted(store, "TransactWriteItems", lambda: artist(store, city="Rome"))
    with pytest.raises(ItemChanged):
        connection.run_sync(restore(store, None, then).execute())
    assert (item_of(store) or {})["city"] == {"S": "Rome"}


def test_a_unique_value_that_another_entity_has_is_rejected(store: Studio) -> None:
    old = artist(store, email="a@x")
    then = item_of(store)
    store.run_sync(entity_writes.update(store.context, Update(old, set={"email": None})))
    store.run_sync(entity_writes.create(store.context, Artist(studio="s", artist_id="2", email="a@x")))
    before = store.table()
    for found in (item_of(store), None):
        with pytest.raises(ItemRejected, match=r"cannot have email = 'a@x'"):
            store.run_sync(restore(store, found, then).execute())
    assert store.table() == before


def test_an_item_that_the_class_no_longer_accepts_is_rejected(store: Studio) -> None:
    artist(store)
    then = {**footprint(Artist(studio="s", artist_id="1"), NoVault()).main, "level": {"S": "high"}}
    with pytest.raises(ItemRejected, match="is not a valid Artist"):
        store.run_sync(restore(store, item_of(store), then).execute())


def test_an_item_of_no_entity_is_written_alone(store: Studio) -> None:
    then: Item = {"PK": {"S": "other"}, "SK": {"S": "x"}, "n": {"N": "1"}}
    now: Item = {**then, "n": {"N": "2"}}

    def run(found: Item | None, desired: Item | None) -> Any:
        return store.run_sync(ItemRestore(store.context, main, None, found, desired).execute())

    store.db.call("PutItem", {"TableName": "studio-test", "Item": now})
    run(now, then)
    assert list(store.table().values()) == [then]
    with pytest.raises(ItemChanged):
        run(now, then)
    run(then, None)
    assert store.table() == {}
    with pytest.raises(ItemChanged):
        run(then, now)
    run(None, now)
    assert list(store.table().values()) == [now]
    assert run(now, now) == []


@pytest.mark.parametrize("is_deleted", [True, False])
def test_an_attribute_that_was_added_since_the_read_is_not_lost(store: Studio, is_deleted: bool) -> None:
    now: Item = {"PK": {"S": "other"}, "SK": {"S": "x"}, "n": {"N": "2"}}
    added = {**now, "city": {"S": "Oslo"}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": added})
    desired = None if is_deleted else {**now, "n": {"N": "1"}}
    with pytest.raises(ItemChanged):
        store.run_sync(ItemRestore(store.context, main, None, now, desired, ("city",)).execute())
    assert list(store.table().values()) == [added]


def test_secrets_are_restored() -> None:
    design = Design("vault", entities=[Login], patterns=[])
    db: Repository[Any] = connect(design, secrets=keyrings.MemoryKeys())
    with db:
        first = Login(account="a", login_id="1", password="one", email="a@x", token="t", hints=["h"])
        old = db.create(first)
        key = {"PK": {"S": "ACCOUNT#a"}, "SK": {"S": "LOGIN#1"}}

        def stored() -> Item | None:
            found: Item | None = db.connection.call(
                "GetItem", {"TableName": vault_table.name, "Key": key}
            ).get("Item")
            return found

        def restored(desired: Item | None) -> None:
            made = ItemRestore(db.context, vault_table, Login.layout, stored(), desired)
            run_sync(made.execute(), db.connection.call)

        then = stored()
        before = db.connection.call("Scan", {"TableName": vault_table.name})["Count"]
        db.update(old, set={"password": "two", "email": "b@x", "token": "u", "hints": None})
        restored(then)
        found = stored() or {}
        assert (found["token"], found["GSI1PK"]) == ((then or {})["token"], (then or {})["GSI1PK"])
        again: Any = db.context.decoder(Login.layout).make(found)
        assert (again.password, again.email, again.hints) == ("one", "a@x", ["h"])
        db.delete(old)
        restored(then)
        assert (stored() or {})["token"] == (then or {})["token"]
        assert db.connection.call("Scan", {"TableName": vault_table.name})["Count"] == before
