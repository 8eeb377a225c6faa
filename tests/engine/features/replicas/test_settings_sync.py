"""Settings sync: what all replicas share is changed in any region; the rest belongs to one region."""

from typing import Any

import pytest

from tablewright.errors import ValidationError
from tests.engine.features.replicas.replicated_table import EU, US, World, world

__all__ = ["world"]

INDEX = {
    "IndexName": "by-song",
    "KeySchema": [{"AttributeName": "song", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
SONG = [{"AttributeName": "song", "AttributeType": "S"}]
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}


def expiry(world: World, region: str) -> dict[str, Any]:
    reply = world[region].call("DescribeTimeToLive", {"TableName": "music"})
    return reply["TimeToLiveDescription"]  # type: ignore[no-any-return]


def set_expiry(world: World, region: str, *, enabled: bool) -> None:
    request = {"AttributeName": "until", "Enabled": enabled}
    world[region].call("UpdateTimeToLive", {"TableName": "music", "TimeToLiveSpecification": request})


@pytest.mark.parametrize(("changed", "other"), [(US, EU), (EU, US)])
def test_ttl_is_shared(world: World, changed: str, other: str) -> None:
    set_expiry(world, changed, enabled=True)
    world.replicate()
    assert expiry(world, other) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "until"}
    set_expiry(world, other, enabled=False)
    world.replicate()
    assert expiry(world, changed)["TimeToLiveStatus"] == "DISABLED"


@pytest.mark.parametrize(("changed", "other"), [(US, EU), (EU, US)])
def test_indexes_are_shared(world: World, changed: str, other: str) -> None:
    world.put(US, "nina", "sinnerman")
    world.replicate()
    world.update(changed, AttributeDefinitions=SONG, GlobalSecondaryIndexUpdates=[{"Create": INDEX}])
    world.replicate()
    shown = world.describe(other)
    assert [(index["IndexName"], index["ItemCount"]) for index in shown["GlobalSecondaryIndexes"]] == [
        ("by-song", 1)
    ]
    assert shown["AttributeDefinitions"] == world.describe(changed)["AttributeDefinitions"]
    world.update(other, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-song"}}])
    world.replicate()
    assert "GlobalSecondaryIndexes" not in world.describe(changed)
    assert world.describe(changed)["AttributeDefinitions"] == [
        {"AttributeName": "artist", "AttributeType": "S"}
    ]


def test_several_indexes_are_created_one_after_the_other(world: World) -> None:
    for name in ("one", "two", "three"):
        created = {**INDEX, "IndexName": name}
        world.update(US, AttributeDefinitions=SONG, GlobalSecondaryIndexUpdates=[{"Create": created}])
    world.replicate()
    names = [index["IndexName"] for index in world.describe(EU)["GlobalSecondaryIndexes"]]
    assert sorted(names) == ["one", "three", "two"]


def test_different_settings_that_are_changed_at_once_are_both_kept(world: World) -> None:
    world.update(US, AttributeDefinitions=SONG, GlobalSecondaryIndexUpdates=[{"Create": INDEX}])
    set_expiry(world, EU, enabled=True)
    created = {**INDEX, "IndexName": "second"}
    world.update(EU, AttributeDefinitions=SONG, GlobalSecondaryIndexUpdates=[{"Create": created}])
    world.replicate()
    for region in (US, EU):
        names = {index["IndexName"] for index in world.describe(region)["GlobalSecondaryIndexes"]}
        assert names == {"by-song", "second"}
        assert expiry(world, region)["TimeToLiveStatus"] == "ENABLED"


def test_billing_and_capacity_are_shared(world: World) -> None:
    world.update(US, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS)
    world.replicate()
    shown = world.describe(EU)
    assert shown["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
    assert {name: shown["ProvisionedThroughput"][name] for name in UNITS} == UNITS
    world.update(EU, BillingMode="PAY_PER_REQUEST")
    world.replicate()
    assert world.describe(US)["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def test_class_and_encryption_are_shared(world: World) -> None:
    world.update(US, TableClass="STANDARD_INFREQUENT_ACCESS")
    world.update(US, SSESpecification={"Enabled": True, "SSEType": "KMS"})
    world.replicate()
    shown = world.describe(EU)
    assert shown["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert shown["SSEDescription"]["KMSMasterKeyArn"].startswith("arn:aws:kms:eu-west-1:")
    assert world.describe(US)["Replicas"][0]["KMSMasterKeyId"] == shown["SSEDescription"]["KMSMasterKeyArn"]


def test_tags_protection_and_recovery_belong_to_one_region(world: World) -> None:
    arn = world.describe(US)["TableArn"]
    world[US].call("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "b"}]})
    world.update(US, DeletionProtectionEnabled=True)
    recovery = {"PointInTimeRecoveryEnabled": True}
    world[US].call(
        "UpdateContinuousBackups", {"TableName": "music", "PointInTimeRecoverySpecification": recovery}
    )
    world.replicate()
    shown = world.describe(EU)
    assert shown["DeletionProtectionEnabled"] is False
    assert world[EU].call("ListTagsOfResource", {"ResourceArn": shown["TableArn"]})["Tags"] == []
    described = world[EU].call("DescribeContinuousBackups", {"TableName": "music"})
    status = described["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert status["PointInTimeRecoveryStatus"] == "DISABLED"


def test_a_replica_can_override_its_read_capacity(world: World) -> None:
    world.update(US, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS)
    world.replicate()
    override = {"ReadCapacityUnits": 9}
    world.update(
        US, ReplicaUpdates=[{"Update": {"RegionName": EU, "ProvisionedThroughputOverride": override}}]
    )
    world.replicate()
    assert world.describe(EU)["ProvisionedThroughput"]["ReadCapacityUnits"] == 9
    assert world.describe(EU)["ProvisionedThroughput"]["WriteCapacityUnits"] == 6
    assert world.describe(US)["Replicas"][0]["ProvisionedThroughputOverride"] == override
    world.update(US, ProvisionedThroughput={"ReadCapacityUnits": 7, "WriteCapacityUnits": 8})
    world.replicate()
    units = world.describe(EU)["ProvisionedThroughput"]
    assert (units["ReadCapacityUnits"], units["WriteCapacityUnits"]) == (9, 8)
    equal = {"ReadCapacityUnits": 7}
    world.update(US, ReplicaUpdates=[{"Update": {"RegionName": EU, "ProvisionedThroughputOverride": equal}}])
    world.replicate()
    assert world.describe(EU)["ProvisionedThroughput"]["ReadCapacityUnits"] == 7
    assert "ProvisionedThroughputOverride" not in world.describe(US)["Replicas"][0]


def test_a_replica_can_override_its_table_class(world: World) -> None:
    update = {"RegionName": EU, "TableClassOverride": "STANDARD_INFREQUENT_ACCESS"}
    world.update(US, ReplicaUpdates=[{"Update": update}])
    world.replicate()
    assert world.describe(EU)["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert "TableClassSummary" not in world.describe(US)
    assert world.describe(US)["Replicas"][0]["ReplicaTableClassSummary"] == {
        "TableClass": "STANDARD_INFREQUENT_ACCESS"
    }


def test_the_stream_of_a_replica_cannot_be_disabled(world: World) -> None:
    for region in (US, EU):
        with pytest.raises(ValidationError) as caught:
            world.update(region, StreamSpecification={"StreamEnabled": False})
        assert caught.value.message == (
            "One or more parameter values were invalid: Disabling Stream is not allowed for a Global Table replica."
        )
