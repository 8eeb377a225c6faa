"""Effects of a transaction: items, index rows, stream records and capacity."""

from typing import Any

import pytest

from tablewright.console.changes.edit_effects import effects, item_changes
from tablewright.console.transaction_members import TransactionMember
from tests.console.shop import main, open_shop

FIRST: dict[str, Any] = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "ORDER#o1"}}


@pytest.mark.parametrize(
    ("member", "action", "states"),
    [
        (
            TransactionMember(main, "Delete", {"TableName": "shop", "Key": FIRST}),
            "delete",
            ["removed", "removed"],
        ),
        (
            TransactionMember(
                main, "Put", {"TableName": "shop", "Item": {"PK": {"S": "n"}, "SK": {"S": "n"}}}
            ),
            "create",
            [],
        ),
        (
            TransactionMember(main, "Put", {"TableName": "shop", "Item": {**FIRST, "GSI2PK": {"S": "z"}}}),
            "change",
            ["removed", "moved"],
        ),
        (TransactionMember(main, "ConditionCheck", {"TableName": "shop", "Key": FIRST}), "check", []),
    ],
)
def test_what_an_action_touches(member: TransactionMember, action: str, states: list[str]) -> None:
    opened = open_shop()
    with opened.db:
        found = effects(opened, [member])
    (item,) = found["items"]
    assert item["action"] == action
    assert [index["state"] for index in item["indexes"]] == states
    assert (item["stream"] is None) == (action == "check")
    assert found["units"]["shop"] == 2.0  # a transaction costs twice


def test_the_stored_items_are_read_now() -> None:
    opened = open_shop()
    with opened.db:
        ((_, change),) = item_changes(
            opened, [TransactionMember(main, "Delete", {"TableName": "shop", "Key": FIRST})]
        )
    assert change.before is not None
    assert change.before["total"] == {"N": "10"}
    assert change.after is None
