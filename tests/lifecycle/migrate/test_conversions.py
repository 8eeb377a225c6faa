"""Conversion of one item by the function of a migration."""

from collections.abc import Callable
from typing import Any

import pytest

from tablewright import migrations
from tablewright.access.context import Context
from tablewright.access.writes.diff import ItemRejected
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import MigrationError
from tablewright.lifecycle.migrate.conversions import Converted, checks, convert
from tests.lifecycle.albums import Album, album, designed, main
from tests.lifecycle.stores import Store, run_on

Fields = dict[str, Any]
ITEM = {"PK": {"S": "ALBUM#001"}, "SK": {"S": "ALBUM"}, "price": {"N": "1.50"}, "title": {"S": "t"}}


def converted(store: Store, change: Callable[..., Any]) -> Converted:
    return run_on(store, convert(store.open(designed()).context, "1-prices", change, ITEM))


def test_none_leaves_the_item(store: Store) -> None:
    assert converted(store, lambda item: None) == Converted(ITEM)


def test_delete_removes_the_item(store: Store) -> None:
    assert converted(store, lambda item: migrations.DELETE) == Converted(migrations.DELETE)


def test_unchanged_values_keep_their_stored_form(store: Store) -> None:
    made = converted(store, lambda item: item | {"title": "new", "gone": None}).item
    assert made == {**ITEM, "title": {"S": "new"}}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("too cheap"), "too cheap"),
        (KeyError("cost"), "KeyError: 'cost'"),
        (ValueError(), "ValueError"),
    ],
)
def test_an_error_rejects_the_item(store: Store, error: Exception, reason: str) -> None:
    def fail(item: Fields) -> Fields:
        raise error

    with pytest.raises(ItemRejected) as caught:
        converted(store, fail)
    assert str(caught.value) == reason


def test_a_function_must_return_attributes(store: Store) -> None:
    with pytest.raises(MigrationError, match="the migration 1-prices returned list, not a dict"):
        converted(store, lambda item: [item])


@pytest.mark.parametrize(
    "change",
    [
        lambda item: item | {"title": item["title"] + "!"},
        lambda item: migrations.DELETE if "new" in item else item | {"new": 1},
    ],
)
def test_a_function_must_not_change_its_own_result(store: Store, change: Callable[..., Any]) -> None:
    with pytest.raises(MigrationError, match="changes an item again"):
        converted(store, change)


def test_looked_up_entities_are_read_once_and_checked(store: Store) -> None:
    db = store.open(designed())
    db.put(album(2, artist="Lou"))
    calls = []

    def with_artist(item: Fields, view: migrations.View) -> Fields:
        calls.append(item)
        found, missing = view.find(Album, album_id="002"), view.find(Album, album_id="003")
        assert missing is None
        return item | {"artist": found["artist"]} if found else item

    result = run_on(store, convert(db.context, "artists", with_artist, ITEM))
    assert result.item == {**ITEM, "artist": {"S": "Lou"}}
    assert [(lookup.key["PK"]["S"], lookup.item is None) for lookup in result.lookups] == [
        ("ALBUM#002", False),
        ("ALBUM#003", True),
    ]
    assert len(calls) == 4, "it is called again after each read, and once with its own result"
    actions = list(checks(db.context, result, main, ITEM))
    assert [action.kind for action in actions] == ["ConditionCheck", "ConditionCheck"]


def test_the_item_itself_needs_no_check(store: Store) -> None:
    db = store.open(designed())

    def look_at_itself(item: Fields, view: migrations.View) -> None:
        view.find(Album, album_id="001")

    result = run_on(store, convert(db.context, "itself", look_at_itself, ITEM))
    assert len(result.lookups) == 1
    assert list(checks(db.context, result, main, ITEM)) == []


def test_values_that_a_function_changes_in_place_are_converted(store: Store) -> None:
    """A list that the function got and returns is the same object with another content."""
    item: Item = {
        "tags": {"L": [{"S": "a"}]},
        "size": {"N": "1.0"},
        "name": {"S": "x"},
        "raw": {"B": b"\x00"},
    }

    def add_tag(attributes: dict[str, Any]) -> dict[str, Any]:
        if "b" not in attributes["tags"]:
            attributes["tags"].append("b")
        return attributes

    made = run_on(store, convert(Context(now=store.clock.now), "m", add_tag, item)).item
    assert made == item | {"tags": {"L": [{"S": "a"}, {"S": "b"}]}}
    assert item["tags"] == {"L": [{"S": "a"}]}
