"""Item dependents: the copies and locks of an entity, and what is wrong with them."""

from typing import Any

from tablewright import connect
from tablewright.console.items.item_dependents import dependents_of
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import identify
from tests.console.club_design import design, main, open_club


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
