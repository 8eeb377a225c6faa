"""ARNs of tables: only a table's own ARN finds it, not one of another region or account."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import AccessDenied, ResourceNotFound, ServiceError, ValidationError
from tests.engine.table_cases import request_of

MUSIC = request_of("music", "artist | artist:S")
OWN = "arn:aws:dynamodb:us-east-1:123456789012:table/music"
OTHER_REGION = "arn:aws:dynamodb:eu-west-1:123456789012:table/music"
OTHER_ACCOUNT = "arn:aws:dynamodb:us-east-1:210987654321:table/music"
KEY = {"artist": {"S": "ada"}}


@pytest.fixture
def db() -> Iterator[Database]:
    made = Database(open_store())
    made.call("CreateTable", MUSIC)
    yield made
    made.close()


def requests_of(name: str) -> dict[str, dict[str, Any]]:
    return {
        "DescribeTable": {"TableName": name},
        "DescribeTimeToLive": {"TableName": name},
        "DescribeContinuousBackups": {"TableName": name},
        "UpdateContinuousBackups": {
            "TableName": name,
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
        },
        "CreateBackup": {"TableName": name, "BackupName": "first"},
        "UpdateTable": {"TableName": name, "DeletionProtectionEnabled": False},
        "PutItem": {"TableName": name, "Item": KEY},
        "GetItem": {"TableName": name, "Key": KEY},
        "UpdateItem": {"TableName": name, "Key": KEY},
        "DeleteItem": {"TableName": name, "Key": KEY},
        "Scan": {"TableName": name},
        "Query": {
            "TableName": name,
            "KeyConditionExpression": "artist = :a",
            "ExpressionAttributeValues": {":a": {"S": "ada"}},
        },
        "BatchGetItem": {"RequestItems": {name: {"Keys": [KEY]}}},
        "BatchWriteItem": {"RequestItems": {name: [{"PutRequest": {"Item": KEY}}]}},
        "TransactGetItems": {"TransactItems": [{"Get": {"TableName": name, "Key": KEY}}]},
        "TransactWriteItems": {"TransactItems": [{"Delete": {"TableName": name, "Key": KEY}}]},
        "DeleteTable": {"TableName": name},
    }


@pytest.mark.parametrize("operation", requests_of(OWN))
def test_the_own_arn_of_a_table_finds_it(db: Database, operation: str) -> None:
    db.call(operation, requests_of(OWN)[operation])


@pytest.mark.parametrize("operation", requests_of(OWN))
def test_an_arn_of_another_region_is_rejected(db: Database, operation: str) -> None:
    with pytest.raises(ValidationError) as caught:
        db.call(operation, requests_of(OTHER_REGION)[operation])
    assert caught.value.message == f"1 validation error detected: Invalid AWS region in '{OTHER_REGION}'"
    assert db.call("ListTables", {})["TableNames"] == ["music"]
    assert db.call("Scan", {"TableName": "music"})["Count"] == 0


@pytest.mark.parametrize("operation", requests_of(OWN))
def test_an_arn_of_another_account_finds_no_table(db: Database, operation: str) -> None:
    with pytest.raises(ServiceError) as caught:
        db.call(operation, requests_of(OTHER_ACCOUNT)[operation])
    assert isinstance(caught.value, ResourceNotFound) or caught.value.code == "TableNotFoundException"
    assert db.call("ListTables", {})["TableNames"] == ["music"]
    assert db.call("Scan", {"TableName": "music"})["Count"] == 0


def test_no_table_is_created_by_an_arn_of_another_region_or_account(db: Database) -> None:
    with pytest.raises(ValidationError, match="Invalid AWS region in"):
        db.call("CreateTable", {**MUSIC, "TableName": OTHER_REGION.replace("music", "films")})
    with pytest.raises(AccessDenied):
        db.call("CreateTable", {**MUSIC, "TableName": OTHER_ACCOUNT.replace("music", "films")})
    assert db.call("ListTables", {})["TableNames"] == ["music"]
    db.call("CreateTable", {**MUSIC, "TableName": OWN.replace("music", "films")})
    assert db.call("ListTables", {})["TableNames"] == ["films", "music"]
