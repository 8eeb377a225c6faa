"""CloudFormation: a template with every table of a design.

Tables are retained when the stack is deleted, or when a change would replace them, so that no deployment loses data.
"""

import json
from typing import Any

from tablewright.design.billing import Autoscaled, Billing, Provisioned
from tablewright.design.designs import Design
from tablewright.design.tables import Table
from tablewright.generate.infrastructure_names import (
    ANY,
    filled,
    is_variable,
    logical_id,
    require_distinct,
    scaling_targets,
    varies,
    words,
)

STACK = "AWS::StackName"


def cloudformation(design: Design) -> str:
    """The template as JSON."""
    return json.dumps(template(design), indent=2) + "\n"


def template(design: Design) -> dict[str, Any]:
    """The template as data."""
    require_distinct(design)
    made: dict[str, Any] = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"The tables of {design.name}",
    }
    if varies(design, but_for=STACK):
        about = {"Type": "String", "Description": "Environment in the table names"}
        made["Parameters"] = {"Environment": about}
    made["Resources"] = {logical_id(table): _resource(table) for table in design.tables}
    for table in design.tables:
        made["Resources"] |= scaling_resources(table)
    made["Outputs"] = {
        f"{logical_id(table)}Arn": {
            "Description": f"The ARN of {' '.join(words(table))}",
            "Value": {"Fn::GetAtt": [logical_id(table), "Arn"]},
        }
        for table in design.tables
    }
    return made


def _resource(table: Table) -> dict[str, Any]:
    return {
        "Type": "AWS::DynamoDB::GlobalTable" if table.replicas else "AWS::DynamoDB::Table",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": global_properties(table) if table.replicas else properties(table),
    }


def properties(table: Table) -> dict[str, Any]:
    """The CloudFormation properties of a table: the members of CreateTable, some of them under other names."""
    made = table.definition(ANY)
    made["TableName"] = _name(table)
    if stream := made.pop("StreamSpecification", None):
        made["StreamSpecification"] = {"StreamViewType": stream["StreamViewType"]}
    if sse := made.pop("SSESpecification", None):
        key = {"KMSMasterKeyId": sse["KMSMasterKeyId"]} if "KMSMasterKeyId" in sse else {}
        made["SSESpecification"] = {"SSEEnabled": True, "SSEType": "KMS", **key}
    for entry in made.get("GlobalSecondaryIndexes", ()):
        if table.index(entry["IndexName"]).contributor_insights is not None:
            on = bool(table.index(entry["IndexName"]).contributor_insights)
            entry["ContributorInsightsSpecification"] = {"Enabled": on}
    return made | _own_properties(table)


def _name(table: Table) -> Any:
    name = filled(table, "${Environment}", **{STACK: f"${{{STACK}}}"})
    return {"Fn::Sub": name} if is_variable(table) else name


def _own_properties(table: Table) -> dict[str, Any]:
    """The properties that CreateTable does not have, or has in another form."""
    made: dict[str, Any] = {}
    if table.ttl is not None:
        made["TimeToLiveSpecification"] = {"AttributeName": table.ttl, "Enabled": True}
    if table.point_in_time_recovery:
        days = {"RecoveryPeriodInDays": table.recovery_days} if table.recovery_days is not None else {}
        made["PointInTimeRecoverySpecification"] = {"PointInTimeRecoveryEnabled": True, **days}
    if "contributor_insights" in table.stated:
        made["ContributorInsightsSpecification"] = {"Enabled": table.contributor_insights}
    if table.resource_policy is not None:
        made["ResourcePolicy"] = {"PolicyDocument": table.resource_policy}
    return made


# What each replica of a global table has for itself; everything else is common to all.
_OF_REPLICAS = (
    "PointInTimeRecoverySpecification",
    "ContributorInsightsSpecification",
    "DeletionProtectionEnabled",
    "ResourcePolicy",
    "TableClass",
    "Tags",
)


def global_properties(table: Table) -> dict[str, Any]:
    """The CloudFormation properties of a table with replicas: its own region, and one replica for each other."""
    made = properties(table)
    own = {name: made.pop(name) for name in _OF_REPLICAS if name in made}
    indexes = made.get("GlobalSecondaryIndexes", [])
    made.pop("ProvisionedThroughput", None)
    if limits := made.pop("OnDemandThroughput", None):
        if "MaxWriteRequestUnits" in limits:
            made["WriteOnDemandThroughputSettings"] = {"MaxWriteRequestUnits": limits["MaxWriteRequestUnits"]}
        if "MaxReadRequestUnits" in limits:
            own["ReadOnDemandThroughputSettings"] = {"MaxReadRequestUnits": limits["MaxReadRequestUnits"]}
    sse = made.get("SSESpecification", {})
    if key := sse.pop("KMSMasterKeyId", None):
        own["SSESpecification"] = {"KMSMasterKeyId": key}
    for entry in indexes:
        entry.pop("ProvisionedThroughput", None)
        entry.pop("OnDemandThroughput", None)
        entry.pop("ContributorInsightsSpecification", None)
    if isinstance(table.billing, Provisioned):
        made["WriteProvisionedThroughputSettings"] = _scaled(table.billing, "Write")
        own["ReadProvisionedThroughputSettings"] = _scaled(table.billing, "Read")
        for entry in indexes:
            billing = table.billing_of(table.index(entry["IndexName"]))
            entry["WriteProvisionedThroughputSettings"] = _scaled(billing, "Write")
    regions = [{"Ref": "AWS::Region"}, *table.replicas]
    return made | {"Replicas": [{"Region": region, **own} for region in regions]}


def _scaled(billing: Billing, kind: str) -> dict[str, Any]:
    """The capacity settings of a global table, which always scales its writes."""
    assert isinstance(billing, Provisioned)
    least = billing.read if kind == "Read" else billing.write
    most, target = least, 70
    if isinstance(billing, Autoscaled):
        most, target = (billing.max_read if kind == "Read" else billing.max_write), billing.target
    if kind == "Read" and most == least:
        return {"ReadCapacityUnits": least}
    tracking = {"TargetTrackingScalingPolicyConfiguration": {"TargetValue": target}}
    settings = {"MinCapacity": least, "MaxCapacity": most, **tracking}
    return {f"{kind}CapacityAutoScalingSettings": settings}


def scaling_resources(table: Table) -> dict[str, Any]:
    """The scalable targets and policies of a table and its indexes with autoscaled capacity."""
    made: dict[str, Any] = {}
    if table.replicas:
        return made
    for target in scaling_targets(table):
        name = f"{logical_id(table)}{target.label}"
        made[f"{name}Target"] = {
            "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
            "Properties": {
                "ServiceNamespace": "dynamodb",
                "ScalableDimension": target.dimension,
                "ResourceId": {"Fn::Sub": f"table/${{{logical_id(table)}}}{target.index_path}"},
                "MinCapacity": target.least,
                "MaxCapacity": target.most,
            },
        }
        made[f"{name}Policy"] = {
            "Type": "AWS::ApplicationAutoScaling::ScalingPolicy",
            "Properties": {
                "PolicyName": f"{name}Policy",
                "PolicyType": "TargetTrackingScaling",
                "ScalingTargetId": {"Ref": f"{name}Target"},
                "TargetTrackingScalingPolicyConfiguration": {
                    "TargetValue": target.percent,
                    "PredefinedMetricSpecification": {"PredefinedMetricType": target.metric},
                },
            },
        }
    return made
