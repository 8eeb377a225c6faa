"""Proofs of operations: indexes, backups, exports, cost, the local endpoint, speed.

`tablewright cost` estimates costs from the month in workload.json, with the document's prices in prices.json.
"""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from timeit import timeit
from typing import Any

from tablewright import (
    Clock,
    Connection,
    Faults,
    Repository,
    Table,
    billing,
    connect,
    embedded,
    errors,
)
from tablewright_systems.student_hub import design as design_module
from tablewright_systems.student_hub.design import (
    DeadlinesOf,
    ProfileOf,
    ProgressOf,
    UserProfile,
    deadlines,
    design,
    profiles,
)
from tablewright_systems.student_hub.proofs.administration import say
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
from tablewright_systems.student_hub.service.profiles import read_dashboard, read_profile
from tablewright_systems.student_hub.service.progress import complete_step, start_step
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("student_hub")

RUNS = 5
FAR_AWAY = date(2031, 3, 15)


@PROOFS("F7")
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
        number = {"TableName": name, "Item": {**old, "dueDate": {"N": "20310315"}}}
        expect_error(errors.ValidationError, lambda: call("PutItem", number))


def _status(reply: dict[str, Any]) -> str:
    (index,) = reply["Table"]["GlobalSecondaryIndexes"]
    return str(index["IndexStatus"])


def _ids(items: list[dict[str, Any]]) -> set[str]:
    return {item["deadlineId"]["S"] for item in items}


@PROOFS("F9")
def point_in_time_recovery(context: ProofContext) -> None:
    """Point-in-time recovery is off until enabled; then it restores a table to a new table."""
    call = context.db.connection.call
    item = {"userId": {"S": "ada"}, "firstName": {"S": "Ada"}}
    with scratch_table(context, "profiles", **profiles.definition("verify")) as name:
        assert _recovery(call("DescribeContinuousBackups", {"TableName": name})) == "DISABLED"
        call("PutItem", {"TableName": name, "Item": item})
        target = f"{name}-restored"
        restore = {"SourceTableName": name, "TargetTableName": target, "UseLatestRestorableTime": True}
        expect_error(errors.ServiceError, lambda: call("RestoreTableToPointInTime", restore))
        enabled = {"PointInTimeRecoveryEnabled": True}
        wait_until(
            lambda: _is_enabled(context, {"TableName": name, "PointInTimeRecoverySpecification": enabled})
        )
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


@PROOFS("F10")
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
            item = call("GetItem", {"TableName": target, "Key": key, "ConsistentRead": True})["Item"]
        over = {**backup, "TargetTableName": name}
        expect_error(errors.ServiceError, lambda: call("RestoreTableFromBackup", over))
    call("DeleteBackup", backup)
    assert (item["firstName"], item["monthlyBudget"]) == ({"S": "Ada"}, {"S": "900"})
    assert read_profile(context.db, ada, just_written=True).first_name is None


def _backup_status(reply: dict[str, Any]) -> str:
    return str(reply["BackupDescription"]["BackupDetails"]["BackupStatus"])


@PROOFS("F11")
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
        unavailable = {"TableArn": arn, "S3Bucket": "archive"}
        expect_error(errors.ServiceError, lambda: engine.call("ExportTableToPointInTime", unavailable))
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


HERE = Path(__file__).parents[1]
MONTH = {
    "ProfileOf": 0.003,
    "ProgressOf": 0.003,
    "DeadlinesOf": 0.003,
    "update UserProfile": 0.0075,
    "create Progress": 0.03,
    "create Deadline": 0.0045,
    "create Feedback": 0.0003,
}
"""The rows of the document's table, in dollars; it rounds 0.0075 to 0.008 and 0.0045 to 0.005."""


@PROOFS("F12")
def capacity_of_each_row(context: ProofContext) -> None:
    """`tablewright cost` repeats the document's table with its prices; its units are those that the store measures."""
    estimate = _cost("--prices", str(HERE / "prices.json"))
    lines = {line["name"]: line for line in estimate["lines"]}
    assert {name: round(lines[name]["cost_if_a_request_were_a_unit"], 6) for name in MONTH} == MONTH
    assert 0.05 < estimate["cost"] < 0.15, "not $1.50: the tables have megabytes, not 5 GB (765)"
    assert _cost("--region", "eu-north-1")["cost"] < estimate["cost"], "AWS has halved these prices since"
    expect_error(subprocess.CalledProcessError, lambda: _cost("--region", "eu-north-9"))
    measured = _measured_rows(context)
    assert measured == {name: _units_each(lines[name]) for name in measured}


def _cost(*prices: str) -> dict[str, Any]:
    """Run `tablewright cost` with the document's month."""
    month = ["--workload", str(HERE / "workload.json"), "--json"]
    command = [
        sys.executable,
        "-m",
        "tablewright",
        "cost",
        f"{design_module.__name__}:design",
        *month,
        *prices,
    ]
    reply: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return reply


def _units_each(line: dict[str, Any]) -> float:
    return float(sum(units["read"] + units["write"] for units in line["units_each"].values()))


def _measured_rows(context: ProofContext) -> dict[str, float]:
    """Measure each row with a student of the document's sizes: 5 KB of profile, 20 steps, 5 deadlines."""
    ada = context.caller(context.unique_id("x" * 80))
    notes = ("packingNotes", "dailyLifeNotes", "budgetingNotes", "communityInterest", "supportNeeds")
    save(context.db, ada, **dict.fromkeys(notes, "x" * 920))
    for number in range(20):
        start_step(context.db, ada, f"{'step' * 12}-{number}")
    reminded = [units(context, lambda: deadline(context, ada, FAR_AWAY)) for _ in range(2)]
    quiet = [units(context, lambda: deadline(context, ada, FAR_AWAY, remind=False)) for _ in range(2)]
    return {
        "ProfileOf": units(context, lambda: context.db.run(ProfileOf(user_id=ada.user_id))),
        "ProgressOf": units(context, lambda: context.db.all(ProgressOf(user_id=ada.user_id))),
        "DeadlinesOf": units(context, lambda: context.db.all(DeadlinesOf(user_id=ada.user_id))),
        "update UserProfile": units(context, lambda: save(context.db, ada, firstName="Ada")),
        "create Progress": units(context, lambda: complete_step(context.db, ada, "housing")),
        "create Deadline": sum(reminded + quiet) / 4,
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


@PROOFS("F18")
def local_testing(context: ProofContext) -> None:
    """Use a local endpoint with the code that runs on AWS."""
    with local_endpoint() as url, connect(design, url, environment="main", create=True) as db:
        ada = context.caller()
        saved = save(db, ada, firstName="Ada")
        assert db.run(ProfileOf(user_id=ada.user_id)) == saved
        elsewhere = {"TableName": "leavs-main-unknown", "Key": {"userId": {"S": ada.user_id}}}
        expect_error(errors.ResourceNotFound, lambda: db.connection.call("GetItem", elsewhere))


@PROOFS("F19")
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
    wrong_key = {"TableName": name, "Key": {"id": {"S": "abc-123"}}}
    expect_error(errors.ValidationError, lambda: call("GetItem", wrong_key))


@PROOFS("F20")
def latency_of_each_pattern(context: ProofContext) -> None:
    """Each pattern takes few requests, no scan, and less processor time than the document's time for it.

    The time on the clock depends on disks, networks and other programs: `make bench ARGS=systems` measures it, side by
    side with other servers.
    """
    ada = student(context)
    steps = iter(f"step-{number}" for number in count())
    acts: dict[str, tuple[int, float, Callable[[], Any]]] = {
        "get profile": (1, 0.010, lambda: context.db.run(ProfileOf(user_id=ada.user_id))),
        "update profile": (1, 0.015, lambda: save(context.db, ada, firstName="Ada")),
        "get progress": (1, 0.020, lambda: context.db.all(ProgressOf(user_id=ada.user_id))),
        "mark step": (2, 0.015, lambda: complete_step(context.db, ada, next(steps))),
        "get deadlines": (1, 0.020, lambda: context.db.all(DeadlinesOf(user_id=ada.user_id))),
        "create deadline": (1, 0.015, lambda: deadline(context, ada, FAR_AWAY)),
        "submit feedback": (2, 0.015, lambda: say(context, "Great app!")),
        "dashboard": (3, 0.030, lambda: read_dashboard(context.db, ada)),
    }
    for name, (requests, longest, act) in acts.items():
        with context.measured() as measurement:
            before = len(measurement.operations)
            act()
        made = measurement.operations[before:]
        assert len(made) == requests, f"{name}: {made}"
        assert "Scan" not in made, name
        fastest = min(timeit(act, timer=process_time, number=1) for _ in range(RUNS))
        assert fastest <= longest, f"{name} takes {fastest * 1000:.1f} ms"
    unknown = {"TableName": named(context, deadlines), "IndexName": "UnknownIndex"}
    by_note = {"KeyConditionExpression": "note = :x", "ExpressionAttributeValues": {":x": {"S": "x"}}}
    expect_error(errors.ServiceError, lambda: context.db.connection.call("Query", {**unknown, **by_note}))


THROTTLED = "ProvisionedThroughputExceededException"


class Throttled:
    """A connection that is throttled at first."""

    def __init__(self, connection: Connection, times: int) -> None:
        self._connection = connection
        self.left = times

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Raise a throttling error, a limited number of times."""
        if self.left:
            self.left -= 1
            raise errors.ProvisionedThroughputExceeded("The rate is above what the table can take")
        return self._connection.call(operation, request)

    def close(self) -> None:
        """Do nothing: the wrapped connection stays open."""


@PROOFS("F16")
def back_off_when_throttled(context: ProofContext) -> None:
    """Throttled requests are retried with backoff, and counted for a monitor; nothing is lost."""
    ada = context.caller()
    throttled = Throttled(context.db.connection, times=2)
    db = Repository(design, throttled, context.db.context)
    before = Repository.retry_counts().retried.get(THROTTLED, 0)
    with context.measured():
        saved = save(db, ada, firstName="Ada")
        throttled.left = 2
        assert db.run(ProfileOf(user_id=ada.user_id)) == saved
    assert throttled.left == 0
    assert Repository.retry_counts().retried[THROTTLED] >= before + 4
    with context.measured() as measurement:
        before = len(measurement.operations)
        large = UserProfile(user_id=ada.user_id, packing_notes="x" * 400 * 1024)
        expect_error(errors.ValidationError, lambda: db.put(large))
    assert len(measurement.operations) == before + 1, "an error that stays is not retried"


@PROOFS("F17")
def errors_and_their_causes(context: ProofContext) -> None:
    """The four errors of the document, each from the cause it states."""
    ada = context.caller()
    save(context.db, ada, firstName="Ada")
    table = named(context, profiles)
    item = {"userId": {"S": ada.user_id}}
    taken = {"TableName": table, "Item": item, "ConditionExpression": "attribute_not_exists(userId)"}
    large = {"TableName": table, "Item": {**item, "packingNotes": {"S": "x" * 400 * 1024}}}
    elsewhere = {"TableName": context.unique_id("user-profiles"), "Key": item}
    with context.measured():
        replies = [
            _refusal(context.db.connection, "PutItem", taken),
            _refusal(context.db.connection, "PutItem", large),
            _refusal(context.db.connection, "GetItem", elsewhere),
        ]
    assert replies == [
        ("ConditionalCheckFailedException", "The conditional request failed"),
        ("ValidationException", "Item size has exceeded the maximum allowed size"),
        ("ResourceNotFoundException", "Requested resource not found"),
    ]
    assert _overwhelmed() == THROTTLED


def _refusal(connection: Connection, operation: str, request: dict[str, Any]) -> tuple[str, str]:
    error = expect_error(errors.ServiceError, lambda: connection.call(operation, request))
    return error.code, error.message


def _overwhelmed() -> str:
    """Exceed the provisioned capacity of a table, on an engine that enforces it."""
    small = Table("small", key="userId", billing=billing.Provisioned(read=1, write=1))
    put = {"TableName": "small", "Item": {"userId": {"S": "ada"}, "notes": {"S": "x" * 100_000}}}
    with embedded(clock=Clock(start=1e9), faults=Faults(provisioned=True)) as db:
        db.call("CreateTable", small.definition())
        return expect_error(errors.ServiceError, lambda: [db.call("PutItem", put) for _ in range(10)]).code
