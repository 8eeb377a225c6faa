"""Index presence: present, absent with the reason, lagging."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.console.items.index_presence import index_states, stored_items
from tablewright.console.open_designs import OpenDesign
from tests.console.club_design import advance, main, open_club, put


@pytest.fixture
def club() -> Iterator[OpenDesign]:
    opened = open_club()
    yield opened
    opened.db.close()


def item_at(opened: OpenDesign, partition: str, sort: str) -> dict[str, Any]:
    key = {"PK": {"S": partition}, "SK": {"S": sort}}
    item: dict[str, Any] = opened.db.connection.call("GetItem", {"TableName": "club", "Key": key})["Item"]
    return item


def states(opened: OpenDesign, partition: str, sort: str) -> dict[str, Any]:
    item = item_at(opened, partition, sort)
    return {state["index"]: state for state in index_states(opened, main, item)}


def test_an_item_is_present_with_what_is_projected(club: OpenDesign) -> None:
    found = states(club, "MEMBER#m1", "PROFILE")
    assert found["GSI1"]["state"] == "present"
    assert found["GSI1"]["left_out"] == []
    assert found["by-level"]["state"] == "present"
    assert set(found["by-level"]["projected"]) == {"PK", "SK", "status", "level", "name"}
    assert "email" in found["by-level"]["left_out"]


@pytest.mark.parametrize(
    ("partition", "sort", "index", "why"),
    [
        ("MEMBER#m1", "PROFILE", "open", "Member has no key in open"),
        ("MEMBER#m1", "TASK#t2", "open", "Sparse: Task is in open only if is_open has a true value"),
        ("HELPER#m2", "TASK#t1", "open", "a copy of Task has no key in open"),
        ("_lock#MEMBER#email#ada@club", "_lock", "GSI1", "A lock of Member is in no index"),
        ("MEMBER#m1", "TASK#t1", "by-level", "no status and no level"),
    ],
)
def test_an_absent_item_has_a_reason(
    club: OpenDesign, partition: str, sort: str, index: str, why: str
) -> None:
    found = states(club, partition, sort)[index]
    assert found["state"] == "absent"
    assert why in found["why"]
    assert found["missing"]


def test_a_missing_key_that_the_fields_would_give_is_reported(club: OpenDesign) -> None:
    item = item_at(club, "MEMBER#m1", "PROFILE")
    put(club, {name: value for name, value in item.items() if name != "GSI1PK"})
    assert "Check the items in Health" in states(club, "MEMBER#m1", "PROFILE")["GSI1"]["why"]


def test_an_unknown_item_lacks_attributes(club: OpenDesign) -> None:
    put(club, {"PK": {"S": "X"}, "SK": {"S": "1"}})
    assert states(club, "X", "1")["GSI1"]["why"] == "The item has no GSI1PK and no GSI1SK."


def test_an_index_that_lags_is_reported() -> None:
    opened = open_club(lag=60.0)
    assert states(opened, "MEMBER#m1", "PROFILE")["GSI1"]["why"] == "GSI1 does not have the item yet."
    advance(opened, 61)
    assert states(opened, "MEMBER#m1", "PROFILE")["GSI1"]["state"] == "present"
    changed = {**item_at(opened, "MEMBER#m1", "PROFILE"), "name": {"S": "Ada Two"}}
    put(opened, changed)
    found = states(opened, "MEMBER#m1", "PROFILE")
    assert (found["GSI1"]["state"], found["by-level"]["state"]) == ("lagging", "lagging")
    assert "other values of name" in found["GSI1"]["why"]
    opened.db.close()


def test_the_items_of_rows_are_read_from_the_table(club: OpenDesign) -> None:
    rows = club.db.connection.call("Scan", {"TableName": "club", "IndexName": "open"})["Items"]
    gone = {"PK": {"S": "MEMBER#m1"}, "SK": {"S": "TASK#none"}}
    items = stored_items(club, main, [*rows, gone])
    assert [item is not None for item in items] == [True, True, False]


def test_rows_with_the_same_index_key_differ_by_their_primary_key(club: OpenDesign) -> None:
    for number in range(20):
        put(
            club,
            {
                "PK": {"S": f"P{number}"},
                "SK": {"S": "x"},
                "GSI1PK": {"S": "same"},
                "GSI1SK": {"S": "same"},
            },
        )
    assert states(club, "P13", "x")["GSI1"]["state"] == "present"
