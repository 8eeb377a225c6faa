"""Writes: located in their table, and computed from the current item."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions import Scope, update
from tablewright.dynamodb.limits import MAX_ITEM_SIZE
from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.writes.item_writes import (
    UNCONDITIONAL,
    CheckItem,
    DeleteItemWrite,
    Edit,
    PutItemWrite,
    Write,
    require_item_size,
    write_condition_of,
)
from tablewright.errors import ConditionalCheckFailed, ValidationError
from tests.engine.player_table import PLAYERS

KEY: dict[str, Any] = {"team": {"S": "red"}, "nick": {"S": "ada"}}


def stored(**numbers: str) -> StoredItem:
    attributes = {**KEY, **{name: {"N": number} for name, number in numbers.items()}}
    return StoredItem.of(attributes, item_size(attributes))


def edit(text: str, **values: Any) -> Edit:
    scope = Scope(None, {f":{name}": value for name, value in values.items()} or None)
    return Edit("players", KEY, update(text, scope), UNCONDITIONAL)


def test_all_writes_of_an_item_have_the_same_key() -> None:
    writes: list[Write] = [
        PutItemWrite("players", stored(pos="1"), UNCONDITIONAL),
        DeleteItemWrite("players", KEY, UNCONDITIONAL),
        CheckItem("players", KEY, UNCONDITIONAL),
        edit("SET note = :n", n={"S": "x"}),
    ]
    assert {write.locate(PLAYERS) for write in writes} == {PLAYERS.keys.of_key(KEY)}


def test_outcomes() -> None:
    old = stored(pos="1")
    new = stored(pos="2")
    assert PutItemWrite("players", new, UNCONDITIONAL).outcome(PLAYERS, old) is new
    assert DeleteItemWrite("players", KEY, UNCONDITIONAL).outcome(PLAYERS, old) is None
    assert CheckItem("players", KEY, UNCONDITIONAL).outcome(PLAYERS, old) is old
    changed = edit("SET pos = pos + :one", one={"N": "1"}).outcome(PLAYERS, old)
    assert changed is not None
    assert (changed.attributes, changed.size) == (new.attributes, new.size)


def test_an_update_creates_an_item_unless_it_only_removes() -> None:
    created = edit("SET pos = :p", p={"N": "1"}).outcome(PLAYERS, None)
    assert created is not None
    assert created.attributes == stored(pos="1").attributes
    assert edit("REMOVE pos").outcome(PLAYERS, None) is None


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (
            edit("SET nick = :n", n={"S": "x"}),
            "Cannot update attribute nick. This attribute is part of the key",
        ),
        (edit("SET pos = :p", p={"S": "x"}), "Type mismatch for Index Key pos Expected: N Actual: S"),
        (edit("SET city = :c", c={"S": ""}), "cannot contain an empty string value"),
        (edit("SET pos.x = :p", p={"N": "1"}), "Key attributes must be scalars"),
        (DeleteItemWrite("players", {"team": {"S": "red"}}, UNCONDITIONAL), "does not match the schema"),
        (
            CheckItem(
                "players", KEY, write_condition_of({"ConditionExpression": "attribute_exists(team.x)"})
            ),
            "Key attributes must be scalars",
        ),
    ],
)
def test_a_write_that_does_not_fit_its_table_is_rejected(write: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        write.locate(PLAYERS)


def test_a_computed_index_key_is_checked_in_the_result() -> None:
    write = edit("SET city = extra")
    write.locate(PLAYERS)
    with pytest.raises(ValidationError, match="secondary index key to unsupported type"):
        write.outcome(PLAYERS, stored(extra="1"))


def test_items_have_400_kilobytes() -> None:
    require_item_size(MAX_ITEM_SIZE)
    with pytest.raises(ValidationError, match="Item size has exceeded"):
        require_item_size(MAX_ITEM_SIZE + 1)
    with pytest.raises(ValidationError, match="Item size to update has exceeded"):
        edit("SET note = :n", n={"S": "x" * MAX_ITEM_SIZE}).outcome(PLAYERS, None)


ITEM = StoredItem.of({"n": {"N": "1"}}, 2)
EXPRESSION = {"ConditionExpression": "n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}
LEGACY = {"Expected": {"n": {"Value": {"N": "1"}}}}


@pytest.mark.parametrize("request_", [EXPRESSION, LEGACY])
def test_a_condition_holds_for_the_item_it_describes(request_: dict[str, Any]) -> None:
    condition = write_condition_of(request_)
    condition.require(ITEM)
    with pytest.raises(ConditionalCheckFailed):
        condition.require(None)
    with pytest.raises(ConditionalCheckFailed):
        condition.require(StoredItem.of({"n": {"N": "2"}}, 2))


def test_without_parameters_every_item_is_accepted() -> None:
    condition = write_condition_of({})
    assert condition is UNCONDITIONAL
    condition.require(None)
    assert condition.nested_attributes == frozenset()


@pytest.mark.parametrize(("returns", "item"), [("ALL_OLD", ITEM), ("NONE", None)])
def test_the_error_includes_the_item_only_on_request(returns: str, item: StoredItem | None) -> None:
    request = {
        "ConditionExpression": "attribute_not_exists(n)",
        "ReturnValuesOnConditionCheckFailure": returns,
    }
    with pytest.raises(ConditionalCheckFailed) as caught:
        write_condition_of(request).require(ITEM)
    assert caught.value.item is item


def test_unused_placeholders_are_an_error_unless_a_scope_is_shared() -> None:
    request = {**EXPRESSION, "ExpressionAttributeNames": {"#n": "n"}}
    with pytest.raises(ValidationError, match="unused in expressions"):
        write_condition_of(request)
    write_condition_of(request, Scope({"#n": "n"}, EXPRESSION["ExpressionAttributeValues"]))  # type: ignore[arg-type]


def test_an_operator_needs_conditions() -> None:
    with pytest.raises(ValidationError):
        write_condition_of({"ConditionalOperator": "OR"})
