"""Backups over the wire: with boto3, and with the commands that AWS documents."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import boto_client
from tests.server.processes import ServerProcess
from tests.server.test_clients import aws

TABLE = "leavs-main-user-profiles"
# Copied from the document of Student Hub.
DOCUMENTED = """\
aws dynamodb create-backup \\
  --table-name leavs-main-user-profiles \\
  --backup-name leavs-profiles-backup-2024-02-18
"""
ASKED = 10_000


@pytest.fixture(scope="module")
def buckets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("buckets")
    (folder / "archive").mkdir()
    return folder


@pytest.fixture(scope="module")
def keeper(tmp_path_factory: pytest.TempPathFactory, buckets: Path) -> Iterator[ServerProcess]:
    """A server on a file, with a table of 3,000 items: more than one piece of a copy."""
    data = tmp_path_factory.mktemp("data") / "app.db"
    with ServerProcess("--on", str(data), "--buckets", str(buckets)) as process:
        client = boto_client(process)
        client.create_table(
            TableName=TABLE,
            KeySchema=[{"AttributeName": "userId", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "userId", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        for start in range(0, 3000, 25):
            puts = [{"PutRequest": {"Item": {"userId": {"S": f"u{n}"}}}} for n in range(start, start + 25)]
            client.batch_write_item(RequestItems={TABLE: puts})
        yield process


def settled(ask: Any, member: str, status: str, unsettled: str) -> Any:
    """Poll until the job is over and return the last reply. Each poll is a request, so no pause is needed."""
    for _ in range(ASKED):
        found = ask()[member]
        inner = found.get("BackupDetails", found)
        if inner[status] != unsettled:
            return inner
    raise AssertionError(f"it is still {unsettled}")


def test_the_documented_command(keeper: ServerProcess) -> None:
    program, service, *arguments = shlex.split(DOCUMENTED.replace("\\\n", ""))
    assert (program, service) == ("aws", "dynamodb")
    made = aws(keeper, *arguments)["BackupDetails"]
    assert made["BackupName"] == "leavs-profiles-backup-2024-02-18"
    client = boto_client(keeper)
    arn = made["BackupArn"]
    settled(lambda: client.describe_backup(BackupArn=arn), "BackupDescription", "BackupStatus", "CREATING")
    listed = aws(keeper, "list-backups", "--table-name", TABLE)["BackupSummaries"]
    assert arn in [backup["BackupArn"] for backup in listed]
    aws(keeper, "restore-table-from-backup", "--target-table-name", "restored", "--backup-arn", arn)
    described = settled(
        lambda: client.describe_table(TableName="restored"), "Table", "TableStatus", "CREATING"
    )
    assert (described["TableStatus"], described["ItemCount"]) == ("ACTIVE", 3000)


def test_recovery_export_and_import(keeper: ServerProcess, buckets: Path) -> None:
    on = "PointInTimeRecoveryEnabled=true"
    described = aws(
        keeper,
        "update-continuous-backups",
        "--table-name",
        TABLE,
        "--point-in-time-recovery-specification",
        on,
    )["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert described["PointInTimeRecoveryStatus"] == "ENABLED"
    assert described["RecoveryPeriodInDays"] == 35
    aws(
        keeper,
        "restore-table-to-point-in-time",
        *("--source-table-name", TABLE, "--target-table-name", "latest", "--use-latest-restorable-time"),
    )
    client = boto_client(keeper)
    arn = client.describe_table(TableName=TABLE)["Table"]["TableArn"]
    begun = aws(keeper, "export-table-to-point-in-time", "--table-arn", arn, "--s3-bucket", "archive")
    export = begun["ExportDescription"]["ExportArn"]
    ended = settled(
        lambda: client.describe_export(ExportArn=export), "ExportDescription", "ExportStatus", "IN_PROGRESS"
    )
    assert (ended["ExportStatus"], ended["ItemCount"]) == ("COMPLETED", 3000)
    assert json.loads((buckets / "archive" / ended["ExportManifest"]).read_text())["itemCount"] == 3000
    begun = client.import_table(
        S3BucketSource={
            "S3Bucket": "archive",
            "S3KeyPrefix": ended["ExportManifest"].replace("manifest-summary.json", "data/"),
        },
        InputFormat="DYNAMODB_JSON",
        InputCompressionType="GZIP",
        TableCreationParameters={
            "TableName": "imported",
            "KeySchema": [{"AttributeName": "userId", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "userId", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    arn = begun["ImportTableDescription"]["ImportArn"]
    ended = settled(
        lambda: client.describe_import(ImportArn=arn), "ImportTableDescription", "ImportStatus", "IN_PROGRESS"
    )
    assert (ended["ImportStatus"], ended["ImportedItemCount"]) == ("COMPLETED", 3000)
    assert client.scan(TableName="imported", Select="COUNT")["Count"] == 3000
    described = settled(lambda: client.describe_table(TableName="latest"), "Table", "TableStatus", "CREATING")
    assert (described["TableStatus"], described["ItemCount"]) == ("ACTIVE", 3000)


def test_errors_have_their_codes(keeper: ServerProcess) -> None:
    client = boto_client(keeper)
    arn = f"arn:aws:dynamodb:us-east-1:123456789012:table/{TABLE}/backup/01700000000000-0badf00d"
    with pytest.raises(client.exceptions.BackupNotFoundException, match="Backup not found"):
        client.describe_backup(BackupArn=arn)
    with pytest.raises(client.exceptions.TableNotFoundException, match="Table not found: missing"):
        client.create_backup(TableName="missing", BackupName="kept")
