"""Planned edits: the actions of one transaction, and fingerprints of items."""

from typing import Any

import pytest

from tablewright.console.changes.staged_edits import StagedEdit, fingerprint, plan_edits, read_item, transact
from tablewright.console.endpoints import Conflict
from tablewright.console.transaction_members import TransactionMember, conditioned
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import TransactionCanceled, UsageError
from tests.console.shop import main, open_shop

FIRST = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "ORDER#o1"}}


def test_a_fingerprint_depends_on_the_content_and_not_on_the_order() -> None:
    one: Item = {"a": {"N": "1"}, "b": {"B": b"x"}}
    two: Item = {"b": {"B": b"x"}, "a": {"N": "1"}}
    assert fingerprint(one) == fingerprint(two)
    assert fingerprint(one) != fingerprint(one | {"c": {"NULL": True}})


def test_a_plan_has_the_actions_of_the_item_and_its_copy() -> None:
    opened = open_shop()
    with opened.db:
        item = read_item(opened, main, FIRST)
        assert item is not None
        given = StagedEdit(
            kind="update", table="shop", key=FIRST, fingerprint=fingerprint(item), values={"total": 11}
        )
        members = plan_edits(opened, [given])
    assert len(members) == 2
    assert "= :was" in members[0].request["ConditionExpression"]
    assert all("ReturnValues" not in member.request for member in members)


def test_a_transaction_has_at_most_a_hundred_items() -> None:
    opened = open_shop()
    with opened.db:
        orders = [
            StagedEdit(
                kind="create",
                table="shop",
                entity="Order",
                values={"customer_id": "c1", "order_id": f"n{number}", "status": "open", "total": 1},
            )
            for number in range(51)
        ]
        with pytest.raises(UsageError, match="touch 102 items, and a transaction has at most 100"):
            plan_edits(opened, orders)


OTHER = {"PK": {"S": "x"}, "SK": {"S": "x"}}


def test_all_actions_or_none() -> None:
    opened = open_shop()
    with opened.db:
        put = TransactionMember(main, "Put", {"TableName": "shop", "Item": OTHER})
        delete = TransactionMember(main, "Delete", {"TableName": "shop", "Key": FIRST})
        with pytest.raises(Conflict, match="nothing was saved: shop PK = 'CUSTOMER#c1'"):
            transact(opened, [put, conditioned(delete, {**FIRST, "total": {"N": "99"}})])
        assert "Item" not in opened.db.connection.call("GetItem", {"TableName": "shop", "Key": OTHER})
        transact(opened, [put, delete])
        assert "Item" in opened.db.connection.call("GetItem", {"TableName": "shop", "Key": OTHER})
        assert "Item" not in opened.db.connection.call("GetItem", {"TableName": "shop", "Key": FIRST})


def test_an_item_that_another_transaction_writes_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_shop()

    def busy(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        raise TransactionCanceled([{"Code": "TransactionConflict"}])

    with opened.db:
        monkeypatch.setattr(opened.db.connection, "call", busy)
        with pytest.raises(Conflict, match="nothing was saved: shop PK = 'x'"):
            transact(opened, [TransactionMember(main, "Put", {"TableName": "shop", "Item": OTHER})])
