"""DescribeTableReplicaAutoScaling: all regions, with this one, sorted; an error for a table without replicas."""

import pytest

from tablewright.errors import ResourceNotFound
from tests.engine.features.replicas.replicated_table import EU, US, World, world

__all__ = ["world"]

DISABLED = {"AutoScalingDisabled": True, "ScalingPolicies": []}


@pytest.mark.parametrize("region", [US, EU])
def test_all_replicas_are_shown(world: World, region: str) -> None:
    reply = world[region].call("DescribeTableReplicaAutoScaling", {"TableName": "music"})
    described = reply["TableAutoScalingDescription"]
    assert [replica["RegionName"] for replica in described["Replicas"]] == [EU, US]
    assert described["Replicas"][0] == {
        "RegionName": EU,
        "GlobalSecondaryIndexes": [],
        "ReplicaProvisionedReadCapacityAutoScalingSettings": DISABLED,
        "ReplicaProvisionedWriteCapacityAutoScalingSettings": DISABLED,
        "ReplicaStatus": "ACTIVE",
    }


def test_a_table_without_replicas_is_not_found(world: World) -> None:
    with pytest.raises(ResourceNotFound, match=r"^Global table with name: 'missing' does not exist\.$"):
        world[US].call("DescribeTableReplicaAutoScaling", {"TableName": "missing"})
