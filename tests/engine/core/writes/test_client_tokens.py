"""Client tokens: a repeated transaction is not applied twice within ten minutes."""

from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.core.state.catalog import TOKENS
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import (
    IdempotentParameterMismatch,
)
from tests.engine.core.operations.writing import NOTES, shop, text_item


def puts(count: int, size: int = 20) -> list[dict[str, Any]]:
    return [
        {"Put": {"TableName": "notes", "Item": text_item(size, f"{number:03}")}} for number in range(count)
    ]


def count_up(by: str) -> dict[str, Any]:
    return {
        "ClientRequestToken": "once",
        "TransactItems": [
            {
                "Update": {
                    "TableName": "notes",
                    "Key": {"id": {"S": "count"}},
                    "UpdateExpression": "ADD n :n",
                    "ExpressionAttributeValues": {":n": {"N": by}},
                }
            }
        ],
    }


def test_tokens_are_kept_for_ten_minutes_across_restarts(tmp_path: Path) -> None:
    clock = Clock(start=1_700_000_000)

    def restarted() -> Database:
        return Database(open_store(tmp_path / "data.db"), clock)

    db = restarted()
    db.call("CreateTable", NOTES)
    db.call("TransactWriteItems", count_up("1"))
    db.close()
    clock.advance(599)
    db = restarted()
    db.call("TransactWriteItems", count_up("1"))
    with pytest.raises(IdempotentParameterMismatch):
        db.call("TransactWriteItems", count_up("2"))
    db.close()
    clock.advance(1)
    db = restarted()
    db.call("TransactWriteItems", count_up("2"))
    assert db.call("GetItem", {"TableName": "notes", "Key": {"id": {"S": "count"}}})["Item"]["n"] == {
        "N": "3"
    }
    db.close()


def test_expired_tokens_are_deleted() -> None:
    with shop() as db:
        for number in range(5):
            db.call("TransactWriteItems", {"TransactItems": puts(1), "ClientRequestToken": f"token {number}"})
            db.clock.advance(200)
        db.clock.advance(1_000)
        db.call("TransactWriteItems", {"TransactItems": puts(1), "ClientRequestToken": "last"})
        assert db.sessions.read(lambda tx: tx.rows.totals(TOKENS)[0]) == 2


def test_bytes_and_their_base64_are_the_same_request() -> None:
    with shop() as db:
        for binary in (b"x", "eA=="):
            item = {"id": {"S": "a"}, "bin": {"B": binary}}
            put = {"Put": {"TableName": "notes", "Item": item}}
            db.call("TransactWriteItems", {"TransactItems": [put], "ClientRequestToken": "once"})
