"""Items are written only if they are as they were read; otherwise they are read and planned again."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tablewright.access.items.footprint import footprint
from tablewright.access.items.vault import NoVault
from tablewright.access.procedures import Procedure
from tablewright.access.writes import actions, execute
from tablewright.access.writes.actions import ItemAbsent, ItemEdit, WriteAction, unchanged
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.entity_writes import create
from tablewright.access.writes.item_rewrites import EntityRewrite, write_item
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InternalFailure, InvalidWrite, UnknownItem
from tests.access.studio import Artist, Flaky, Room, Studio, left_by, main

KEY: Item = {"PK": {"S": "a"}, "SK": {"S": "b"}}
ITEM: Item = {**KEY, "count": {"N": "1"}}


class Doubling:
    """Plans to double the count of an item until it is at least 8; keeps the counts it has seen."""

    def __init__(self, store: Studio, other_write: Callable[[], Any] = lambda: None) -> None:
        self.store = store
        self.other_write = other_write
        self.seen: list[int] = []

    def __call__(self, found: Item) -> Procedure[Sequence[WriteAction]]:
        yield from ()
        count = int(found["count"]["N"])
        self.seen.append(count)
        self.other_write()
        if count >= 8:
            return []
        edit = ItemEdit({"count": {"N": str(count * 2)}})
        return [actions.update(self.store.context, main, KEY, edit, unchanged(main, found, ["count"]))]


def put(store: Studio, item: Item) -> None:
    store.db.call("PutItem", {"TableName": "studio-test", "Item": item})


def count(store: Studio) -> list[Any]:
    return [item["count"]["N"] for item in store.table().values()]


def test_an_item_is_written_once(store: Studio) -> None:
    put(store, ITEM)
    assert store.run_sync(write_item(store.context, main, ITEM, Doubling(store))) is True
    assert (count(store), store.operations()) == (["2"], ["UpdateItem"])


def test_the_reply_does_not_have_the_item(store: Studio) -> None:
    """A migration needs it for nothing, and a client would read every item twice."""
    put(store, ITEM)
    store.run_sync(write_item(store.context, main, ITEM, Doubling(store)))
    ((operation, request),) = store.calls
    assert (operation, "ReturnValues" in request) == ("UpdateItem", False)


def test_an_item_that_changed_is_read_and_planned_again(store: Studio) -> None:
    put(store, {**KEY, "count": {"N": "3"}})
    plan = Doubling(store)
    assert store.run_sync(write_item(store.context, main, ITEM, plan)) is True
    assert (plan.seen, count(store)) == ([1, 3], ["6"])


def test_an_item_that_was_deleted_is_not_written(store: Studio) -> None:
    assert store.run_sync(write_item(store.context, main, ITEM, Doubling(store))) is False
    assert store.table() == {}


def test_nothing_to_do_makes_no_call(store: Studio) -> None:
    assert (
        store.run_sync(write_item(store.context, main, {**KEY, "count": {"N": "9"}}, Doubling(store)))
        is False
    )
    assert store.operations() == []


def test_a_write_in_doubt_is_planned_again_from_the_item(store: Studio) -> None:
    put(store, {**KEY, "count": {"N": "4"}})
    plan = Doubling(store)
    flaky = Flaky(store, *[(InternalFailure("broken"), True)] * 12)
    assert flaky.run_sync(write_item(store.context, main, {**KEY, "count": {"N": "4"}}, plan)) is True
    assert (plan.seen, count(store)) == ([4], ["8"]), "the item shows that the first attempt was executed"


def test_an_item_that_always_changes_is_rejected(store: Studio) -> None:
    put(store, ITEM)
    plan = Doubling(store, lambda: put(store, {**KEY, "count": {"N": str(3 - plan.seen[-1])}}))
    with pytest.raises(ItemRejected, match="is changed by other writers in every attempt"):
        store.run_sync(write_item(store.context, main, ITEM, plan))
    assert plan.seen == [1, 2] * 6


def test_an_error_of_the_plan_rejects_the_item(store: Studio) -> None:
    def plan(found: Item) -> Procedure[Sequence[WriteAction]]:
        yield from ()
        raise InvalidWrite("does not fit")

    with pytest.raises(ItemRejected, match="does not fit"):
        store.run_sync(write_item(store.context, main, ITEM, plan))


def test_a_failed_precondition_rejects_the_item_and_names_the_owner(store: Studio) -> None:
    put(store, {**ITEM, "_of": {"M": {"PK": {"S": "another"}}}})

    def plan(found: Item) -> Procedure[Sequence[WriteAction]]:
        yield from ()
        return [actions.put(store.context, main, ITEM, ItemAbsent(main, "is taken"))]

    with pytest.raises(ItemRejected, match=r"is taken \(PK = 'another'\)"):
        store.run_sync(write_item(store.context, main, ITEM, plan))


def test_more_actions_than_a_transaction_takes_reject_the_item(store: Studio) -> None:
    def plan(found: Item) -> Procedure[Sequence[WriteAction]]:
        yield from ()
        return [actions.delete(store.context, main, KEY, ItemAbsent(main))] * 101

    with pytest.raises(ItemRejected, match="touches 101 items"):
        store.run_sync(write_item(store.context, main, ITEM, plan))


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
