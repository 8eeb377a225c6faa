"""The difference between two states of an entity."""

from typing import Any

import pytest

from tablewright.access.items.footprint import ComparableKey, Dependent, Footprint, comparable_key, footprint
from tablewright.access.items.item_values import key_of
from tablewright.access.items.vault import NoVault
from tablewright.access.writes.actions import ItemEdit
from tablewright.access.writes.diff import (
    DependentChange,
    ItemRejected,
    computed_changes,
    dependent_action,
    dependent_state,
    edit_between,
    stored_changes,
)
from tablewright.access.writes.values import target_of
from tablewright.dynamodb.values.attributes import Item
from tests.access.studio import START, Artist, Studio, main


def artist(**values: Any) -> Artist:
    return Artist(studio="s", artist_id="1", **values)


def stored(**values: Any) -> Footprint:
    return footprint(artist(**values), NoVault())


def keys(changes: Any) -> list[tuple[str, bool]]:
    return sorted((change.dependent.item["PK"]["S"], change.is_removal) for change in changes)


def lock_of(made: Footprint) -> tuple[ComparableKey, Dependent]:
    return next((key, each) for key, each in made.dependents.items() if each.field)


def test_an_edit_has_only_what_differs() -> None:
    found = {"a": {"N": "1"}, "b": {"S": "old"}, "c": {"S": "gone"}, "d": {"S": "other"}}
    desired = {"a": {"N": "1.0"}, "b": {"S": "new"}, "e": {"S": "added"}}
    assert edit_between(found, desired, {"a", "b", "c", "e"}) == ItemEdit(
        {"b": {"S": "new"}, "e": {"S": "added"}}, frozenset({"c"})
    )
    assert not edit_between(found, desired, {"a"})


def test_computed_changes_of_a_new_changed_and_deleted_entity() -> None:
    before, after = stored(email="a@x", friends=["f"]), stored(email="b@x", friends=["f", "g"])
    assert keys(computed_changes(None, before)) == [
        ("CARDS#s", False),
        ("FRIEND#f", False),
        ("_lock#ARTIST#email#a@x", False),
    ]
    assert keys(computed_changes(before, after)) == [
        ("FRIEND#f", False),  # it contains the new email
        ("FRIEND#g", False),
        ("_lock#ARTIST#email#a@x", True),
        ("_lock#ARTIST#email#b@x", False),
    ]
    assert all(is_removal for _, is_removal in keys(computed_changes(before, None)))
    assert keys(computed_changes(before, before)) == []


def test_a_moved_dependent_belongs_to_the_old_key() -> None:
    before = stored(email="a@x")
    after = footprint(Artist(studio="t", artist_id="1", email="a@x"), NoVault())
    owners = {change.dependent.item["PK"]["S"]: change.mark for change in computed_changes(before, after)}
    assert owners["_lock#ARTIST#email#a@x"] == {"_of": {"M": before.key}}
    assert owners["CARDS#t"] == {"_of": {"M": after.key}}


@pytest.mark.parametrize(
    ("change", "state"),
    [
        (None, "absent"),
        ({}, "current"),
        ({"likes": {"N": "7"}}, "outdated"),
        ({"_of": {"M": {"PK": {"S": "another"}}}}, "foreign"),
        ({"_of": {"M": {"PK": {"S": "another"}}}, "expiresAt": {"N": str(int(START) - 1)}}, "absent"),
    ],
)
def test_the_state_of_a_stored_copy(store: Studio, change: Item | None, state: str) -> None:
    made = stored()
    (copy,) = made.dependents.values()
    found = None if change is None else {**copy.item, **change}
    assert dependent_state(store.context, Artist.layout, made.key, copy, found) == state


def test_stored_changes_write_and_delete_what_differs(store: Studio) -> None:
    made, former = stored(email="b@x"), stored(email="a@x")
    dependents = {**former.dependents, **made.dependents}
    items = {key: each.item for key, each in former.dependents.items()}
    changes = stored_changes(store.context, target_of(artist()), made.key, dependents, made.dependents, items)
    assert keys(changes) == [("_lock#ARTIST#email#a@x", True), ("_lock#ARTIST#email#b@x", False)]


def test_items_of_another_entity_are_neither_deleted_nor_overwritten(store: Studio) -> None:
    made = stored(email="a@x")
    key, lock = lock_of(made)
    foreign = {key: {**lock.item, "_of": {"M": {"PK": {"S": "another"}}}}}
    target = target_of(artist())
    assert list(stored_changes(store.context, target, made.key, {key: lock}, {}, foreign)) == []
    with pytest.raises(ItemRejected, match=r"cannot have email = 'a@x'.*\(PK = 'another'\)"):
        list(stored_changes(store.context, target, made.key, {key: lock}, {key: lock}, foreign))


def test_the_action_of_a_change(store: Studio) -> None:
    made = stored(email="a@x")
    _, lock = lock_of(made)
    target = target_of(artist())
    put = dependent_action(store.context, target, START, DependentChange(lock, lock.mark))
    assert (put.kind, put.request["Item"]) == ("Put", lock.item)
    removal = DependentChange(lock, lock.mark, is_removal=True)
    delete = dependent_action(store.context, target, START, removal)
    assert (delete.kind, delete.key) == ("Delete", key_of(main, lock.item))
    assert put.identity == (main, comparable_key(main, lock.item))
