"""UpdateTableReplicaAutoScaling: settings are stored, and shown in all regions."""

from typing import Any

from tests.engine.features.replicas.replicated_table import EU, US, World, world

__all__ = ["world"]

POLICY = {"TargetTrackingScalingPolicyConfiguration": {"TargetValue": 70}}
FULL = {"MinimumUnits": 1, "MaximumUnits": 10, "ScalingPolicyUpdate": POLICY}


def replica(world: World, region: str, seen_from: str) -> dict[str, Any]:
    reply = world[seen_from].call("DescribeTableReplicaAutoScaling", {"TableName": "music"})
    found = reply["TableAutoScalingDescription"]["Replicas"]
    return next(each for each in found if each["RegionName"] == region)


def test_settings_are_stored_and_replicated(world: World) -> None:
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    world.update(US, BillingMode="PROVISIONED", ProvisionedThroughput=units)
    world.replicate()
    read = {"RegionName": EU, "ReplicaProvisionedReadCapacityAutoScalingUpdate": FULL}
    world[US].call(
        "UpdateTableReplicaAutoScaling",
        {
            "TableName": "music",
            "ProvisionedWriteCapacityAutoScalingUpdate": FULL,
            "ReplicaUpdates": [read],
        },
    )
    world.replicate()
    for seen_from in (US, EU):
        write = replica(world, US, seen_from)["ReplicaProvisionedWriteCapacityAutoScalingSettings"]
        assert (write["MinimumUnits"], write["MaximumUnits"]) == (1, 10)
        shown = replica(world, EU, seen_from)["ReplicaProvisionedReadCapacityAutoScalingSettings"]
        assert shown["ScalingPolicies"] == [
            {
                "PolicyName": "DynamoDBReadCapacityUtilization:table/music",
                "TargetTrackingScalingPolicyConfiguration": {"TargetValue": 70.0},
            }
        ]
        other = replica(world, US, seen_from)["ReplicaProvisionedReadCapacityAutoScalingSettings"]
        assert other == {"AutoScalingDisabled": True, "ScalingPolicies": []}
