"""The permissions of requests about tables: golden cases, and the objects of buckets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.policies import Caller, Principal, parse_document
from tablewright.engine.database import Database
from tablewright.engine.features.authorization.authorizations import Authorization
from tablewright.engine.features.authorization.table_permissions import (
    Resource,
    any_table_arn,
    canonical_arn,
    key_text,
    partition_keys,
)
from tablewright.errors import AccessDenied
from tests.engine.features.authorization.permission_cases import TABLES, database, play

ALLOW_ALL = {"Effect": "Allow", "Action": "*", "Resource": "*"}


def test_the_permissions_of_requests_about_tables(update_golden: bool) -> None:
    play("tables.txt", update=update_golden)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A database with the buckets `in`, which has a public and a secret object, and `out`."""
    for name in ("in/pub", "in/secret", "out"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("in/pub/a.json", "in/secret/b.json"):
        (tmp_path / name).write_text('{"Item": {"n": {"N": "1"}}}\n')
    made = database(buckets=tmp_path)
    yield made
    made.close()


def caller(*statements: dict[str, Any]) -> Authorization:
    document = parse_document({"Version": "2012-10-17", "Statement": list(statements)})
    return Authorization(Caller(Principal("user", "ada"), (document,)))


def denied(*objects: str) -> Authorization:
    arns = [f"arn:aws:s3:::{each}" for each in objects]
    return caller(ALLOW_ALL, {"Effect": "Deny", "Action": "s3:*", "Resource": arns})


def bulk(prefix: str | None, reports: str = "") -> dict[str, Any]:
    source = {"S3Bucket": "in", "InputFormat": "DYNAMODB_JSON"}
    return {
        "TableName": "counts",
        "InputS3Configuration": source if prefix is None else {**source, "S3KeyPrefix": prefix},
        "OutputS3Configuration": {"S3Bucket": "out", "S3KeyPrefix": reports, "OutputType": ["ERROR"]},
    }


def table_import(prefix: str | None) -> dict[str, Any]:
    return {
        "S3BucketSource": {"S3Bucket": "in", **({"S3KeyPrefix": prefix} if prefix else {})},
        "InputFormat": "DYNAMODB_JSON",
        "ClientToken": "t",
        "TableCreationParameters": {
            "TableName": "imported",
            "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "n", "AttributeType": "N"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    }


@pytest.mark.parametrize("prefix", ["secret/", "secret", "s", "", None])
def test_a_shorter_prefix_does_not_evade_a_denied_object(db: Database, prefix: str | None) -> None:
    with pytest.raises(AccessDenied, match=r"in/secret/b\.json"):
        db.call("StartBulkPutItems", bulk(prefix), denied("in/secret/*"))
    with pytest.raises(AccessDenied, match=r"in/secret/b\.json"):
        db.call("ImportTable", table_import(prefix), denied("in/secret/*"))


@pytest.mark.parametrize("prefix", ["pub/", "pub", "pub/a.json"])
def test_a_prefix_of_allowed_objects_only_is_allowed(db: Database, prefix: str) -> None:
    others = {"Effect": "Allow", "NotAction": "s3:GetObject", "Resource": "*"}
    readable = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::in/pub/*"}
    db.call("StartBulkPutItems", bulk(prefix), caller(others, readable))
    db.call("ImportTable", table_import(prefix), caller(others, readable))


@pytest.mark.parametrize("prefix", ["none", ""])
def test_without_an_object_the_permission_is_on_the_prefix(db: Database, prefix: str) -> None:
    request = bulk(prefix)
    request["InputS3Configuration"]["S3Bucket"] = "out"
    with pytest.raises(AccessDenied, match=f"out/{prefix} "):
        db.call("StartBulkPutItems", request, denied(f"out/{prefix}"))


@pytest.mark.parametrize("prefix", ["secret", "secret/", "/secret", "//secret//"])
@pytest.mark.parametrize("pattern", ["out/secret/*", "out/*/error.json", "out/*/manifest-summary.json"])
def test_the_keys_of_reports_are_checked(db: Database, prefix: str, pattern: str) -> None:
    with pytest.raises(AccessDenied, match="out/secret/AWSDynamoDB/"):
        db.call("StartBulkPutItems", bulk("pub/", prefix), denied(pattern))


def test_reports_of_kinds_that_were_not_requested_are_not_checked(db: Database) -> None:
    db.call("StartBulkPutItems", bulk("pub/", "secret"), denied("out/*/condition_check_failure.json"))


@pytest.mark.parametrize("pattern", ["out/secret/*", "out/*/manifest-files.json", "out/*/data/*"])
def test_the_keys_of_exports_are_checked(db: Database, pattern: str) -> None:
    request = {"TableArn": f"{TABLES}counts", "S3Bucket": "out", "S3Prefix": "/secret"}
    with pytest.raises(AccessDenied, match="out/secret/AWSDynamoDB/"):
        db.call("ExportTableToPointInTime", request, denied(pattern))


@pytest.mark.parametrize(
    "name", ["music", f"{TABLES}music", "arn:aws:dynamodb:eu-west-1:210987654321:table/music"]
)
def test_a_table_has_one_arn_whatever_the_request_calls_it(name: str) -> None:
    db = database()
    assert db.sessions.read(lambda tx: Resource(tx, name).arn) == f"{TABLES}music"
    assert db.sessions.read(lambda tx: Resource(tx, name, "by-genre").arn) == f"{TABLES}music/index/by-genre"


def test_key_names_are_those_of_the_table_or_index() -> None:
    db = database()
    found = [("music", None), ("music", "by-genre"), ("music", "missing"), ("missing", None)]
    names = db.sessions.read(lambda tx: [Resource(tx, *each).key_names for each in found])
    assert names == [("artist",), ("genre",), (), ()]


def test_other_arns_get_this_region_and_account() -> None:
    db = database()
    given = "arn:aws:dynamodb:eu-west-1:210987654321:table/music/backup/1"
    assert db.sessions.read(lambda tx: canonical_arn(tx, given)) == f"{TABLES}music/backup/1"
    assert db.sessions.read(lambda tx: canonical_arn(tx, "nonsense")) == "nonsense"
    assert db.sessions.read(lambda tx: any_table_arn(tx, "stream", "music")) == f"{TABLES}music/stream/*"


def test_partition_keys_of_several_attributes() -> None:
    keys = partition_keys([("a", "x"), ("a", "y"), ()])
    assert keys["LeadingKeys"] == keys["FirstPartitionKeyValues"] == ["a"]
    assert keys["SecondPartitionKeyValues"] == ["x", "y"]
    assert key_text({"B": "AQI="}) == "AQI="
