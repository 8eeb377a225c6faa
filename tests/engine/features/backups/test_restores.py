"""Restores: the recovery window, and the settings that a restore can override."""

import re
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.core.state.catalog import JOURNAL
from tablewright.engine.database import Database
from tablewright.engine.features.backups.change_journal import DAY
from tablewright.errors import (
    InvalidRestoreTime,
    PointInTimeRecoveryUnavailable,
    TableAlreadyExists,
    TableNotFound,
    ValidationError,
)
from tests.engine.archive import (
    ARN,
    INDEXED,
    START,
    archive,
    back_up,
    create,
    delete,
    put,
    recover,
    restore,
    restore_to,
    scan,
)


def journal(db: Database) -> int:
    return db.state.store.read(lambda rows: rows.totals(JOURNAL)[0])


def test_recovery_is_switched(db: Database) -> None:
    create(db)
    off = {"PointInTimeRecoveryStatus": "DISABLED"}

    def shown() -> dict[str, Any]:
        reply = db.call("DescribeContinuousBackups", {"TableName": "users"})
        return reply["ContinuousBackupsDescription"]  # type: ignore[no-any-return]

    assert shown() == {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": off}
    on = {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 35,
        "EarliestRestorableDateTime": START,
        "LatestRestorableDateTime": START,
    }
    assert recover(db) == {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": on}
    db.clock.advance(1000)
    assert recover(db)["PointInTimeRecoveryDescription"] == on | {"LatestRestorableDateTime": START + 700}
    db.clock.advance(40 * DAY)
    later = START + 1000 + 40 * DAY
    assert shown()["PointInTimeRecoveryDescription"]["EarliestRestorableDateTime"] == later - 35 * DAY
    assert recover(db, RecoveryPeriodInDays=2)["PointInTimeRecoveryDescription"] == on | {
        "RecoveryPeriodInDays": 2,
        "EarliestRestorableDateTime": later - 2 * DAY,
        "LatestRestorableDateTime": later - 300,
    }
    assert recover(db, enabled=False) == {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": off,
    }
    assert shown()["PointInTimeRecoveryDescription"] == off
    with pytest.raises(ValidationError, match="Cannot specify RecoveryPeriodInDays when disabling"):
        recover(db, enabled=False, RecoveryPeriodInDays=2)
    with pytest.raises(ValidationError, match="Member must have value less than or equal to 35"):
        recover(db, RecoveryPeriodInDays=36)
    with pytest.raises(TableNotFound, match="Table not found: missing"):
        recover(db, "missing")


def test_every_second_can_be_had_again(db: Database) -> None:
    create(db, keys=INDEXED)
    first = put(db, "ada", team="red")
    recover(db)
    db.clock.advance(1)
    second = put(db, "ada", team="blue")
    db.clock.advance(1)
    delete(db, "ada")
    db.clock.advance(1)
    third = put(db, "ada")
    for seconds, there in enumerate([[first], [second], [], [third]]):
        restore_to(db, START + seconds, f"at-{seconds}")
        assert scan(db, f"at-{seconds}") == there
        assert scan(db, f"at-{seconds}", IndexName="by-team") == [item for item in there if "team" in item]
    assert scan(db, "users") == [third]


def test_the_latest_is_five_minutes_ago(db: Database) -> None:
    create(db)
    recover(db)
    db.clock.advance(60)
    ada = put(db, "ada")
    db.clock.advance(300)
    put(db, "bob")
    request = {"SourceTableArn": f"{ARN}users", "TargetTableName": "latest", "UseLatestRestorableTime": True}
    shown = db.call("RestoreTableToPointInTime", request)["TableDescription"]
    assert shown["RestoreSummary"] == {
        "SourceTableArn": f"{ARN}users",
        "RestoreDateTime": START + 60,
        "RestoreInProgress": True,
    }
    db.jobs.wait()
    assert scan(db, "latest") == [ada]


def test_expired_items_are_restored(db: Database) -> None:
    create(db)
    specification = {"AttributeName": "ttl", "Enabled": True}
    db.call("UpdateTimeToLive", {"TableName": "users", "TimeToLiveSpecification": specification})
    recover(db)
    item = {"id": {"S": "ada"}, "ttl": {"N": str(START + 10)}}
    db.call("PutItem", {"TableName": "users", "Item": item})
    db.clock.advance(60)
    assert db.sweep() == 1
    restore_to(db, START + 59)
    assert scan(db, "restored") == [item]
    db.clock.advance(1)
    assert db.sweep() == 0, "a restored table expires nothing: its TTL is to be set up again"


def test_a_journal_is_kept_as_long_as_it_can_be_asked_for(db: Database) -> None:
    create(db)
    put(db, "ada", city="Oslo")
    assert journal(db) == 0
    recover(db, RecoveryPeriodInDays=1)
    put(db, "ada", city="Lund")
    db.clock.advance(DAY)
    put(db, "ada", city="Umea")
    db.sweep()
    assert journal(db) == 2
    db.clock.advance(1)
    db.sweep()
    assert journal(db) == 1
    recover(db, enabled=False)
    assert journal(db) == 0


def test_a_restored_table_is_bare(db: Database) -> None:
    create(
        db,
        keys=INDEXED,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        Tags=[{"Key": "team", "Value": "red"}],
        DeletionProtectionEnabled=True,
        TableClass="STANDARD_INFREQUENT_ACCESS",
        OnDemandThroughput={"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50},
        SSESpecification={"Enabled": True, "SSEType": "KMS"},
    )
    recover(db)
    restore(db, back_up(db), "from-backup")
    restore_to(db, START, "to-time")
    source = db.call("DescribeTable", {"TableName": "users"})["Table"]
    for name in ("from-backup", "to-time"):
        table = db.call("DescribeTable", {"TableName": name})["Table"]
        assert not {"StreamSpecification", "LatestStreamArn", "TableClassSummary"} & set(table)
        assert table["DeletionProtectionEnabled"] is False
        assert table["TableId"] != source["TableId"]
        for kept in ("SSEDescription", "OnDemandThroughput", "KeySchema", "AttributeDefinitions"):
            assert table[kept] == source[kept]
        assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
        assert db.call("ListTagsOfResource", {"ResourceArn": table["TableArn"]})["Tags"] == []
        recovery = db.call("DescribeContinuousBackups", {"TableName": name})["ContinuousBackupsDescription"]
        assert recovery["PointInTimeRecoveryDescription"] == {"PointInTimeRecoveryStatus": "DISABLED"}


UNITS = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 7}
BY_TEAM: dict[str, Any] = INDEXED["GlobalSecondaryIndexes"][0]
NO_MATCH = (
    "Invalid Request: Index other does not match a secondary index that existed in the source table and cannot be "
    "created during the restore operation"
)
# (whether the source is provisioned, the overrides, the error)
MISFITS: list[tuple[bool, dict[str, Any], str]] = [
    (
        False,
        {"ProvisionedThroughputOverride": UNITS},
        "Invalid Request: Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED",
    ),
    (
        True,
        {"ProvisionedThroughputOverride": UNITS, "BillingModeOverride": "PAY_PER_REQUEST"},
        "Invalid Request: Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST",
    ),
    (
        False,
        {"BillingModeOverride": "PROVISIONED"},
        "Invalid Request: Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED",
    ),
    (
        False,
        {"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": UNITS},
        "Invalid Request: Must specify provisioned throughput for index by-team",
    ),
    (
        True,
        {"OnDemandThroughputOverride": {"MaxReadRequestUnits": 5}},
        "Invalid Request: Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride is "
        "PAY_PER_REQUEST",
    ),
    (
        False,
        {"OnDemandThroughputOverride": {"MaxReadRequestUnits": 0}},
        "Invalid Request: Requested MaxReadRequestUnits for OnDemandThroughput is outside of valid range",
    ),
    (
        False,
        {
            "GlobalSecondaryIndexOverride": [
                BY_TEAM | {"IndexName": "other", "KeySchema": INDEXED["KeySchema"]}
            ]
        },
        NO_MATCH,
    ),
    (
        False,
        {
            "GlobalSecondaryIndexOverride": [
                BY_TEAM | {"IndexName": "other", "Projection": {"ProjectionType": "KEYS_ONLY"}}
            ]
        },
        NO_MATCH,
    ),
    (
        True,
        {"GlobalSecondaryIndexOverride": [BY_TEAM]},
        "Invalid Request: Must specify provisioned throughput for index by-team",
    ),
    (
        True,
        {
            "GlobalSecondaryIndexOverride": [BY_TEAM | {"ProvisionedThroughput": UNITS}],
            "BillingModeOverride": "PAY_PER_REQUEST",
        },
        "Invalid Request: Cannot override ProvisionedThroughput for index by-team if BillingMode is overridden to "
        "PAY_PER_REQUEST",
    ),
]


def create_provisioned(db: Database) -> None:
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    index = BY_TEAM | {"ProvisionedThroughput": units}
    keys = INDEXED | {"GlobalSecondaryIndexes": [index]}
    create(db, keys=keys, BillingMode="PROVISIONED", ProvisionedThroughput=units)


@pytest.mark.parametrize(("is_provisioned", "overrides", "message"), MISFITS)
def test_overrides_that_do_not_fit_are_rejected(
    is_provisioned: bool, overrides: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with archive(tmp_path) as db:
        if is_provisioned:
            create_provisioned(db)
        else:
            create(db, keys=INDEXED)
        with pytest.raises(ValidationError) as refused:
            restore(db, back_up(db), **overrides)
        assert str(refused.value) == message
        assert db.call("ListTables", {}) == {"TableNames": ["users"]}


def units_of(entry: dict[str, Any]) -> tuple[int, int]:
    throughput = entry["ProvisionedThroughput"]
    return throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]


def test_overrides_are_obeyed(db: Database) -> None:
    create_provisioned(db)
    put(db, "ada", team="red")
    backup = back_up(db)

    def restored(name: str, **overrides: Any) -> dict[str, Any]:
        restore(db, backup, name, **overrides)
        return db.call("DescribeTable", {"TableName": name})["Table"]  # type: ignore[no-any-return]

    table = restored("as-it-was")
    assert (units_of(table), units_of(table["GlobalSecondaryIndexes"][0])) == ((5, 5), (5, 5))
    table = restored("wider", ProvisionedThroughputOverride=UNITS)
    assert (units_of(table), units_of(table["GlobalSecondaryIndexes"][0])) == ((7, 7), (5, 5))
    table = restored(
        "by-request",
        BillingModeOverride="PAY_PER_REQUEST",
        OnDemandThroughputOverride={"MaxReadRequestUnits": 50},
    )
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert (units_of(table), units_of(table["GlobalSecondaryIndexes"][0])) == ((0, 0), (0, 0))
    assert table["OnDemandThroughput"] == {"MaxReadRequestUnits": 50}
    table = restored("without", GlobalSecondaryIndexOverride=[])
    assert "GlobalSecondaryIndexes" not in table
    assert table["AttributeDefinitions"] == [{"AttributeName": "id", "AttributeType": "S"}]
    renamed = BY_TEAM | {"IndexName": "renamed", "ProvisionedThroughput": UNITS}
    table = restored("renamed", GlobalSecondaryIndexOverride=[renamed])
    assert [index["IndexName"] for index in table["GlobalSecondaryIndexes"]] == ["renamed"]
    assert len(scan(db, "renamed", IndexName="renamed")) == 1


LATEST = {"UseLatestRestorableTime": True}
# (the request, the error); the table "users" can be recovered, "plain" cannot.
REJECTED: list[tuple[dict[str, Any], type[Exception], str]] = [
    (
        {"SourceTableName": "users"},
        ValidationError,
        "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both",
    ),
    (
        {"SourceTableName": "users", "UseLatestRestorableTime": True, "RestoreDateTime": START},
        ValidationError,
        "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore "
        "request. Please specify either RestoreDateTime time or UseLatestRestorableTime",
    ),
    (
        {"SourceTableName": "users", "SourceTableArn": f"{ARN}users", **LATEST},
        ValidationError,
        "One or more parameter values were invalid: Must provide exactly one of: sourceTableArn, sourceTableName",
    ),
    (
        LATEST,
        ValidationError,
        "The parameter 'TableName' is required but was not present in the request",
    ),
    (
        {"SourceTableArn": "users", **LATEST},
        ValidationError,
        "One or more parameter values were invalid: sourceTableArn is not a valid ARN",
    ),
    ({"SourceTableName": "missing", **LATEST}, TableNotFound, "Table not found: missing"),
    (
        {"SourceTableName": "plain", **LATEST},
        PointInTimeRecoveryUnavailable,
        "Point in time recovery is not enabled for table 'plain'",
    ),
    (
        {"SourceTableName": "users", "RestoreDateTime": START - 1},
        InvalidRestoreTime,
        "RestoreDateTime '2023-11-14T22:13:19Z' must be within EarliestRestorableDateTime '2023-11-14T22:13:20Z' "
        "and LatestRestorableDateTime '2023-11-14T22:13:20Z'",
    ),
    (
        {"SourceTableName": "users", "RestoreDateTime": START + 61, "TargetTableName": "plain"},
        InvalidRestoreTime,
        "RestoreDateTime '2023-11-14T22:14:21Z' must be within EarliestRestorableDateTime '2023-11-14T22:13:20Z' "
        "and LatestRestorableDateTime '2023-11-14T22:13:20Z'",
    ),
    (
        {"SourceTableName": "users", "TargetTableName": "users", **LATEST},
        TableAlreadyExists,
        "Table already exists: users",
    ),
]


@pytest.mark.parametrize(("request_", "error", "message"), REJECTED)
def test_invalid_recovery_requests(
    request_: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    with archive(tmp_path) as db:
        create(db)
        create(db, "plain")
        recover(db)
        db.clock.advance(60)
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            db.call("RestoreTableToPointInTime", {"TargetTableName": "restored", **request_})
