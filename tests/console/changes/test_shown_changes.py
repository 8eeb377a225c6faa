"""Changes as the page shows them: what differs, of which entity, and without secrets."""

from typing import Any

import orjson
import pytest

from tablewright.console.changes.shown_changes import (
    RecordFilter,
    change_kind,
    changed_attributes,
    show_change,
    show_record,
)
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import UsageError
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


GOAL = {"PK": {"S": "GOAL#g1"}, "SK": {"S": "GOAL"}}
IMAGE = {**GOAL, "type": {"S": "GOAL"}, "goalId": {"S": "g1"}, "owner": {"S": "ada"}, "title": {"S": "Sail"}}
COPY = {**IMAGE, "PK": {"S": "OWNER#ada"}, "SK": {"S": "GOAL#g1"}, "_owner": {"M": GOAL}}


def record(name: str = "MODIFY", view: str = "NEW_AND_OLD_IMAGES", **images: Any) -> dict[str, Any]:
    change = {
        "Keys": GOAL,
        "ApproximateCreationDateTime": 1_750_000_000,
        "SequenceNumber": "000000000000000000007",
        "SizeBytes": 12,
        "StreamViewType": view,
        **images,
    }
    return {"eventID": "e1", "eventName": name, "dynamodb": change}


def shown(given: dict[str, Any]) -> dict[str, Any]:
    with goals_console() as console:
        return show_record(console.opened, main, "shard-1", given)


def test_a_record_has_its_event_and_its_place() -> None:
    found = shown(record(OldImage=IMAGE, NewImage={**IMAGE, "title": {"S": "Fly"}}))
    assert (found["event"], found["entity"], found["changed"]) == ("modified", "Goal", ["title"])
    assert (found["shard"], found["sequence"], found["at"]) == (
        "shard-1",
        "000000000000000000007",
        1_750_000_000.0,
    )


def test_a_deletion_by_the_service_is_an_expiry() -> None:
    deletion = record("REMOVE", OldImage=IMAGE)
    service = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
    assert shown(deletion)["event"] == "removed"
    assert shown({**deletion, "userIdentity": service})["event"] == "expired"


@pytest.mark.parametrize("view", ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE"])
def test_without_both_images_the_changed_attributes_are_unknown(view: str) -> None:
    images: dict[str, Any] = {"NEW_IMAGE": {"NewImage": IMAGE}, "OLD_IMAGE": {"OldImage": IMAGE}}.get(
        view, {}
    )
    found = shown(record(view=view, **images))
    assert (found["event"], found["changed"], found["images"]) == ("modified", None, view)


SHOWN = {
    "entity": "Goal",
    "role": "entity",
    "event": "modified",
    "key": GOAL,
    "changed": ["title"],
    "attributes": {"title": "title", "goalId": "goal_id"},
}


@pytest.mark.parametrize(
    ("given", "is_selected"),
    [
        (RecordFilter(), True),
        (RecordFilter(entity="Goal"), True),
        (RecordFilter(entity="Step"), False),
        (RecordFilter(events=frozenset({"modified", "expired"})), True),
        (RecordFilter(events=frozenset({"inserted"})), False),
        (RecordFilter(key="GOAL#g"), True),
        (RecordFilter(key="GOAL#h"), False),
        (RecordFilter(changed="title"), True),
        (RecordFilter(changed="goal_id"), False),
        (RecordFilter(only_entities=True), True),
    ],
)
def test_a_filter_selects_records(given: RecordFilter, is_selected: bool) -> None:
    assert given.selects(SHOWN) == is_selected


def test_a_filter_finds_a_field_by_its_name_and_by_its_attribute() -> None:
    changed = {**SHOWN, "changed": ["goalId"]}
    assert RecordFilter(changed="goal_id").selects(changed)
    assert RecordFilter(changed="goalId").selects(changed)
    assert not RecordFilter(changed="goalId").selects({**SHOWN, "changed": None})


def test_copies_and_locks_can_be_left_out() -> None:
    assert not RecordFilter(only_entities=True).selects({**SHOWN, "role": "copy"})
    assert not RecordFilter(only_entities=True).selects({**SHOWN, "role": "lock"})


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"entity": "Gaol"}, "goals has no entity Gaol; it has: Goal, Step, Thing"),
        (
            {"events": "inserted,changed"},
            "'changed' is not an event; use inserted, modified, removed, expired",
        ),
        ({"dependents": "no"}, "dependents is true or false, got 'no'"),
    ],
)
def test_an_unknown_filter_is_an_error(query: dict[str, str], message: str) -> None:
    with goals_console() as console, pytest.raises(UsageError, match=message):
        RecordFilter.of(console.opened, query)
