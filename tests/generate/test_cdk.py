"""CDK stacks: valid Python with a construct for each table."""

import ast

import pytest

from tablewright import Design
from tablewright.generate.cdk import cdk
from tests.generate.designs import DESIGNS, RICH, SCALED


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_the_stack_has_a_construct_for_each_table(design: Design) -> None:
    calls = [node.func for node in ast.walk(ast.parse(cdk(design))) if isinstance(node, ast.Call)]
    tables = [
        call
        for call in calls
        if isinstance(call, ast.Attribute) and call.attr in ("CfnTable", "CfnGlobalTable")
    ]
    assert len(tables) == len(design.tables)


def test_the_stack_has_every_setting() -> None:
    text = cdk(RICH)
    for setting in (
        "class RichTables(Stack):",
        'table_name=f"rich-{environment}-main"',
        "sse_specification=dynamodb.CfnTable.SSESpecificationProperty(sse_enabled=True",
        "kms_master_key_id=",
        "CfnTag(key='team', value='a')",
        "self.rich_main_table.apply_removal_policy(RemovalPolicy.RETAIN)",
    ):
        assert setting in text, setting


def test_the_stack_has_capacity_settings_and_replicas() -> None:
    text = cdk(SCALED)
    for setting in (
        "from aws_cdk import aws_applicationautoscaling as autoscaling",
        "by_team_write = autoscaling.CfnScalableTarget(",
        'resource_id=f"table/{self.scaled_main_table.ref}/index/by-team"',
        "dynamodb.CfnTable.OnDemandThroughputProperty(max_read_request_units=100, max_write_request_units=50)",
        "self.global_table = dynamodb.CfnGlobalTable(",
        "dynamodb.CfnGlobalTable.ReplicaSpecificationProperty(region=self.region",
        "ReplicaSpecificationProperty(region='eu-west-1'",
    ):
        assert setting in text, setting
    assert "autoscaling" not in cdk(RICH)
