"""PartiQL statements as writes: which item they name, and their conditions."""

from typing import Any

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.partiql.statement_writes import (
    is_read,
    require_one_item,
    returning_item,
    statement_of,
    write_of,
)
from tablewright.engine.core.writes.item_writes import CheckItem, DeleteItemWrite, Edit
from tablewright.errors import ConditionalCheckFailed, DuplicateItem, ValidationError
from tests.engine.player_table import PLAYERS

WHERE = "WHERE team = 'red' AND nick = 'ada'"
KEY: dict[str, Any] = {"team": {"S": "red"}, "nick": {"S": "ada"}}
ITEM = StoredItem.of({**KEY, "note": {"S": "x"}}, 20)


def bound(text: str) -> Any:
    return statement_of({"Statement": text})


def test_only_select_reads() -> None:
    assert is_read(bound("SELECT * FROM players"))
    assert not is_read(bound(f"EXISTS(SELECT * FROM players {WHERE} AND note = 'x')"))
    assert not is_read(bound(f"DELETE FROM players {WHERE}"))


def test_an_insert_fails_when_the_item_exists() -> None:
    write = write_of(bound("INSERT INTO players VALUE {'team': 'red', 'nick': 'ada'}"), PLAYERS)
    inserted = write.outcome(PLAYERS, None)
    assert inserted is not None
    assert inserted.attributes == KEY
    with pytest.raises(DuplicateItem):
        write.outcome(PLAYERS, ITEM)


def test_an_update_needs_the_item_and_a_delete_does_not() -> None:
    change = write_of(bound(f"UPDATE players SET note = 'y' {WHERE}"), PLAYERS)
    assert isinstance(change, Edit)
    with pytest.raises(ConditionalCheckFailed):
        change.condition.require(None)
    removal = write_of(bound(f"DELETE FROM players {WHERE} AND note = 'x'"), PLAYERS)
    assert isinstance(removal, DeleteItemWrite)
    removal.condition.require(None)
    removal.condition.require(ITEM)
    with pytest.raises(ConditionalCheckFailed):
        removal.condition.require(StoredItem.of(KEY, 10))


def test_exists_is_a_check_with_a_further_condition() -> None:
    check = write_of(bound(f"EXISTS(SELECT * FROM players {WHERE} AND note = 'x')"), PLAYERS)
    assert isinstance(check, CheckItem)
    check.condition.require(ITEM)
    with pytest.raises(ValidationError, match="single item read with additional condition"):
        write_of(bound(f"EXISTS(SELECT * FROM players {WHERE})"), PLAYERS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DELETE FROM players WHERE team = 'red'", "mandatory equality on all key attributes"),
        (f"DELETE FROM players {WHERE} AND nick = 'bob'", "Multiple conditions on same key nick"),
        ("DELETE FROM players WHERE team = 'red' AND nick = 5", "data type should match"),
        (
            "INSERT INTO players VALUE {'team': 'red'}",
            "Key attribute should be present in the item: Key nick",
        ),
        (f'UPDATE players."by-pos" SET note = 1 {WHERE}', "not supported on an index"),
    ],
)
def test_a_write_names_exactly_one_item(text: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        require_one_item(bound(text), PLAYERS)


@pytest.mark.parametrize(
    ("returning", "shown"),
    [
        ("", None),
        ("RETURNING ALL OLD *", {**KEY, "note": {"S": "x"}}),
        ("RETURNING MODIFIED NEW *", {"note": {"S": "y"}}),
    ],
)
def test_returning_shows_a_part_of_the_change(returning: str, shown: Any) -> None:
    statement = bound(f"UPDATE players SET note = 'y' {WHERE} {returning}")
    new = write_of(statement, PLAYERS).outcome(PLAYERS, ITEM)
    found = returning_item(statement, ItemChange(PLAYERS, b"", ITEM, new))
    assert (found.attributes if isinstance(found, StoredItem) else found) == shown
