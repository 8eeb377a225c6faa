"""Transactions of edits: a failed condition names the item, and nothing is written."""

from typing import Any

import pytest

from tablewright.console.editing.edit_transactions import transact
from tablewright.console.endpoints import Conflict
from tablewright.console.transaction_members import Member, conditioned
from tablewright.errors import TransactionCanceled
from tests.console.shop import main, open_shop

FIRST = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "ORDER#o1"}}
OTHER = {"PK": {"S": "x"}, "SK": {"S": "x"}}


def test_all_actions_or_none() -> None:
    opened = open_shop()
    with opened.db:
        put = Member(main, "Put", {"TableName": "shop", "Item": OTHER})
        delete = Member(main, "Delete", {"TableName": "shop", "Key": FIRST})
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
            transact(opened, [Member(main, "Put", {"TableName": "shop", "Item": OTHER})])
