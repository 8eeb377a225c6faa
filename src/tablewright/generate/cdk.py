"""CDK: a stack in Python with every table of a design.

It uses the constructs that map one to one to CloudFormation, so it does not depend on defaults that change.
"""

from collections.abc import Iterator
from typing import Any

from tablewright.design.designs import Design
from tablewright.design.tables import Table
from tablewright.generate.cloudformation import global_properties, properties
from tablewright.generate.infrastructure_names import (
    Verbatim,
    class_name,
    filled,
    is_variable,
    logical_id,
    require_distinct,
    scaling_targets,
    snake,
    snake_case,
    varies,
)

_HEAD = '''"""The tables of {name}, for the AWS CDK."""

from aws_cdk import CfnTag, RemovalPolicy, Stack
{scaling}from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct


class {stack}(Stack):
    """The tables of {name}."""

    def __init__(self, scope: Construct, construct_id: str, {environment}**kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)
'''

_SCALING_IMPORT = "from aws_cdk import aws_applicationautoscaling as autoscaling\n"

# Members of CfnTable and CfnGlobalTable that have their own construct, by their CloudFormation names.
_KINDS = {
    "AttributeDefinitions": "AttributeDefinitionProperty",
    "KeySchema": "KeySchemaProperty",
    "GlobalSecondaryIndexes": "GlobalSecondaryIndexProperty",
    "LocalSecondaryIndexes": "LocalSecondaryIndexProperty",
    "VectorIndexes": "VectorIndexProperty",
    "VectorAttribute": "VectorAttributeProperty",
    "SearchSchema": "SearchSchemaElementProperty",
    "Projection": "ProjectionProperty",
    "ProvisionedThroughput": "ProvisionedThroughputProperty",
    "StreamSpecification": "StreamSpecificationProperty",
    "SSESpecification": "SSESpecificationProperty",
    "TimeToLiveSpecification": "TimeToLiveSpecificationProperty",
    "PointInTimeRecoverySpecification": "PointInTimeRecoverySpecificationProperty",
    "ContributorInsightsSpecification": "ContributorInsightsSpecificationProperty",
    "OnDemandThroughput": "OnDemandThroughputProperty",
    "WarmThroughput": "WarmThroughputProperty",
    "ResourcePolicy": "ResourcePolicyProperty",
    "Replicas": "ReplicaSpecificationProperty",
    "ReadOnDemandThroughputSettings": "ReadOnDemandThroughputSettingsProperty",
    "WriteOnDemandThroughputSettings": "WriteOnDemandThroughputSettingsProperty",
    "ReadProvisionedThroughputSettings": "ReadProvisionedThroughputSettingsProperty",
    "WriteProvisionedThroughputSettings": "WriteProvisionedThroughputSettingsProperty",
    "ReadCapacityAutoScalingSettings": "CapacityAutoScalingSettingsProperty",
    "WriteCapacityAutoScalingSettings": "CapacityAutoScalingSettingsProperty",
    "TargetTrackingScalingPolicyConfiguration": "TargetTrackingScalingPolicyConfigurationProperty",
}
_REPLICA_ENCRYPTION = "ReplicaSSESpecificationProperty"
_SNAKE_NAMES = {"SSESpecification": "sse_specification", "KMSMasterKeyId": "kms_master_key_id"}


def cdk(design: Design) -> str:
    """The stack as Python code."""
    require_distinct(design)
    environment = "environment: str, " if varies(design) else ""
    scaling = _SCALING_IMPORT if any(any(_scaling(table)) for table in design.tables) else ""
    name = design.name.replace("\\", " ").replace('"', "'")  # it is in a docstring
    lines = [_HEAD.format(name=name, stack=class_name(design), environment=environment, scaling=scaling)]
    for table in design.tables:
        lines.append(_construct(table))
        lines += _scaling(table)
    return "\n".join(lines)


def _construct(table: Table) -> str:
    kind = "CfnGlobalTable" if table.replicas else "CfnTable"
    members = global_properties(table) if table.replicas else properties(table)
    name = filled(table, "{environment}")
    members["TableName"] = Verbatim(f'f"{name}"' if is_variable(table) else repr(name))
    if table.replicas:
        members["Replicas"][0]["Region"] = Verbatim("self.region")
    arguments = "".join(
        f"            {_snake(key)}={_shown(key, value, 3, kind)},\n" for key, value in members.items()
    )
    return (
        f"        self.{snake(table)}_table = dynamodb.{kind}(\n            self,\n"
        f'            "{logical_id(table)}",\n{arguments}        )\n'
        f"        self.{snake(table)}_table.apply_removal_policy(RemovalPolicy.RETAIN)\n"
    )


def _scaling(table: Table) -> Iterator[str]:
    """The scalable targets and policies of autoscaled capacity; a global table has its own."""
    if table.replicas:
        return
    for target in scaling_targets(table):
        name, variable = f"{logical_id(table)}{target.label}", snake_case(target.label)
        yield (
            f"        {variable} = autoscaling.CfnScalableTarget(\n            self,\n"
            f'            "{name}Target",\n'
            f'            service_namespace="dynamodb",\n'
            f'            scalable_dimension="{target.dimension}",\n'
            f'            resource_id=f"table/{{self.{snake(table)}_table.ref}}{target.index_path}",\n'
            f"            min_capacity={target.least},\n            max_capacity={target.most},\n        )\n"
            f"        autoscaling.CfnScalingPolicy(\n            self,\n"
            f'            "{name}Policy",\n            policy_name="{name}Policy",\n'
            f'            policy_type="TargetTrackingScaling",\n            scaling_target_id={variable}.ref,\n'
            "            target_tracking_scaling_policy_configuration="
            "autoscaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty(\n"
            f"                target_value={target.percent},\n"
            "                predefined_metric_specification="
            "autoscaling.CfnScalingPolicy.PredefinedMetricSpecificationProperty(\n"
            f'                    predefined_metric_type="{target.metric}"\n'
            "                ),\n            ),\n        )\n"
        )


def _snake(name: str) -> str:
    if name in _SNAKE_NAMES:
        return _SNAKE_NAMES[name]
    snake_name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
    return snake_name.replace("s_s_e_", "sse_")


def _shown(name: str, value: Any, depth: int, kind: str) -> str:
    pad = "    " * depth
    match value:
        case Verbatim():
            return str(value)
        case [dict(), *_]:
            inner = "".join(f"{pad}    {_shown(name, element, depth + 1, kind)},\n" for element in value)
            return f"[\n{inner}{pad}]"
        case dict() if name == "Tags":
            return f"CfnTag(key={value['Key']!r}, value={value['Value']!r})"
        case dict() if name == "PolicyDocument":
            return repr(value)
        case dict():
            inner = ", ".join(
                f"{_snake(key)}={_shown(key, member, depth, kind)}" for key, member in value.items()
            )
            is_of_replica = name == "SSESpecification" and "SSEEnabled" not in value
            made = _REPLICA_ENCRYPTION if is_of_replica else _KINDS[name]
            return f"dynamodb.{kind}.{made}({inner})"
        case _:
            return repr(value)
