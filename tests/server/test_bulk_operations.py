"""Bulk operations over the wire: raw requests, as boto3 may not know the operations yet."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import boto_client
from tests.server.processes import ServerProcess

POLLS = 10_000


def call(server: ServerProcess, operation: str, request: dict[str, Any]) -> dict[str, Any]:
    headers = {
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        "Content-Type": "application/x-amz-json-1.0",
        "Authorization": "AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host, Signature=0",
    }
    body = urllib.request.Request(server.url, json.dumps(request).encode(), headers)
    with urllib.request.urlopen(body) as reply:
        return json.load(reply)  # type: ignore[no-any-return]


@pytest.fixture
def loaded(tmp_path: Path) -> Any:
    (tmp_path / "buckets" / "files").mkdir(parents=True)
    lines = (json.dumps({"Item": {"id": {"S": f"u{number}"}}}) for number in range(3000))
    (tmp_path / "buckets" / "files" / "users.json").write_text("\n".join(lines))
    with ServerProcess("--on", str(tmp_path / "app.db"), "--buckets", str(tmp_path / "buckets")) as process:
        boto_client(process).create_table(
            TableName="users",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        yield process


def test_an_operation_is_started_polled_listed_and_not_cancelled(loaded: ServerProcess) -> None:
    started = call(
        loaded,
        "StartBulkPutItems",
        {
            "TableName": "users",
            "InputS3Configuration": {"S3Bucket": "files", "InputFormat": "DYNAMODB_JSON"},
            "OutputS3Configuration": {"S3Bucket": "files", "OutputType": ["ERROR"]},
        },
    )["BulkOperationDescription"]
    assert started["BulkOperationStatus"] == "IN_PROGRESS"
    arn = {"BulkOperationArn": started["BulkOperationArn"]}
    polled = (call(loaded, "DescribeBulkOperation", arn)["BulkOperationDescription"] for _ in range(POLLS))
    found = next(each for each in polled if each["BulkOperationStatus"] != "IN_PROGRESS")
    assert (found["BulkOperationStatus"], found["ProcessedItemCount"]) == ("COMPLETED", 3000)
    [listed] = call(loaded, "ListBulkOperations", {})["BulkOperationsSummaryList"]
    assert listed["BulkOperationArn"] == started["BulkOperationArn"]
    assert boto_client(loaded).scan(TableName="users", Select="COUNT")["Count"] == 3000
    with pytest.raises(urllib.error.HTTPError) as caught:
        call(loaded, "CancelBulkOperation", arn)
    assert caught.value.code == 400
    assert "its status is COMPLETED" in json.load(caught.value)["message"]
