"""Resource policies: revisions, expected revisions, and the resources that have policies."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import PolicyNotFound, ResourceNotFound, ValidationError
from tests.engine.table_cases import request_of

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/music"
MISSING = "Resource-based policy not found for the provided ResourceArn: "


def policy(action: str = "dynamodb:*") -> str:
    principal = {"AWS": "123456789012"}
    statement = {"Effect": "Allow", "Principal": principal, "Action": action, "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=1_700_000_000.0))
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    database.call("CreateTable", {**request_of("music", "artist | artist:S"), "StreamSpecification": stream})
    yield database
    database.close()


def put(db: Database, text: str | None = None, arn: str = ARN, **members: Any) -> str:
    reply = db.call("PutResourcePolicy", {"ResourceArn": arn, "Policy": text or policy(), **members})
    return str(reply["RevisionId"])


def get(db: Database, arn: str = ARN) -> dict[str, Any]:
    return db.call("GetResourcePolicy", {"ResourceArn": arn})


def delete(db: Database, arn: str = ARN, **members: Any) -> dict[str, Any]:
    return db.call("DeleteResourcePolicy", {"ResourceArn": arn, **members})


def test_a_policy_is_shown_with_its_revision(db: Database) -> None:
    revision = put(db)
    assert revision == "1700000000000"
    assert get(db)["RevisionId"] == revision
    assert json.loads(get(db)["Policy"])["Statement"][0]["Action"] == "dynamodb:*"


def test_the_same_policy_keeps_its_revision_and_another_gets_a_later_one(db: Database) -> None:
    first = put(db)
    assert put(db) == first
    assert int(put(db, policy("dynamodb:GetItem"))) > int(first)


def test_an_expected_revision_must_be_the_current_one(db: Database) -> None:
    first = put(db, ExpectedRevisionId="NO_POLICY")
    second = put(db, policy("dynamodb:GetItem"), ExpectedRevisionId=first)
    for change in (lambda: put(db, ExpectedRevisionId=first), lambda: delete(db, ExpectedRevisionId=first)):
        with pytest.raises(PolicyNotFound) as caught:
            change()
        assert caught.value.message == (
            f"{MISSING}Requested update for policy with revision id {first}, but the policy associated to target "
            f"table music has revision id {second}."
        )
    with pytest.raises(PolicyNotFound) as caught:
        put(db, ExpectedRevisionId="NO_POLICY")
    assert caught.value.message == (
        f"{MISSING}Requested policy update expecting none to be present for table music, but a policy exists with "
        f"revision id {second}."
    )
    assert get(db)["RevisionId"] == second


def test_without_a_policy_there_is_no_revision(db: Database) -> None:
    with pytest.raises(PolicyNotFound) as caught:
        get(db)
    assert caught.value.message == MISSING + ARN
    with pytest.raises(PolicyNotFound, match="but table music has no associated policy"):
        put(db, ExpectedRevisionId="1")
    assert delete(db) == {}


def test_a_deletion_returns_the_removed_revision_and_has_its_own(db: Database) -> None:
    first = put(db)
    db.clock.advance(1)
    assert delete(db) == {"RevisionId": first}
    with pytest.raises(PolicyNotFound):
        get(db)
    assert delete(db) == {"RevisionId": "1700000001000"}
    assert int(put(db)) > 1_700_000_001_000


def test_a_stream_has_a_policy_of_its_own(db: Database) -> None:
    stream = db.call("DescribeTable", {"TableName": "music"})["Table"]["LatestStreamArn"]
    put(db, policy("dynamodb:GetRecords"), arn=stream)
    with pytest.raises(PolicyNotFound):
        get(db)
    put(db)
    assert "GetRecords" in get(db, stream)["Policy"]
    delete(db, stream)
    assert get(db)["RevisionId"]
    missing = stream[:-1] + "9"
    with pytest.raises(ResourceNotFound) as caught:
        get(db, missing)
    label = missing.rpartition("/")[2]
    assert caught.value.message == (
        f"Requested resource not found: Stream: {label} not found for Table: music"
    )


def test_create_table_attaches_a_policy(db: Database) -> None:
    request = request_of("films", "id | id:S")
    db.call("CreateTable", {**request, "ResourcePolicy": policy()})
    assert "dynamodb:*" in get(db, ARN.replace("music", "films"))["Policy"]
    with pytest.raises(ValidationError, match="This policy contains invalid Json"):
        db.call("CreateTable", {**request, "TableName": "books", "ResourcePolicy": "{"})
    assert "books" not in db.call("ListTables", {})["TableNames"]


def test_a_policy_ends_with_its_table(db: Database) -> None:
    put(db)
    db.call("DeleteTable", {"TableName": "music"})
    with pytest.raises(ResourceNotFound, match="Table: music not found"):
        get(db)
    db.call("CreateTable", request_of("music", "artist | artist:S"))
    with pytest.raises(PolicyNotFound):
        get(db)


INVALID = "One or more parameter values were invalid: "


@pytest.mark.parametrize(
    ("arn", "message"),
    [
        ("music", INVALID + "ARNs must start with 'arn:': music"),
        (
            ARN.replace("123456789012", "210987654321"),
            "This action is only supported by accounts that match the resource owner\u2019s account.",
        ),
        (
            ARN.replace("us-east-1", "eu-west-1"),
            INVALID + "Invalid resource Arn: " + ARN.replace("us-east-1", "eu-west-1"),
        ),
        (
            f"{ARN}/index/by-song",
            f"{INVALID}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: "
            f"{ARN}/index/by-song",
        ),
        (f"{ARN}/backup/0170", f"{INVALID}Provided Arn is not a DynamoDB resource arn: {ARN}/backup/0170"),
    ],
)
def test_other_arns_are_rejected(db: Database, arn: str, message: str) -> None:
    for change in (lambda: get(db, arn), lambda: put(db, arn=arn), lambda: delete(db, arn)):
        with pytest.raises(ValidationError) as caught:
            change()
        assert caught.value.message == message


def test_the_policy_is_required() -> None:
    db = Database(open_store())
    with pytest.raises(ValidationError, match="Value null at 'policy' failed to satisfy constraint"):
        db.call("PutResourcePolicy", {"ResourceArn": "arn:aws:dynamodb:us-east-1:123456789012:table/music"})
    db.close()


def test_the_arn_is_required() -> None:
    db = Database(open_store())
    with pytest.raises(ValidationError, match="Value null at 'resourceArn' failed to satisfy constraint"):
        db.call("GetResourcePolicy", {})
    db.close()
