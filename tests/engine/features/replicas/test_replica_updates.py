"""Replica updates: AWS's rules and messages for ReplicaUpdates."""

from typing import Any

import pytest

from tablewright.errors import ValidationError
from tests.engine.features.replicas.replicated_table import AP, EU, US, World, world

__all__ = ["world"]

NO_ACTION = "There are no actions specified in the Replica Update Action of the request."
LOCAL = (
    "Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as "
    "required."
)
NOT_PART = (
    "Update global table operation failed because one or more replicas were not part of the global table. Please retry "
    "the request without these replicas: [ap-southeast-2]."
)
EXISTED = (
    "Failed to create a the new replica of table with name: \u2018music\u2019 because one or more replicas already "
    "existed as tables."
)
SEVERAL = "Update table operation with more than one create or delete replica actions not allowed"
TYPES = "Update table operation with more than one type of replica actions not allowed."
KEY = "One or more parameter values were invalid: KMSMasterKeyId must be specified for each replica."


def create(region: str, **overrides: Any) -> dict[str, Any]:
    return {"Create": {"RegionName": region, **overrides}}


def delete(region: str) -> dict[str, Any]:
    return {"Delete": {"RegionName": region}}


def change(region: str, **overrides: Any) -> dict[str, Any]:
    return {"Update": {"RegionName": region, **overrides}}


@pytest.mark.parametrize(
    ("updates", "message"),
    [
        ([{}], NO_ACTION),
        ([change(EU)], NO_ACTION),
        ([change(EU, GlobalSecondaryIndexes=[{"IndexName": "abc"}])], NO_ACTION),
        ([{**create(AP), **delete(EU)}], TYPES),
        ([create(AP), delete(EU)], TYPES),
        ([create(AP), create("eu-west-2")], SEVERAL),
        ([delete(EU), delete(AP)], SEVERAL),
        ([create(US)], LOCAL),
        ([delete(US)], LOCAL),
        ([create(EU)], EXISTED),
        ([delete(AP)], NOT_PART),
        ([change(AP, TableClassOverride="STANDARD")], NOT_PART),
        ([change(EU, KMSMasterKeyId="alias/aws/dynamodb")], KEY),
        ([create(AP, KMSMasterKeyId="1234")], KEY),
        (
            [change(EU, ProvisionedThroughputOverride={"ReadCapacityUnits": 5})],
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
        ),
        (
            [{"Disassociate": {"RegionName": EU, "DisassociationMode": "WAIT_FOR_REPLICATION"}}],
            "Disassociate is not implemented by Tablewright; remove it from the request",
        ),
    ],
)
def test_messages_of_aws(world: World, updates: list[Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        world.update(US, ReplicaUpdates=updates)
    assert caught.value.message == message


@pytest.mark.parametrize("region", ["us-fake-1", "EU-WEST-1"])
def test_an_unknown_region_is_named(world: World, region: str) -> None:
    with pytest.raises(
        ValidationError, match=f"^Region {region} is not supported. The latest version of global"
    ):
        world.update(US, ReplicaUpdates=[create(region)])


def test_a_repeated_creation_is_one(world: World) -> None:
    world.update(US, ReplicaUpdates=[create(AP), create(AP)])
    assert [each["RegionName"] for each in world.describe(US)["Replicas"]] == [EU, AP]


@pytest.mark.parametrize(
    "other",
    [
        {"DeletionProtectionEnabled": True},
        {"TableClass": "STANDARD"},
        {"StreamSpecification": {"StreamEnabled": False}},
        {"SSESpecification": {"Enabled": True}},
    ],
)
def test_replica_updates_must_be_alone(world: World, other: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        world.update(US, ReplicaUpdates=[create(AP)], **other)
    assert caught.value.message == (
        "One or more parameter values were invalid: Replica modification must be the only operation in the request"
    )


def test_strong_consistency_is_rejected_by_name(world: World) -> None:
    with pytest.raises(
        ValidationError, match=r"^MultiRegionConsistency STRONG is not implemented by Tablewright"
    ):
        world.update(US, ReplicaUpdates=[create(AP)], MultiRegionConsistency="STRONG")
    world.update(US, ReplicaUpdates=[create(AP)], MultiRegionConsistency="EVENTUAL")


def test_consistency_alone_is_no_change(world: World) -> None:
    with pytest.raises(ValidationError, match=r"^At least one of ProvisionedThroughput"):
        world.update(US, MultiRegionConsistency="EVENTUAL")


def test_a_maximum_needs_billing_by_request(world: World) -> None:
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    world.update(US, BillingMode="PROVISIONED", ProvisionedThroughput=units)
    world.replicate()
    with pytest.raises(
        ValidationError, match=r"^MaxReadRequestUnits for OnDemandThroughput cannot be specified"
    ):
        world.update(US, ReplicaUpdates=[change(EU, OnDemandThroughputOverride={"MaxReadRequestUnits": 10})])


def test_overrides_of_indexes_are_merged(world: World) -> None:
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    song = [{"AttributeName": "song", "AttributeType": "S"}]
    world.update(US, BillingMode="PROVISIONED", ProvisionedThroughput=units)
    for name in ("one", "two"):
        created = {
            "IndexName": name,
            "KeySchema": [{"AttributeName": "song", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
            "ProvisionedThroughput": units,
        }
        world.update(US, AttributeDefinitions=song, GlobalSecondaryIndexUpdates=[{"Create": created}])
    world.replicate()
    for name, value in (("one", 6), ("two", 7), ("one", 5)):
        override = {"IndexName": name, "ProvisionedThroughputOverride": {"ReadCapacityUnits": value}}
        world.update(US, ReplicaUpdates=[change(EU, GlobalSecondaryIndexes=[override])])
        world.replicate()
    shown = {
        index["IndexName"]: index for index in world.describe(US)["Replicas"][0]["GlobalSecondaryIndexes"]
    }
    assert "ProvisionedThroughputOverride" not in shown["one"]
    assert shown["two"]["ProvisionedThroughputOverride"] == {"ReadCapacityUnits": 7}
    indexes = {index["IndexName"]: index for index in world.describe(EU)["GlobalSecondaryIndexes"]}
    reads = {name: index["ProvisionedThroughput"]["ReadCapacityUnits"] for name, index in indexes.items()}
    assert reads == {"one": 5, "two": 7}
