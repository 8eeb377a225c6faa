"""Auto scaling of replicas: AWS's rules and messages."""

from typing import Any

import pytest

from tablewright.errors import ResourceNotFound, ServiceError, ValidationError
from tests.engine.features.replicas.replicated_table import EU, US, World, world

__all__ = ["world"]

PREFIX = "Failed to update settings for global table with name: \u2018music\u2019"
POLICY = {"TargetTrackingScalingPolicyConfiguration": {"TargetValue": 70}}
FULL = {"MinimumUnits": 1, "MaximumUnits": 10, "ScalingPolicyUpdate": POLICY}


def target(value: float) -> dict[str, Any]:
    configuration = {"TargetTrackingScalingPolicyConfiguration": {"TargetValue": value}}
    return {**FULL, "ScalingPolicyUpdate": configuration}


def read(update: dict[str, Any], region: str = EU) -> dict[str, Any]:
    return {"RegionName": region, "ReplicaProvisionedReadCapacityAutoScalingUpdate": update}


@pytest.mark.parametrize(
    ("replicas", "error", "message"),
    [
        (None, ValidationError, f"{PREFIX} because at least one update parameter must be specified."),
        (
            [{"RegionName": EU}],
            ValidationError,
            f"{PREFIX} because at least one update parameter must be specified for region: \u2018{EU}\u2019.",
        ),
        (
            [read(FULL), read(FULL)],
            ValidationError,
            f"{PREFIX} because the regions: \u2018[{EU}]\u2019 were specified more than once.",
        ),
        (
            [read({})],
            ValidationError,
            f"{PREFIX}: Parameters 'MaximumUnits', 'ScalingPolicyUpdate', 'MinimumUnits' are required unless auto "
            "scaling is being disabled.",
        ),
        (
            [read({"MinimumUnits": 1, "ScalingPolicyUpdate": POLICY})],
            ValidationError,
            f"{PREFIX}: Parameters 'MaximumUnits' are required unless auto scaling is being disabled.",
        ),
        (
            [read({**FULL, "MinimumUnits": 11})],
            ValidationError,
            "Maximum capacity cannot be less than minimum capacity (Service",
        ),
        (
            [read(target(90.1))],
            ValidationError,
            "For predefined metric type DynamoDBReadCapacityUtilization, target value must be between '10.0' and "
            "'90.0', but was '90.1'. (Service",
        ),
        ([read(FULL, "ap-south-1")], ResourceNotFound, "Global table with name: 'music' has no replica in"),
    ],
)
def test_messages(world: World, replicas: Any, error: type[ServiceError], message: str) -> None:
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    world.update(US, BillingMode="PROVISIONED", ProvisionedThroughput=units)
    with pytest.raises(error) as caught:
        world[US].call("UpdateTableReplicaAutoScaling", {"TableName": "music", "ReplicaUpdates": replicas})
    assert caught.value.message.startswith(message)


def test_a_table_billed_by_request_only_disables(world: World) -> None:
    with pytest.raises(ValidationError) as caught:
        world[US].call(
            "UpdateTableReplicaAutoScaling",
            {"TableName": "music", "ProvisionedWriteCapacityAutoScalingUpdate": FULL},
        )
    assert caught.value.message == (
        "Failed to update global table with name \u2018music\u2018. Replicas 'EU-WEST-1', 'US-EAST-1' BillingMode is "
        "PayPerRequest. You must convert table's BillingMode to PROVISIONED to set parameters: "
        "'GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate'."
    )
    disable = {"AutoScalingDisabled": True}
    world[US].call(
        "UpdateTableReplicaAutoScaling",
        {"TableName": "music", "ProvisionedWriteCapacityAutoScalingUpdate": disable},
    )
