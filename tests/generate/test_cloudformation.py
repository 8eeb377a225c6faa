"""CloudFormation templates pass the linter and contain every setting."""

import json

import pytest
from cfnlint.api import lint_all

from tablewright import Design, Table
from tablewright.generate.cloudformation import cloudformation, template
from tests.generate.designs import DESIGNS, RICH, SCALED


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_the_template_passes_the_linter(design: Design) -> None:
    # Informational rules, which the linter's own command omits too, require prose about the architecture.
    found = [match for match in lint_all(cloudformation(design)) if not match.rule.id.startswith("I")]
    assert list(map(str, found)) == []


def test_the_template_has_every_setting() -> None:
    ((_, resource),) = json.loads(cloudformation(RICH))["Resources"].items()
    made = resource["Properties"]
    assert made["TableName"] == {"Fn::Sub": "rich-${Environment}-main"}
    assert made["TimeToLiveSpecification"] == {"AttributeName": "expiresAt", "Enabled": True}
    assert made["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert made["SSESpecification"]["SSEEnabled"]
    assert [index["IndexName"] for index in made["GlobalSecondaryIndexes"]] == ["by-team", "by-place"]
    assert made["LocalSecondaryIndexes"][0]["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain"


def test_only_a_variable_name_needs_a_parameter() -> None:
    fixed, stack = (Design("d", tables=[Table(name, key="id")]) for name in ("fixed", "${AWS::StackName}-t"))
    assert "Parameters" not in template(fixed)
    assert "Parameters" not in template(stack)
    assert template(RICH)["Parameters"]["Environment"]["Type"] == "String"


def test_autoscaled_capacity_has_a_target_and_a_policy_for_each_dimension() -> None:
    made = template(SCALED)["Resources"]
    targets = {
        name: resource["Properties"]["ScalableDimension"]
        for name, resource in made.items()
        if resource["Type"] == "AWS::ApplicationAutoScaling::ScalableTarget"
    }
    assert targets == {
        "ScaledMainTableReadTarget": "dynamodb:table:ReadCapacityUnits",
        "ScaledMainTableWriteTarget": "dynamodb:table:WriteCapacityUnits",
        "ScaledMainTableByTeamReadTarget": "dynamodb:index:ReadCapacityUnits",
        "ScaledMainTableByTeamWriteTarget": "dynamodb:index:WriteCapacityUnits",
    }
    policy = made["ScaledMainTableByTeamWritePolicy"]["Properties"]
    assert policy["TargetTrackingScalingPolicyConfiguration"]["TargetValue"] == 60


def test_a_table_with_replicas_is_a_global_table() -> None:
    resource = template(SCALED)["Resources"]["GlobalTable"]
    assert resource["Type"] == "AWS::DynamoDB::GlobalTable"
    own, other = resource["Properties"]["Replicas"]
    assert (own["Region"], other["Region"]) == ({"Ref": "AWS::Region"}, "eu-west-1")
    assert own["DeletionProtectionEnabled"]
    assert "DeletionProtectionEnabled" not in resource["Properties"]
