"""CDK: a stack in Python with every table of a design.

It uses the constructs that map one to one to CloudFormation, so it does not depend on defaults that change.
"""

from typing import Any

from tablewright.design.designs import Design
from tablewright.generate.cloudformation import properties
from tablewright.generate.infrastructure_names import Verbatim, filled, is_variable, logical_id, snake, varies

_HEAD = '''"""The tables of {name}, for the AWS CDK."""

from aws_cdk import CfnTag, RemovalPolicy, Stack
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct


class {stack}(Stack):
    """The tables of {name}."""

    def __init__(self, scope: Construct, construct_id: str, {environment}**kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)
'''

# Members of CfnTable that have their own construct, by their CloudFormation names.
_KINDS = {
    "AttributeDefinitions": "AttributeDefinitionProperty",
    "KeySchema": "KeySchemaProperty",
    "GlobalSecondaryIndexes": "GlobalSecondaryIndexProperty",
    "LocalSecondaryIndexes": "LocalSecondaryIndexProperty",
    "Projection": "ProjectionProperty",
    "ProvisionedThroughput": "ProvisionedThroughputProperty",
    "StreamSpecification": "StreamSpecificationProperty",
    "SSESpecification": "SSESpecificationProperty",
    "TimeToLiveSpecification": "TimeToLiveSpecificationProperty",
    "PointInTimeRecoverySpecification": "PointInTimeRecoverySpecificationProperty",
}
_SNAKE_NAMES = {"SSESpecification": "sse_specification", "KMSMasterKeyId": "kms_master_key_id"}


def cdk(design: Design) -> str:
    """The stack as Python code."""
    stack = "".join(word.capitalize() for word in design.name.replace("-", "_").split("_")) + "Tables"
    environment = "environment: str, " if varies(design) else ""
    lines = [_HEAD.format(name=design.name, stack=stack, environment=environment)]
    for table in design.tables:
        members = properties(table)
        name = filled(table, "{environment}")
        members["TableName"] = Verbatim(f'f"{name}"' if is_variable(table) else repr(name))
        given = "".join(
            f"            {_snake(key)}={_shown(key, value, 3)},\n" for key, value in members.items()
        )
        lines.append(
            f"        self.{snake(table)}_table = dynamodb.CfnTable(\n            self,\n"
            f'            "{logical_id(table)}",\n{given}        )\n'
            f"        self.{snake(table)}_table.apply_removal_policy(RemovalPolicy.RETAIN)\n"
        )
    return "\n".join(lines)


def _snake(name: str) -> str:
    if name in _SNAKE_NAMES:
        return _SNAKE_NAMES[name]
    snake_name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
    return snake_name.replace("s_s_e_", "sse_")


def _shown(name: str, value: Any, depth: int) -> str:
    pad = "    " * depth
    match value:
        case Verbatim():
            return str(value)
        case [dict(), *_]:
            inner = "".join(f"{pad}    {_shown(name, each, depth + 1)},\n" for each in value)
            return f"[\n{inner}{pad}]"
        case dict() if name == "Tags":
            return f"CfnTag(key={value['Key']!r}, value={value['Value']!r})"
        case dict():
            inner = ", ".join(f"{_snake(key)}={_shown(key, each, depth)}" for key, each in value.items())
            return f"dynamodb.CfnTable.{_KINDS[name]}({inner})"
        case _:
            return repr(value)
