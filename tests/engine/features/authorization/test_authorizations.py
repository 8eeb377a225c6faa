"""Authorizations: identity policies and resource policies decide over requests, and nothing evades them."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablewright.dynamodb.policies import Caller, Principal, parse_document
from tablewright.engine.database import Database
from tablewright.engine.features.authorization.authorizations import ADMINISTRATOR, REQUIRED, Authorization
from tablewright.errors import AccessDenied, ResourceNotFound
from tests.engine.features.authorization.permission_cases import TABLES, database

ITEM = {"artist": {"S": "ada"}, "song": {"S": "s"}}
OTHER = {"artist": {"S": "bob"}, "song": {"S": "s"}}


@pytest.fixture
def db() -> Iterator[Database]:
    made = database()
    for item in (ITEM, OTHER):
        made.call("PutItem", {"TableName": "music", "Item": {**item, "genre": {"S": "rock"}}})
    yield made
    made.close()


def allowed(*actions: str, condition: dict[str, Any] | None = None, **members: Any) -> Authorization:
    statement: dict[str, Any] = {
        "Effect": "Allow",
        "Action": [each if ":" in each else f"dynamodb:{each}" for each in actions],
        "Resource": "*",
        "Condition": condition or {},
        **members,
    }
    document = parse_document({"Version": "2012-10-17", "Statement": [statement]})
    return Authorization(Caller(Principal("user", "ada"), (document,)), "203.0.113.7", "boto3")


OWN = {
    "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]},
    "Null": {"dynamodb:LeadingKeys": "false"},
}


def test_an_allowed_request_runs(db: Database) -> None:
    assert db.call("GetItem", {"TableName": "music", "Key": ITEM}, allowed("GetItem"))["Item"]["artist"] == {
        "S": "ada"
    }


def test_a_denied_write_changes_nothing(db: Database) -> None:
    with pytest.raises(AccessDenied) as caught:
        db.call("DeleteItem", {"TableName": "music", "Key": ITEM}, allowed("GetItem"))
    assert caught.value.message == (
        "User: arn:aws:iam::123456789012:user/ada is not authorized to perform: dynamodb:DeleteItem on resource: "
        f"{TABLES}music because no identity-based policy allows the dynamodb:DeleteItem action"
    )
    assert "Item" in db.call("GetItem", {"TableName": "music", "Key": ITEM})


OWN_AND_OTHER: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "GetItem": lambda key: {"TableName": "music", "Key": key},
    "PutItem": lambda key: {"TableName": "music", "Item": key},
    "DeleteItem": lambda key: {"TableName": "music", "Key": key},
    "UpdateItem": lambda key: {"TableName": "music", "Key": key},
    "Query": lambda key: {
        "TableName": "music",
        "KeyConditionExpression": "artist = :a",
        "ExpressionAttributeValues": {":a": key["artist"]},
    },
    "BatchGetItem": lambda key: {"RequestItems": {"music": {"Keys": [key]}}},
    "BatchWriteItem": lambda key: {"RequestItems": {"music": [{"DeleteRequest": {"Key": key}}]}},
    "TransactGetItems": lambda key: {"TransactItems": [{"Get": {"TableName": "music", "Key": key}}]},
    "TransactWriteItems": lambda key: {"TransactItems": [{"Put": {"TableName": "music", "Item": key}}]},
    "ExecuteStatement": lambda key: {
        "Statement": "SELECT * FROM music WHERE artist = ?",
        "Parameters": [key["artist"]],
    },
}


@pytest.mark.parametrize("operation", OWN_AND_OTHER)
def test_leading_keys_limit_every_operation_on_items(db: Database, operation: str) -> None:
    by = allowed("*", condition=OWN)
    request = OWN_AND_OTHER[operation]
    db.call(operation, request(ITEM), by)
    with pytest.raises(AccessDenied):
        db.call(operation, request(OTHER), by)


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("Scan", {"TableName": "music"}),
        ("ExecuteStatement", {"Statement": "SELECT * FROM music"}),
        ("ExecuteStatement", {"Statement": "SELECT * FROM music WHERE artist IN ['ada', 'bob']"}),
        ("ExecuteStatement", {"Statement": "SELECT * FROM music WHERE artist = 'ada' OR song = 's'"}),
        ("BatchGetItem", {"RequestItems": {"music": {"Keys": [ITEM, OTHER]}}}),
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": {"TableName": "music", "Item": ITEM}},
                    {"Delete": {"TableName": "music", "Key": OTHER}},
                ]
            },
        ),
        (
            "Query",
            {
                "TableName": "music",
                "IndexName": "by-genre",
                "KeyConditionExpression": "genre = :g",
                "ExpressionAttributeValues": {":g": {"S": "rock"}},
            },
        ),
    ],
)
def test_requests_beyond_the_own_partition_are_denied(
    db: Database, operation: str, request_: dict[str, Any]
) -> None:
    with pytest.raises(AccessDenied):
        db.call(operation, request_, allowed("*", condition=OWN))


def test_each_write_of_a_transaction_needs_its_own_action(db: Database) -> None:
    writes = {
        "PutItem": {"Put": {"TableName": "music", "Item": ITEM}},
        "DeleteItem": {"Delete": {"TableName": "music", "Key": OTHER}},
        "ConditionCheckItem": {
            "ConditionCheck": {
                "TableName": "music",
                "Key": {"artist": {"S": "eve"}, "song": {"S": "s"}},
                "ConditionExpression": "attribute_not_exists(song)",
            }
        },
    }
    for missing in writes:
        by = allowed(*(action for action in writes if action != missing))
        with pytest.raises(AccessDenied, match=f"perform: dynamodb:{missing} on"):
            db.call("TransactWriteItems", {"TransactItems": list(writes.values())}, by)
    db.call("TransactWriteItems", {"TransactItems": list(writes.values())}, allowed(*writes))


def test_statements_of_a_batch_are_denied_one_by_one(db: Database) -> None:
    statements = [
        {"Statement": f"SELECT song FROM music WHERE artist = '{name}' AND song = 's'"}
        for name in ("ada", "bob")
    ]
    reply = db.call("BatchExecuteStatement", {"Statements": statements}, allowed("*", condition=OWN))
    mine, others = reply["Responses"]
    assert mine["Item"] == {"song": {"S": "s"}}
    assert others["Error"]["Code"] == "AccessDenied"
    assert "Item" not in others


def test_a_missing_table_is_not_shown_to_callers_without_rights(db: Database) -> None:
    with pytest.raises(AccessDenied):
        db.call("DescribeTable", {"TableName": "missing"}, allowed("GetItem"))
    with pytest.raises(ResourceNotFound):
        db.call("DescribeTable", {"TableName": "missing"}, allowed("DescribeTable"))


@pytest.mark.parametrize(
    ("condition", "is_allowed"),
    [
        ({"IpAddress": {"aws:SourceIp": "203.0.113.0/24"}}, True),
        ({"NotIpAddress": {"aws:SourceIp": "203.0.113.0/24"}}, False),
        ({"StringEquals": {"aws:UserAgent": "boto3"}}, True),
        ({"Bool": {"aws:SecureTransport": "true"}}, False),
        ({"StringEquals": {"aws:RequestedRegion": "us-east-1"}}, True),
        ({"DateGreaterThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}}, True),
        ({"NumericLessThan": {"aws:EpochTime": "10"}}, False),
        ({"StringEquals": {"aws:ResourceTag/team": "blue"}}, True),
        ({"StringEquals": {"aws:ResourceTag/team": "red"}}, False),
        ({"StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}}, False),
    ],
)
def test_facts_of_the_request_are_condition_keys(
    db: Database, condition: dict[str, Any], is_allowed: bool
) -> None:
    by = allowed("GetItem", condition=condition)
    if is_allowed:
        db.call("GetItem", {"TableName": "music", "Key": ITEM}, by)
    else:
        with pytest.raises(AccessDenied):
            db.call("GetItem", {"TableName": "music", "Key": ITEM}, by)


def put_policy(db: Database, arn: str = f"{TABLES}music", **members: Any) -> None:
    statement = {
        "Effect": "Allow",
        "Principal": {"AWS": "arn:aws:iam::123456789012:user/ada"},
        "Resource": "*",
    }
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement | members]})
    db.call("PutResourcePolicy", {"ResourceArn": arn, "Policy": policy})


ADA = Authorization(Caller(Principal("user", "ada")))
BOSS = Authorization(Caller(Principal("user", "boss"), (ADMINISTRATOR,)))


def test_a_resource_policy_allows_on_the_table_and_its_indexes(db: Database) -> None:
    put_policy(db, Action=["dynamodb:GetItem", "dynamodb:Scan"], Resource=[f"{TABLES}music*"])
    db.call("GetItem", {"TableName": "music", "Key": ITEM}, ADA)
    db.call("Scan", {"TableName": "music", "IndexName": "by-genre"}, ADA)
    with pytest.raises(AccessDenied):
        db.call("Scan", {"TableName": "counts"}, ADA)
    with pytest.raises(AccessDenied):
        db.call("DeleteItem", {"TableName": "music", "Key": ITEM}, ADA)


def test_a_resource_policy_denies_administrators_too(db: Database) -> None:
    db.call("Scan", {"TableName": "music"}, BOSS)
    put_policy(db, Effect="Deny", Principal="*", Action="dynamodb:Scan")
    with pytest.raises(AccessDenied, match="with an explicit deny in a resource-based policy"):
        db.call("Scan", {"TableName": "music"}, BOSS)
    db.call("GetItem", {"TableName": "music", "Key": ITEM}, BOSS)
    db.call("DeleteResourcePolicy", {"ResourceArn": f"{TABLES}music"}, BOSS)
    db.call("Scan", {"TableName": "music"}, BOSS)


def test_a_stream_has_a_policy_of_its_own(db: Database) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    arn = db.call("UpdateTable", {"TableName": "music", "StreamSpecification": stream})["TableDescription"][
        "LatestStreamArn"
    ]
    put_policy(db, Action="dynamodb:*")
    with pytest.raises(AccessDenied):
        db.call("DescribeStream", {"StreamArn": arn}, ADA)
    put_policy(db, arn, Action=["dynamodb:DescribeStream", "dynamodb:GetShardIterator"])
    shard = db.call("DescribeStream", {"StreamArn": arn}, ADA)["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = db.call(
        "GetShardIterator", {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}, ADA
    )
    with pytest.raises(AccessDenied, match="dynamodb:GetRecords"):
        db.call("GetRecords", {"ShardIterator": iterator["ShardIterator"]}, ADA)


def test_an_operation_that_is_not_mapped_is_denied(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(REQUIRED, "ListTables")
    with pytest.raises(AccessDenied, match="The permissions of ListTables are not known"):
        db.call("ListTables", {}, BOSS)


def test_without_a_caller_nothing_is_checked(db: Database) -> None:
    put_policy(db, Effect="Deny", Principal="*", Action="dynamodb:*")
    db.call("Scan", {"TableName": "music"})
