"""Transactions: rejected as a whole, or canceled with a reason for each action."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.state.catalog import TOKENS
from tablewright.engine.core.writes.item_writes import (
    UNCONDITIONAL,
    DeleteItemWrite,
    PutItemWrite,
    Write,
    write_condition_of,
)
from tablewright.engine.core.writes.transactions import MAX_SIZE, changes, item_keys, require_size
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import (
    IdempotentParameterMismatch,
    TransactionCanceled,
    ValidationError,
)
from tests.engine.core.operations.music_table import item, open_music, put
from tests.engine.core.operations.writing import NOTES, shop, text_item


@pytest.fixture
def db() -> Iterator[Database]:
    with open_music() as database:
        yield database


def put_of(attributes: dict[str, Any], condition: str | None = None) -> PutItemWrite:
    request = {} if condition is None else {"ConditionExpression": condition}
    return PutItemWrite("music", StoredItem.of(attributes, 10), write_condition_of(request))


def test_changes_are_computed_and_not_applied(db: Database) -> None:
    put(db, "nina")
    writes: list[Write] = [put_of(item("ella")), DeleteItemWrite("music", item("nina"), UNCONDITIONAL)]
    first, second = db.sessions.write(lambda tx: changes(tx, writes))
    assert (first.old, second.new) == (None, None)
    assert second.old is not None
    assert db.call("Scan", {"TableName": "music", "Select": "COUNT"})["Count"] == 1


def test_every_failed_condition_is_a_reason(db: Database) -> None:
    failing = "attribute_exists(artist)"
    writes = [put_of(item("a"), failing), put_of(item("b")), put_of(item("c"), failing)]
    with pytest.raises(TransactionCanceled) as caught:
        db.sessions.write(lambda tx: changes(tx, writes))
    codes = [reason["Code"] for reason in caught.value.reasons]
    assert codes == ["ConditionalCheckFailed", "None", "ConditionalCheckFailed"]


def test_only_the_first_key_that_does_not_fit_is_a_reason(db: Database) -> None:
    writes = [put_of(item("a")), put_of({"artist": {"N": "1"}}), put_of({"other": {"S": "x"}})]
    with pytest.raises(TransactionCanceled) as caught:
        db.sessions.read(lambda tx: item_keys(tx, writes))
    assert [reason["Code"] for reason in caught.value.reasons] == ["None", "ValidationError", "None"]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [(item("a"), "multiple operations on one item"), (item(""), "empty string value")],
)
def test_a_repeated_item_and_an_empty_key_reject_the_request(
    db: Database, attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        db.sessions.read(lambda tx: item_keys(tx, [put_of(item("a")), put_of(attributes)]))


def test_a_transaction_has_at_most_4_megabytes() -> None:
    require_size(MAX_SIZE)
    with pytest.raises(ValidationError):
        require_size(MAX_SIZE + 1)


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
