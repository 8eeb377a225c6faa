"""Changes as the page shows them: what differs, of which entity, and without secrets."""

import orjson

from tablewright.console.changes.shown_changes import change_kind, changed_attributes, show_change
from tablewright.dynamodb.values.attributes import Item
from tests.access.streams.goals import main
from tests.console.goals_console import goals_console

KEY: Item = {"PK": {"S": "GOAL#g1"}, "SK": {"S": "GOAL"}}
ITEM: Item = {
    **KEY,
    "type": {"S": "GOAL"},
    "goalId": {"S": "g1"},
    "owner": {"S": "ada"},
    "title": {"S": "Sail"},
}


def test_kinds() -> None:
    assert change_kind(None, ITEM) == "inserted"
    assert change_kind(ITEM, None) == "removed"
    assert change_kind(ITEM, {**ITEM, "title": {"S": "Fly"}}) == "modified"
    assert change_kind(ITEM, dict(ITEM)) == change_kind(None, None) == "same"


def test_the_same_number_or_set_in_another_notation_is_no_change() -> None:
    before: Item = {"n": {"N": "10"}, "s": {"SS": ["a", "b"]}, "m": {"M": {"x": {"N": "1"}}}}
    after: Item = {"n": {"N": "1e1"}, "s": {"SS": ["b", "a"]}, "m": {"M": {"x": {"N": "2"}}}}
    assert changed_attributes(before, after) == ["m"]
    assert changed_attributes(None, before) == ["n", "s", "m"]


def test_a_change_has_its_entity_key_parts_and_fields() -> None:
    with goals_console() as console:
        shown = show_change(console.opened, main, KEY, ITEM, {**ITEM, "title": {"S": "Fly"}})
    assert (shown["entity"], shown["role"], shown["kind"]) == ("Goal", "entity", "modified")
    assert shown["key_parts"]["PK"][1] == {"text": "g1", "field": "goal_id"}
    assert (shown["changed"], shown["attributes"]["goalId"]) == (["title"], "goal_id")
    assert (shown["before"], shown["key"]) == (ITEM, KEY)


def test_a_secret_is_hidden_on_both_sides_and_its_change_is_known() -> None:
    before: Item = {**ITEM, "note": {"B": b"cipher-one"}}
    after: Item = {**ITEM, "note": {"B": b"cipher-two"}}
    with goals_console() as console:
        shown = show_change(console.opened, main, KEY, before, after)
    assert shown["changed"] == ["note"]
    assert shown["before"]["note"] == shown["after"]["note"] == {"HIDDEN": True}
    assert b"cipher" not in orjson.dumps(shown, default=str)


def test_a_removed_item_is_described_by_what_it_was() -> None:
    with goals_console() as console:
        shown = show_change(console.opened, main, KEY, ITEM, None)
        absent = show_change(console.opened, main, KEY, None, None)
    assert (shown["entity"], shown["after"]) == ("Goal", None)
    assert (absent["kind"], absent["title"]) == ("same", shown["title"])
