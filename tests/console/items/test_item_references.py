"""Item references: links to the partitions of other entities, owners, and partition keys from templates."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from tablewright import Design, Entity, Keys, Table, connect, fields
from tablewright.console.items.item_references import (
    dependents_of,
    key_patterns,
    links_of,
    owner_key,
    render_partition,
)
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import identify
from tablewright.errors import TablewrightError, UsageError
from tests.console.club_design import design, main, open_club, scores
from tests.console.sample_console import open_system


@pytest.fixture(scope="module")
def club() -> Iterator[OpenDesign]:
    opened = open_club()
    yield opened
    opened.db.close()


def links(opened: OpenDesign, table: Table, key: dict[str, Any]) -> dict[str, list[tuple[str, list[str]]]]:
    name = opened.db.context.table_name(table)
    item = opened.db.connection.call("GetItem", {"TableName": name, "Key": key})["Item"]
    found = links_of(opened, table, identify(opened, table, item), item)
    return {field: [(each["entity"], each["partition"]) for each in given] for field, given in found.items()}


def test_a_field_leads_to_the_partition_that_it_is_the_key_of(club: OpenDesign) -> None:
    found = links(club, scores, {"PK": {"S": "GAME#chess"}, "rank": {"N": "2"}})
    assert found == {"member_id": [("Member", ["MEMBER#m1"])]}


def test_an_item_does_not_lead_to_its_own_partition(club: OpenDesign) -> None:
    assert links(club, main, {"PK": {"S": "MEMBER#m1"}, "SK": {"S": "PROFILE"}}) == {}


def test_the_root_of_a_partition_comes_first() -> None:
    opened = open_system("boards")
    table = next(each for each in opened.design.tables if each.name == "BoardMemberships")
    row = opened.db.connection.call("Scan", {"TableName": "BoardMemberships", "Limit": 1})["Items"][0]
    found = links(opened, table, {name: row[name] for name in table.key})
    assert found["board_id"][0][0] == "Board"
    assert found["user_id"] == [("UserProfile", [f"USER#{row['userId']['S']}"])]
    opened.db.close()


def test_a_name_of_several_keys_leads_nowhere() -> None:
    table = Table("things", key=("PK", "SK"))

    class Room(Entity, table=table, type="ROOM"):
        id: str
        keys = Keys(primary=("ROOM#{id}", "ROOM"))

    class Desk(Entity, table=table, type="DESK"):
        id: str
        keys = Keys(primary=("DESK#{id}", "DESK"))

    db = connect(Design("rooms", entities=[Room, Desk]))
    db.create(Room(id="1"))
    opened = OpenDesign(db, "Rooms", "memory", "")
    assert links(opened, table, {"PK": {"S": "ROOM#1"}, "SK": {"S": "ROOM"}}) == {}
    db.close()


def test_a_declared_reference_leads_to_its_item() -> None:
    table = Table("forum", key=("PK", "SK"))

    class Person(Entity, table=table, type="PERSON"):
        person_id: str
        email: Annotated[str, fields.Unique()]
        keys = Keys(primary=("PERSON#{person_id}", "PERSON"))

    class Post(Entity, table=table, type="POST"):
        person_id: Annotated[str, fields.OwnedBy(Person)]
        post_id: str
        reviewed_by: Annotated[list[str], fields.References(Person)]
        editor: Annotated[str | None, fields.References(Person, field="email")] = None
        person: str = "x"
        keys = Keys(primary=("PERSON#{person_id}", "POST#{post_id}"))

    db = connect(Design("forum", entities=[Person, Post]))
    db.create(Post(person_id="p1", post_id="1", reviewed_by=["p2", "p3"], editor="e@x"))
    opened = OpenDesign(db, "Forum", "memory", "")
    key = {"PK": {"S": "PERSON#p1"}, "SK": {"S": "POST#1"}}
    item = db.connection.call("GetItem", {"TableName": "forum", "Key": key})["Item"]
    found = links_of(opened, table, identify(opened, table, item), item)
    people = [{"PK": {"S": f"PERSON#p{number}"}, "SK": {"S": "PERSON"}} for number in (1, 2, 3)]
    lock = {"PK": {"S": "_lock#PERSON#email#e@x"}, "SK": {"S": "_lock"}}
    assert {name: [link["key"] for link in given] for name, given in found.items()} == {
        "person_id": [people[0]],
        "reviewed_by": people[1:],
        "editor": [lock],
    }
    assert found["person_id"][0]["entity"] == "Person"
    db.close()


def test_copies_and_locks_have_owners(club: OpenDesign) -> None:
    items = club.db.connection.call("Scan", {"TableName": "club"})["Items"]
    found = {}
    for item in items:
        identity = identify(club, main, item)
        if owner := owner_key(main, identity, item):
            found[identity.role, item["PK"]["S"]] = owner
    assert found["lock", "_lock#MEMBER#email#ada@club"]["PK"] == {"S": "MEMBER#m1"}
    assert found["copy", "HELPER#m2"] == {"PK": {"S": "MEMBER#m1"}, "SK": {"S": "TASK#t1"}}
    assert len(found) == 3


def test_a_lock_of_the_design_has_an_owner() -> None:
    opened = open_system("boards")
    table = opened.tables["UserProfiles"]
    items = opened.db.connection.call("Scan", {"TableName": "UserProfiles"})["Items"]
    lock = next(item for item in items if item["PK"]["S"].startswith("USERNAME#"))
    owner = owner_key(table, identify(opened, table, lock), lock)
    assert owner == {"PK": {"S": f"USER#{lock['userId']['S']}"}, "SK": {"S": "PROFILE"}}
    opened.db.close()


def test_key_patterns_name_their_entities(club: OpenDesign) -> None:
    found = {
        (pattern["table"], pattern["index"], *pattern["templates"]): pattern for pattern in key_patterns(club)
    }
    assert found["club", None, "MEMBER#{member_id}"]["entities"] == ["Member", "Task"]
    assert found["club", "open", "OPEN"]["fields"] == []
    assert found["club", "GSI1", "STATUS#{status}"]["prefix"] == "STATUS#"
    assert ("club", None, "HELPER#{helper_id}") in found


def test_a_template_is_filled_with_values(club: OpenDesign) -> None:
    assert render_partition(club, main, None, ["MEMBER#{member_id}"], {"member_id": "m7"}) == ["MEMBER#m7"]
    assert render_partition(club, main, main.index("open"), ["OPEN"], {}) == ["OPEN"]


@pytest.mark.parametrize(
    ("template", "values", "message"),
    [
        ("MEMBER#{member_id}", {}, "member_id has no value"),
        ("MEMBER#{other}", {"other": "1"}, "no entity of club"),
    ],
)
def test_a_template_that_cannot_be_filled_is_an_error(
    club: OpenDesign, template: str, values: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        render_partition(club, main, None, [template], values)


def test_a_value_with_a_separator_is_an_error() -> None:
    table = Table("logs", key=("PK", "SK"))

    class Log(Entity, table=table):
        day: int
        area: str
        keys = Keys(primary=("LOG#{area}#{day:04}", "x"))

    db = connect(Design("logs", entities=[Log]))
    opened = OpenDesign(db, "Logs", "memory", "")
    template = ["LOG#{area}#{day:04}"]
    assert render_partition(opened, table, None, template, {"area": "a", "day": "7"}) == ["LOG#a#0007"]
    with pytest.raises(UsageError, match="day must be a valid integer"):
        render_partition(opened, table, None, template, {"area": "a", "day": "x"})
    with pytest.raises(TablewrightError, match="separates"):
        render_partition(opened, table, None, template, {"area": "a#b", "day": "7"})
    db.close()


def found(opened: OpenDesign, partition: str, sort: str) -> dict[str, Any]:
    key = {"PK": {"S": partition}, "SK": {"S": sort}}
    item = opened.db.connection.call("GetItem", {"TableName": "club", "Key": key})["Item"]
    return dependents_of(opened, main, identify(opened, main, item), item)


def test_copies_and_locks_are_found_and_stored() -> None:
    opened = open_club()
    (lock,) = found(opened, "MEMBER#m1", "PROFILE")["items"]
    assert (lock["role"], lock["name"], lock["stored"]) == ("lock", "email", True)
    (copy,) = found(opened, "MEMBER#m1", "TASK#t1")["items"]
    assert (copy["role"], copy["name"], copy["stored"]) == ("copy", "helpers", True)
    assert copy["key"] == {"PK": {"S": "HELPER#m2"}, "SK": {"S": "TASK#t1"}}
    assert found(opened, "HELPER#m2", "TASK#t1")["items"] == []
    opened.db.close()


def test_a_missing_lock_and_a_taken_one_are_reported() -> None:
    opened = open_club()
    (lock,) = found(opened, "MEMBER#m1", "PROFILE")["items"]
    opened.db.connection.call("DeleteItem", {"TableName": "club", "Key": lock["key"]})
    (lock,) = found(opened, "MEMBER#m1", "PROFILE")["items"]
    assert (lock["stored"], "not stored" in lock["problem"]) == (False, True)
    other = {"_of": {"M": {"PK": {"S": "MEMBER#m2"}, "SK": {"S": "PROFILE"}}}}
    opened.db.connection.call("PutItem", {"TableName": "club", "Item": {**lock["key"], **other}})
    (lock,) = found(opened, "MEMBER#m1", "PROFILE")["items"]
    assert (lock["stored"], "another owner" in lock["problem"]) == (False, True)
    opened.db.close()


def test_without_keys_dependents_of_secret_entities_are_not_known() -> None:
    opened = open_club()
    locked = connect(design, opened.db.connection, create=False)
    without_keys = OpenDesign(locked, "Club", "memory", "")
    reply = found(without_keys, "MEMBER#m1", "PROFILE")
    assert reply["items"] == []
    assert "master key" in reply["problem"]
    assert len(found(without_keys, "MEMBER#m1", "TASK#t1")["items"]) == 1
    opened.db.close()
