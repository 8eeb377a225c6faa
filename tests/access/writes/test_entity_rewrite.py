"""Rewriting stored entities: main item, index keys, copies and locks."""

from typing import Any

import pytest

from tablewright.access.items.footprint import footprint
from tablewright.access.items.vault import NoVault
from tablewright.access.writes import execute
from tablewright.access.writes.actions import WriteAction
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.entity_rewrite import EntityRewrite
from tablewright.access.writes.single import create
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import UnknownItem
from tests.access.studio import Artist, Room, Studio, left_by


def stored(store: Studio, **values: Any) -> tuple[Artist, Item]:
    """Create an artist; return it and its main item."""
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1", **values)))
    return artist, footprint(artist, NoVault()).main


def planned(store: Studio, found: Item, attributes: Item, **options: Any) -> list[WriteAction]:
    rewrite = EntityRewrite(store.context, Artist.layout, **options)
    return store.run_sync(rewrite.plan(found, found, attributes))


def delete(store: Studio, **key: str) -> None:
    store.db.call(
        "DeleteItem", {"TableName": "studio-test", "Key": {name: {"S": text} for name, text in key.items()}}
    )


def test_an_entity_in_its_expected_state_needs_no_action(store: Studio) -> None:
    _, found = stored(store, email="a@x", friends=["f"])
    assert planned(store, found, found) == []


def test_index_keys_copies_and_locks_follow_a_change(store: Studio) -> None:
    artist, found = stored(store, email="a@x", city="Oslo")
    changed = {**found, "email": {"S": "b@x"}, "city": {"S": "Rome"}}
    store.run_sync(execute.send(planned(store, found, changed)))
    assert store.table() == left_by(artist.changed(email="b@x", city="Rome", version=2))


def test_copies_have_the_new_version(store: Studio) -> None:
    artist, found = stored(store, friends=["f"])
    store.run_sync(execute.send(planned(store, found, {**found, "level": {"N": "7"}})))
    assert store.table() == left_by(artist.changed(level=7, version=2))


def test_copies_that_the_entity_no_longer_has_are_deleted(store: Studio) -> None:
    artist, found = stored(store, friends=["f", "g"])
    fewer = {**found, "friends": {"L": [{"S": "g"}]}}
    store.run_sync(execute.send(planned(store, found, fewer)))
    assert store.table() == left_by(artist.changed(friends=["g"], version=2))


def test_a_deleted_entity_is_created_with_its_copies_and_locks(store: Studio) -> None:
    artist, found = stored(store, email="a@x", friends=["f"])
    rewrite = EntityRewrite(store.context, Artist.layout)
    store.run_sync(execute.send(store.run_sync(rewrite.plan_removal(found, found))))
    store.run_sync(execute.send(store.run_sync(rewrite.plan_creation(found))))
    assert store.table() == left_by(artist)


def test_missing_dependents_are_written_without_a_new_version(store: Studio) -> None:
    artist, found = stored(store, email="a@x")
    delete(store, PK="_lock#ARTIST#email#a@x", SK="_lock")
    actions = planned(store, found, found)
    assert [action.kind for action in actions] == ["ConditionCheck", "Put"]
    store.run_sync(execute.send(actions))
    assert store.table() == left_by(artist)


def test_only_limits_the_attributes_and_leaves_locks(store: Studio) -> None:
    _, found = stored(store, email="a@x", city="Oslo")
    broken = {**found, "GSI1PK": {"S": "wrong"}, "dayPK": {"S": "wrong"}}
    delete(store, PK="_lock#ARTIST#email#a@x", SK="_lock")
    (action,) = planned(store, broken, broken, only=frozenset({"GSI1PK"}))
    assert action.edit is not None
    assert (action.edit.set, action.edit.versions) == ({"GSI1PK": {"S": "CITY#Oslo"}}, ())


def test_a_new_key_moves_the_entity(store: Studio) -> None:
    artist, found = stored(store, email="a@x")
    moved = {**found, "studio": {"S": "t"}, "PK": {"S": "STUDIO#t"}}
    store.run_sync(execute.send(planned(store, found, moved)))
    assert store.table() == left_by(artist.changed(studio="t"))


def test_a_unique_value_of_another_entity_rejects_the_item(store: Studio) -> None:
    other = Artist(studio="s", artist_id="2", email="b@x")
    store.run_sync(create(store.context, other))
    _, found = stored(store, email="a@x")
    with pytest.raises(ItemRejected, match=r"cannot have email = 'b@x'.*SK = 'ARTIST#2'"):
        planned(store, found, {**found, "email": {"S": "b@x"}})


def test_attributes_that_the_class_does_not_accept(store: Studio) -> None:
    _, found = stored(store, email="a@x")
    invalid = {**found, "level": {"S": "high"}}
    with pytest.raises(UnknownItem):
        planned(store, found, invalid)
    (action,) = planned(store, found, invalid, accept_invalid=True)
    assert action.edit is not None
    assert action.edit.set == {"level": {"S": "high"}, "version": {"N": "2"}}


def test_removal_deletes_the_own_dependents_only(store: Studio) -> None:
    other = store.run_sync(create(store.context, Room(room_id="1")))
    _, found = stored(store, email="a@x", friends=["f"])
    foreign = {"PK": {"S": "FRIEND#f"}, "SK": {"S": "OF#s#1"}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": foreign})
    rewrite = EntityRewrite(store.context, Artist.layout)
    store.run_sync(execute.send(store.run_sync(rewrite.plan_removal(found, found))))
    left = store.table()
    assert [item["PK"]["S"] for item in left.values() if item["PK"] != {"S": "ROOM#1"}] == ["FRIEND#f"]
    assert left_by(other).items() <= left.items()


@pytest.mark.parametrize("is_moved", [False, True])
def test_an_attribute_that_was_added_since_is_not_deleted_with_the_item(
    store: Studio, is_moved: bool
) -> None:
    _, found = stored(store, email="a@x")
    rewrite = EntityRewrite(store.context, Artist.layout)
    moved = {**found, "studio": {"S": "t"}, "PK": {"S": "STUDIO#t"}}
    plan = rewrite.plan(found, found, moved) if is_moved else rewrite.plan_removal(found, found, ["other"])
    actions = store.run_sync(plan)
    for name in ("city", "GSI2PK") if is_moved else ("city", "GSI2PK", "other"):
        added = {**found, name: {"S": "of another writer"}}
        store.db.call("PutItem", {"TableName": "studio-test", "Item": added})
        before = store.table()
        assert isinstance(store.run_sync(execute.send(actions)), execute.ConditionsFailed)
        assert store.table() == before
    store.db.call("PutItem", {"TableName": "studio-test", "Item": found})
    assert not isinstance(store.run_sync(execute.send(actions)), execute.ConditionsFailed)
