"""CDK stacks: valid Python with a construct for each table."""

import ast

import pytest

from tablewright import Design
from tablewright.generate.cdk import cdk
from tests.generate.designs import DESIGNS, RICH


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_the_stack_has_a_construct_for_each_table(design: Design) -> None:
    calls = [node.func for node in ast.walk(ast.parse(cdk(design))) if isinstance(node, ast.Call)]
    tables = [call for call in calls if isinstance(call, ast.Attribute) and call.attr == "CfnTable"]
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
