"""The check of one item."""

from typing import Any

import pytest

from tablewright import Copy, Design, Entity, Keys
from tablewright.lifecycle.integrity.fsck import repair
from tablewright.lifecycle.integrity.integrity_findings import IntegrityFinding, IntegrityReport, Kind
from tablewright.lifecycle.integrity.item_check import ItemCheck, is_incomplete
from tablewright.lifecycle.integrity.reference_check import ReferenceCheck
from tests.lifecycle.integrity.test_fsck import KEYS, Member, Note, design, main
from tests.lifecycle.stores import Store, run_on

LOCK = {"PK": {"S": "_lock#MEMBER#email#a@x"}, "SK": {"S": "_lock"}}


def checking(store: Store) -> ItemCheck:
    """A check of a table with one member."""
    db = store.open(design, secrets=KEYS)
    db.put(Member(member_id="1", email="a@x", teams=["t"], code="c"))
    return ItemCheck(design, db.context, main, IntegrityReport(), ReferenceCheck(design, db.context))


def items(store: Store) -> dict[str, Any]:
    return {item["PK"]["S"]: item for item in store.items("club")}


def found(store: Store, check: ItemCheck, item: dict[str, Any]) -> list[IntegrityFinding]:
    return run_on(store, check.findings(item))


def delete(store: Store, key: dict[str, Any]) -> None:
    store.connection.call("DeleteItem", {"TableName": store.prefix + "club", "Key": key})


def test_consistent_items_have_no_findings(store: Store) -> None:
    check = checking(store)
    assert [found(store, check, item) for item in items(store).values()] == [[], [], []]


def test_a_missing_lock_and_its_repair(store: Store) -> None:
    check = checking(store)
    delete(store, LOCK)
    (finding,) = found(store, check, items(store)["MEMBER#1"])
    assert finding.kind == Kind.MISSING_LOCK
    assert finding.problem == "lacks the lock of its email (PK = '_lock#MEMBER#email#a@x', SK = '_lock')"
    assert (finding.entity, finding.repair) == ("Member", "write it")
    assert [action.kind for action in finding.actions] == ["ConditionCheck", "Put"]


def test_a_lock_of_another_entity_is_a_duplicate(store: Store) -> None:
    check = checking(store)
    store.put(
        "club", {**items(store)["_lock#MEMBER#email#a@x"], "_of": {"M": {"PK": {"S": "x"}, "SK": {"S": "y"}}}}
    )
    (finding,) = found(store, check, items(store)["MEMBER#1"])
    assert (finding.kind, finding.repair, finding.actions) == (Kind.DUPLICATE, None, ())
    assert finding.problem.endswith(": the key is taken by PK = 'x', SK = 'y'")


@pytest.mark.parametrize(
    ("expiry", "form"), [({"N": "5000000000000"}, "milliseconds"), ({"S": "5000000000"}, "text")]
)
def test_an_expiry_that_dynamodb_ignores_and_its_repair(
    store: Store, expiry: dict[str, str], form: str
) -> None:
    check = checking(store)
    store.put("club", {**items(store)["MEMBER#1"], "expiresAt": expiry})
    (finding,) = found(store, check, items(store)["MEMBER#1"])
    assert finding.kind == Kind.IGNORED_EXPIRY
    assert finding.problem.startswith("never expires: its expiresAt, ")
    assert form in finding.problem
    assert (finding.entity, finding.repair) == ("Member", "store expiresAt = 5000000000")
    assert run_on(store, repair(finding))
    assert items(store)["MEMBER#1"]["expiresAt"] == {"N": "5000000000"}
    assert {each.kind for each in found(store, check, items(store)["MEMBER#1"])} == {
        Kind.OUTDATED_COPY,
        Kind.OUTDATED_LOCK,
    }


def test_values_in_another_form_are_counted_and_repaired(store: Store) -> None:
    check = checking(store)
    member = items(store)["MEMBER#1"]
    store.put("club", {**member, "visits": {"S": member["visits"]["N"]}})
    (finding,) = found(store, check, items(store)["MEMBER#1"])
    assert (finding.kind, finding.forms) == (Kind.OTHER_FORM, ("Member.visits: a number as text",))
    assert finding.problem == "has values in another form than its class stores: visits (a number as text)"
    assert finding.repair == "store visits in the form of the class"
    report = IntegrityReport(most=0)
    report.add([finding, finding])
    assert (report.notes, report.left_out) == ({"Member.visits: a number as text": 2}, 2)
    assert run_on(store, repair(finding))
    assert items(store)["MEMBER#1"] == member


def test_an_item_that_changed_since_it_was_scanned_is_checked_as_it_is_now(store: Store) -> None:
    check = checking(store)
    stale = {**items(store)["MEMBER#1"], "email": {"S": "old@x"}}
    assert found(store, check, stale) == []


def test_an_item_that_was_deleted_since_it_was_scanned_has_no_findings(store: Store) -> None:
    check = checking(store)
    stale = items(store)["MEMBER#1"]
    for item in items(store).values():
        delete(store, {"PK": item["PK"], "SK": item["SK"]})
    assert found(store, check, stale) == []


def test_an_orphan_names_its_owner(store: Store) -> None:
    check = checking(store)
    delete(store, {"PK": {"S": "MEMBER#1"}, "SK": {"S": "MEMBER"}})
    (finding,) = found(store, check, items(store)["TEAM#t"])
    assert (finding.kind, finding.repair) == (Kind.ORPHAN_COPY, "delete it")
    assert finding.problem == "belongs to PK = 'MEMBER#1', SK = 'MEMBER', which does not exist"


class Chapter(Entity, table=main, type="CHAPTER"):
    book_id: str
    chapter_id: str
    keys = Keys(primary=("BOOK#{book_id}", "CHAPTER#{chapter_id}"))
    listing = Copy(primary=("CHAPTERS", "CHAPTER#{chapter_id}"))


def test_a_copy_without_its_owner_is_reported(store: Store) -> None:
    books = Design("books", entities=[Chapter])
    db = store.open(books)
    db.put(Chapter(book_id="1", chapter_id="2"))
    copy = {name: value for name, value in items(store)["CHAPTERS"].items() if name != "_of"}
    store.put("club", copy)
    check = ItemCheck(books, db.context, main, IntegrityReport(), ReferenceCheck(books, db.context))
    (finding,) = found(store, check, copy)
    assert (finding.kind, finding.repair) == (Kind.UNKNOWN, None)
    assert finding.problem.startswith("is stored under the key of a copy (listing)")
    (blocked,) = found(store, check, items(store)["BOOK#1"])
    assert blocked.kind == Kind.BLOCKED_COPY


def test_a_copy_with_a_damaged_owner_is_reported(store: Store) -> None:
    check = checking(store)
    copy = items(store)["TEAM#t"]
    for owner in ({"S": "x"}, {"M": {"PK": {"M": {}}, "SK": {"S": "MEMBER"}}}, {"M": {"PK": {"S": ""}}}):
        (finding,) = found(store, check, {**copy, "_of": owner})
        assert (finding.kind, finding.problem) == (Kind.UNKNOWN, "has no valid owner key in _of")


KEY = {"PK": {"S": "MEMBER#1"}, "SK": {"S": "MEMBER"}}
VISITS = {"visits": {"N": "1"}}
WHOLE = {
    **KEY,
    "type": {"S": "MEMBER"},
    "schemaVersion": {"N": "1"},
    "memberId": {"S": "1"},
    "email": {"S": "a@x"},
    "joinedAt": {"S": "2026-01-01T00:00:00.000Z"},
}


@pytest.mark.parametrize(
    ("entity", "item", "expected"),
    [
        (Member, KEY, True),
        (Member, KEY | VISITS, True),
        (Member, WHOLE, False),
        (Member, {name: value for name, value in WHOLE.items() if name != "type"}, False),
        (Member, KEY | {"colour": {"S": "red"}}, False),
        (Member, {"PK": {"S": "TEAM#1"}, "SK": {"S": "x"}}, False),
        (Note, {"noteId": {"S": "1"}, "body": {"S": "b"}}, True),
        (Note, {"noteId": {"S": "1"}, "body": {"S": "b"}, "title": {"S": "t"}}, False),
    ],
)
def test_only_items_without_their_created_attributes_are_incomplete(
    entity: type[Entity], item: Any, expected: bool
) -> None:
    assert is_incomplete(entity.layout, item) is expected
