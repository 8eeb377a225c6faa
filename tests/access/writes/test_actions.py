"""Actions: their requests, whether they can be repeated, and whether an item shows that they were executed."""

from typing import Any

import pytest

from tablewright.access.condition_text import Aliases
from tablewright.access.writes import actions
from tablewright.access.writes.actions import ItemEdit
from tablewright.access.writes.preconditions import ItemAbsent, ItemUnchanged, MainPrecondition
from tablewright.access.writes.targets import Target
from tests.access.studio import START, Ledger, Studio, main

KEY = {"PK": {"S": "LEDGER#1"}, "SK": {"S": "LEDGER"}}
ANY = ItemUnchanged(main, {})
COUNT = ItemEdit({}, increase=(("total", {"N": "0"}, {"N": "5"}),))


def of_version(version: int | None) -> MainPrecondition:
    return MainPrecondition(Target(Ledger, {"ledger_id": "1"}), START, "present", version)


def test_the_expression_of_an_edit() -> None:
    edit = ItemEdit(
        {"name": {"S": "n"}},
        remove=frozenset({"b", "a"}),
        increase=(("total", {"N": "0"}, {"N": "5"}),),
        join={"tags": {"SS": ["x"]}},
        versions=("version",),
    )
    aliases = Aliases()
    assert edit.expression(aliases) == (
        "SET #0 = :0, #1 = if_not_exists(#1, :1) + :2, #2 = if_not_exists(#2, :3) + :4 REMOVE #3, #4 ADD #5 :5"
    )
    names = aliases.members()["ExpressionAttributeNames"]
    assert names == {"#0": "name", "#1": "total", "#2": "version", "#3": "a", "#4": "b", "#5": "tags"}


def test_an_edit_without_changes_is_false() -> None:
    assert not ItemEdit({})
    assert all(
        (ItemEdit({"a": {"S": "a"}}), ItemEdit({}, frozenset("a")), ItemEdit({}, versions=("v",)), COUNT)
    )


def test_the_request_of_an_action(store: Studio) -> None:
    action = actions.put(store.context, main, {**KEY, "total": {"N": "1"}}, ItemAbsent(main))
    assert (action.kind, action.key) == ("Put", KEY)
    call = action.call()
    assert call.operation == "PutItem"
    assert call.request == {
        "TableName": "studio-test",
        "Item": {**KEY, "total": {"N": "1"}},
        "ConditionExpression": "attribute_not_exists(#0)",
        "ExpressionAttributeNames": {"#0": "PK"},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    assert actions.update(store.context, main, KEY, COUNT, ANY).call().request["ReturnValues"] == "ALL_NEW"
    assert actions.delete(store.context, main, KEY, ANY).call().request["ReturnValues"] == "ALL_OLD"


@pytest.mark.parametrize(
    ("edit", "version", "expected"),
    [
        (ItemEdit({"name": {"S": "n"}}), None, True),
        (ItemEdit({"name": {"S": "n"}}, versions=("version",)), None, True),
        (COUNT, None, False),
        (COUNT, 3, True),
    ],
)
def test_adding_to_a_number_is_repeatable_only_with_a_version(
    store: Studio, edit: ItemEdit, version: int | None, expected: bool
) -> None:
    action = actions.update(store.context, main, KEY, edit, of_version(version))
    assert action.is_repeatable is expected


@pytest.mark.parametrize(
    ("edit", "found", "expected"),
    [
        (ItemEdit({"rank": {"N": "1"}}), {"rank": {"N": "1.0"}}, True),
        (ItemEdit({"rank": {"N": "1"}}), {"rank": {"N": "2"}}, False),
        (ItemEdit({}, frozenset({"rank"})), {"rank": {"N": "1"}}, False),
        (ItemEdit({}, join={"tags": {"SS": ["a"]}}), {"tags": {"SS": ["a", "b"]}}, True),
        (ItemEdit({}, join={"tags": {"SS": ["a"]}}), {"tags": {"SS": ["b"]}}, False),
        (COUNT, {"total": {"N": "5"}}, False),
        (ItemEdit({"rank": {"N": "1"}}), None, False),
    ],
)
def test_an_item_shows_whether_an_update_was_executed(
    store: Studio, edit: ItemEdit, found: Any, expected: bool
) -> None:
    action = actions.update(store.context, main, KEY, edit, ANY)
    assert action.is_applied_to(None if found is None else {**KEY, **found}) is expected


def test_an_item_shows_whether_a_put_or_delete_was_executed(store: Studio) -> None:
    put = actions.put(store.context, main, {**KEY, "total": {"N": "1"}}, ANY)
    assert put.is_applied_to({**KEY, "total": {"N": "1.0"}})
    assert not put.is_applied_to(KEY)
    delete = actions.delete(store.context, main, KEY, ANY)
    assert delete.is_applied_to(None)
    assert not delete.is_applied_to(KEY)


def test_places_are_compared_by_value(store: Studio) -> None:
    one, other = (actions.check(store.context, main, {**KEY}, ANY) for _ in range(2))
    assert one.identity == other.identity
