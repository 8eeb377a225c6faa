"""Items are written only if they are as they were read; otherwise they are read and planned again."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tablewright.access.calls.procedures import Procedure
from tablewright.access.writes import actions
from tablewright.access.writes.actions import ItemEdit, WriteAction
from tablewright.access.writes.conditional_write import write_item
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.preconditions import ItemAbsent, unchanged
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InternalFailure, InvalidWrite
from tests.access.studio import Flaky, Studio, main

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
