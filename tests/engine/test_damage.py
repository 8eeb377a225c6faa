"""A damaged file: reading a damaged part is an error with advice, and the rest stays readable."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tablewright.connections import Embedded, embedded
from tablewright.engine.state.catalog import CATALOG
from tablewright.errors import StoreError

TABLE = {
    "TableName": "Damaged",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
KEY = {"pk": {"S": "torn"}}
UPDATE = {
    "UpdateExpression": "SET #name = :value",
    "ExpressionAttributeNames": {"#name": "x"},
    "ExpressionAttributeValues": {":value": {"S": "x"}},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.db"
    with embedded(path) as db:
        db.call("CreateTable", TABLE)
        for name in ("torn", "whole"):
            db.call("PutItem", {"TableName": "Damaged", "Item": {"pk": {"S": name}}})
    return path


def damage(path: Path, space: str, where: str) -> None:
    with sqlite3.connect(path) as connection:
        assert connection.execute(f"UPDATE {space} SET body = '#' || body WHERE {where}").rowcount == 1
    connection.close()


def test_a_damaged_table_definition_is_reported_on_open(file: Path) -> None:
    damage(file, f"space_{CATALOG}", "key = CAST('Damaged' AS BLOB)")
    with pytest.raises(StoreError, match=r"is damaged .* restore it from a backup"):
        embedded(file)


@pytest.mark.parametrize(
    "meet",
    [
        lambda db: db.call("GetItem", {"TableName": "Damaged", "Key": KEY}),
        lambda db: db.call("Scan", {"TableName": "Damaged"}),
        lambda db: db.call("UpdateItem", {"TableName": "Damaged", "Key": KEY} | UPDATE),
        lambda db: db.call("DeleteItem", {"TableName": "Damaged", "Key": KEY, "ReturnValues": "ALL_OLD"}),
    ],
)
def test_reading_a_damaged_item_reports_the_damage(file: Path, meet: Callable[[Embedded], object]) -> None:
    with embedded(file) as db:
        space = db._open().state.catalog.table("Damaged").space
    damage(file, f"space_{space}", "instr(body, 'torn') > 0")
    with embedded(file) as db:
        with pytest.raises(StoreError, match=r"is damaged .* restore it from a backup"):
            meet(db)
        assert db.call("GetItem", {"TableName": "Damaged", "Key": {"pk": {"S": "whole"}}})["Item"]
