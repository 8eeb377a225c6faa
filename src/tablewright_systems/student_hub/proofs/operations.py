"""Proofs of operations: indexes, backups, exports, cost, the local endpoint, speed.

Costs are estimated by `tablewright cost`, by the month in workload.json; here they are what the store measures.
"""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tablewright import Connection, connect, embedded, errors
from tablewright_systems.student_hub.design import (
    DeadlinesDueOn,
    DeadlinesOf,
    ProfileOf,
    ProgressOf,
    deadlines,
    design,
    profiles,
)
from tablewright_systems.student_hub.proofs.feedback import say
from tablewright_systems.student_hub.proofs.fixtures import (
    deadline,
    everything_in,
    named,
    pages_of,
    restored,
    save,
    scratch_table,
    student,
    units,
    wait_until,
)
from tablewright_systems.student_hub.service.profiles import read_profile
from tablewright_systems.student_hub.service.progress import complete_step
from tablewright_systems.verification.proofs import ProofContext, Proofs

PROOFS = Proofs("student_hub")

# The document's own prices (724-726) and months (758-764): requests, and dollars for a million of them.
READS, WRITES = 0.30, 1.50
MONTH = (
    *((10_000, READS), (10_000, READS), (10_000, READS)),
    *((5_000, WRITES), (20_000, WRITES), (3_000, WRITES), (200, WRITES)),
)
MOST_REQUESTS = 2
FAR_AWAY = date(2031, 3, 15)


@PROOFS("F7", "002:950")
def add_an_index(context: ProofContext) -> None:
    """Add an index to a table with items: they are backfilled, and the table stays available."""
    call = context.db.connection.call
    definition = deadlines.definition("verify")
    index = definition.pop("GlobalSecondaryIndexes")[0]
    attributes = definition.pop("AttributeDefinitions")
    plain = {**definition, "AttributeDefinitions": attributes[:2]}
    with scratch_table(context, "deadlines", **plain) as name:
        old = {"userId": {"S": "ada"}, "deadlineId": {"S": "old"}, "dueDate": {"S": "2031-03-15"}}
        new = {**old, "deadlineId": {"S": "new"}}
        undated = {"userId": {"S": "ada"}, "deadlineId": {"S": "undated"}}
        for item in (old, undated):
            call("PutItem", {"TableName": name, "Item": item})
        request = {
            "TableName": name,
            "AttributeDefinitions": attributes[:3],
            "GlobalSecondaryIndexUpdates": [{"Create": index}],
        }
        call("UpdateTable", request)
        call("PutItem", {"TableName": name, "Item": new})
        wait_until(lambda: _status(call("DescribeTable", {"TableName": name})) == "ACTIVE")
        query = {
            "TableName": name,
            "IndexName": "DueDateIndex",
            "KeyConditionExpression": "dueDate = :date",
            "ExpressionAttributeValues": {":date": {"S": "2031-03-15"}},
        }
        with context.measured():
            context.eventually(lambda: _ids(call("Query", query)["Items"]) == {"old", "new"})


def _status(reply: dict[str, Any]) -> str:
    (index,) = reply["Table"]["GlobalSecondaryIndexes"]
    return str(index["IndexStatus"])


def _ids(items: list[dict[str, Any]]) -> set[str]:
    return {item["deadlineId"]["S"] for item in items}


@PROOFS("F9", "002:670")
def point_in_time_recovery(context: ProofContext) -> None:
    """Point-in-time recovery is off until enabled; then it restores a table to a new table."""
    call = context.db.connection.call
    item = {"userId": {"S": "ada"}, "firstName": {"S": "Ada"}}
    with scratch_table(context, "profiles", **profiles.definition("verify")) as name:
        assert _recovery(call("DescribeContinuousBackups", {"TableName": name})) == "DISABLED"
        call("PutItem", {"TableName": name, "Item": item})
        enabled = {"PointInTimeRecoveryEnabled": True}
        wait_until(
            lambda: _is_enabled(context, {"TableName": name, "PointInTimeRecoverySpecification": enabled})
        )
        target = f"{name}-restored"
        restore = {"SourceTableName": name, "TargetTableName": target, "UseLatestRestorableTime": True}
        with context.measured(), restored(context, "RestoreTableToPointInTime", restore):
            assert everything_in(context, target) == [item]


def _recovery(reply: dict[str, Any]) -> str:
    description = reply["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    return str(description["PointInTimeRecoveryStatus"])


def _is_enabled(context: ProofContext, request: dict[str, Any]) -> bool:
    """AWS rejects this for some seconds after a table was created."""
    try:
        return _recovery(context.db.connection.call("UpdateContinuousBackups", request)) == "ENABLED"
    except errors.ServiceError as error:
        if error.code != "ContinuousBackupsUnavailableException":
            raise
        return False


@PROOFS("F10", "002:693")
def on_demand_backup(context: ProofContext) -> None:
    """Back up a table before a major change, and restore it to another table."""
    ada = context.caller()
    call, name = context.db.connection.call, named(context, profiles)
    key = {"userId": {"S": ada.user_id}}
    save(context.db, ada, firstName="Ada", monthlyBudget="900")
    with context.measured():
        asked = {"TableName": name, "BackupName": "leavs-profiles-backup-2024-02-18"}
        backup = {"BackupArn": call("CreateBackup", asked)["BackupDetails"]["BackupArn"]}
        wait_until(lambda: _backup_status(call("DescribeBackup", backup)) == "AVAILABLE")
        save(context.db, ada, firstName="", monthlyBudget=900)
        target = f"{name}-{context.unique_id('restored')}"
        with restored(context, "RestoreTableFromBackup", {**backup, "TargetTableName": target}):
            found = call("GetItem", {"TableName": target, "Key": key, "ConsistentRead": True})["Item"]
    call("DeleteBackup", backup)
    assert (found["firstName"], found["monthlyBudget"]) == ({"S": "Ada"}, {"S": "900"})
    assert read_profile(context.db, ada, just_written=True).first_name is None


def _backup_status(reply: dict[str, Any]) -> str:
    return str(reply["BackupDescription"]["BackupDetails"]["BackupStatus"])


@PROOFS("F11", "002:702")
def export_to_a_bucket(context: ProofContext) -> None:
    """Export a table to a bucket as DynamoDB JSON and Ion, on an embedded engine with a folder as bucket."""
    with TemporaryDirectory() as buckets, embedded(buckets=buckets, clock=context.clock) as engine:
        archive = Path(buckets, "archive")
        archive.mkdir()
        db = connect(design, engine, environment="main", create=True)
        ada = context.caller()
        save(db, ada, firstName="Ada", rentCost=600, flightsBooked=False)
        name = db.context.table_name(profiles)
        arn = engine.call("DescribeTable", {"TableName": name})["Table"]["TableArn"]
        enabled = {"PointInTimeRecoveryEnabled": True}
        engine.call(
            "UpdateContinuousBackups", {"TableName": name, "PointInTimeRecoverySpecification": enabled}
        )
        for form in ("DYNAMODB_JSON", "ION"):
            asked = {"TableArn": arn, "S3Bucket": "archive", "ExportFormat": form}
            begun = engine.call("ExportTableToPointInTime", asked)["ExportDescription"]
            wait_until(partial(_is_exported, engine, begun["ExportArn"]))
        (lines,) = [gzip.decompress(file.read_bytes()) for file in archive.rglob("*.json.gz")]
        (item,) = [json.loads(line)["Item"] for line in lines.splitlines()]
        assert (item["userId"], item["rentCost"]) == ({"S": ada.user_id}, {"N": "600"})
        assert list(archive.rglob("*.ion.gz"))


def _is_exported(connection: Connection, arn: str) -> bool:
    reply = connection.call("DescribeExport", {"ExportArn": arn})["ExportDescription"]
    return bool(reply["ExportStatus"] == "COMPLETED")


@PROOFS("F12", "002:749")
def capacity_of_each_row(context: ProofContext) -> None:
    """Measure each row of the document's cost table; `tablewright cost` estimates the same."""
    assert round(sum(count * price for count, price in MONTH) / 1e6, 4) == 0.0513
    ada = student(context)
    save(context.db, ada, **dict.fromkeys(("packingNotes", "dailyLifeNotes", "budgetingNotes"), "x" * 900))
    measured = {
        "get profile": units(context, lambda: context.db.run(ProfileOf(user_id=ada.user_id))),
        "get progress": units(context, lambda: context.db.all(ProgressOf(user_id=ada.user_id))),
        "get deadlines": units(context, lambda: context.db.all(DeadlinesOf(user_id=ada.user_id))),
        "update profile": units(context, lambda: save(context.db, ada, firstName="Ada")),
        "mark step": units(context, lambda: complete_step(context.db, ada, "housing")),
        "create deadline": units(context, lambda: deadline(context, ada, FAR_AWAY, remind=False)),
        "create deadline to remind of": units(context, lambda: deadline(context, ada, FAR_AWAY)),
    }
    assert measured == {
        "get profile": 0.5,
        "get progress": 0.5,
        "get deadlines": 0.5,
        "update profile": 3.0,
        "mark step": 1.0,
        "create deadline": 2.0,
        "create deadline to remind of": 3.0,
    }


@contextmanager
def local_endpoint() -> Iterator[str]:
    """Start a local server, as a developer does."""
    command = [sys.executable, "-m", "tablewright", "serve", "--memory", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["endpoint"]
        finally:
            process.terminate()


@PROOFS("F18", "002:1027")
def local_testing(context: ProofContext) -> None:
    """Use a local endpoint with the code that runs on AWS."""
    with local_endpoint() as url, connect(design, url, environment="main", create=True) as db:
        ada = context.caller()
        saved = save(db, ada, firstName="Ada")
        assert db.run(ProfileOf(user_id=ada.user_id)) == saved


@PROOFS("F19", "002:1040")
def requests_of_the_command_line(context: ProofContext) -> None:
    """Run the five commands of the document; `create-backup`, the sixth, is F10."""
    save(context.db, context.caller("abc-123"), firstName="Ada")
    name, call = named(context, profiles), context.db.connection.call
    with context.measured():
        assert call("ListTables", {})["TableNames"]
        assert call("DescribeTable", {"TableName": name})["Table"]["TableStatus"] == "ACTIVE"
        got = call("GetItem", {"TableName": name, "Key": {"userId": {"S": "abc-123"}}})
        items = [item for page in pages_of(context, name) for item in page["Items"]]
        counted = sum(page["Count"] for page in pages_of(context, name, Select="COUNT"))
    assert got["Item"]["userId"] == {"S": "abc-123"}
    assert counted == len(items)


@PROOFS("F20", "002:275")
def latency_of_each_pattern(context: ProofContext) -> None:
    """Each pattern that the document gives a time for takes at most two requests, and no scan.

    `make bench ARGS=systems` reports the times; they depend on the machine.
    """
    ada = student(context)
    acts: list[Callable[[], Any]] = [
        lambda: context.db.run(ProfileOf(user_id=ada.user_id)),
        lambda: save(context.db, ada, firstName="Ada"),
        lambda: context.db.all(ProgressOf(user_id=ada.user_id)),
        lambda: complete_step(context.db, ada, "banking"),
        lambda: context.db.all(DeadlinesOf(user_id=ada.user_id)),
        lambda: deadline(context, ada, FAR_AWAY),
        lambda: say(context, "Great app!"),
        lambda: context.db.all(DeadlinesDueOn(due_date=FAR_AWAY)),
    ]
    with context.measured() as measurement:
        for act in acts:
            before = len(measurement.operations)
            act()
            assert 1 <= len(measurement.operations) - before <= MOST_REQUESTS
    assert "Scan" not in measurement.operations
