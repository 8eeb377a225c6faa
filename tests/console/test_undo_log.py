"""The undo log: bounded, and each entry once."""

import pytest

from tablewright.access.writes.write_capacity import MeteredChange
from tablewright.console.transaction_members import TransactionMember
from tablewright.console.undo_log import MOST_ENTRIES, UndoLog, UndoneItem, undone_items
from tablewright.errors import UsageError
from tests.console.shop import Customer, main, open_shop

KEY = {"PK": {"S": "p"}, "SK": {"S": "s"}}


def undone(before: int | None, after: int | None) -> UndoneItem:
    def item(version: int | None) -> dict[str, dict[str, str]] | None:
        return None if version is None else {**KEY, "version": {"N": str(version)}}

    return UndoneItem(main, "shop", KEY, item(before), item(after), Customer.layout)


def test_a_created_item_is_deleted_and_a_deleted_one_is_put_back() -> None:
    assert undone(None, 1).member().kind == "Delete"
    restored = undone(1, None).member()
    assert restored.kind == "Put"
    assert restored.request["ConditionExpression"] == "attribute_not_exists(#key)"


def test_a_restored_item_has_the_next_version() -> None:
    assert undone(4, 5).member().request["Item"]["version"] == {"N": "6"}


def test_old_entries_are_dropped() -> None:
    log = UndoLog()
    names = [log.add([undone(1, 2)]) for _ in range(MOST_ENTRIES + 1)]
    with pytest.raises(UsageError, match="can no longer be undone"):
        log.items(names[0])
    assert len(log.items(names[-1])) == 1
    log.forget(names[-1])
    with pytest.raises(UsageError):
        log.items(names[-1])


def test_items_that_did_not_change_are_left_out() -> None:
    log = UndoLog()
    assert log.items(log.add([undone(1, 1)])) == []


def test_an_undo_requires_that_the_item_has_gained_no_attribute() -> None:
    opened = open_shop()
    with opened.db:
        member = TransactionMember(main, "Put", {"TableName": "shop", "Item": KEY})
        change = MeteredChange(None, {**KEY, "version": {"N": "1"}})
        (found,) = undone_items([(member, change)], {main: "shop"}, [None], opened.attributes_of)
        names = found.member().request["ExpressionAttributeNames"].values()
    assert {"note", "total", "GSI1PK", "version"} <= set(names)
