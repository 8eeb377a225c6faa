"""CloudFormation: a template with every table of a design.

Tables are retained when the stack is deleted, or when a change would replace them, so that no deployment loses data.
"""

import json
from typing import Any

from tablewright.design.designs import Design
from tablewright.design.tables.tables import Table
from tablewright.generate.infrastructure_names import ANY, filled, is_variable, logical_id, varies, words

STACK = "AWS::StackName"


def cloudformation(design: Design) -> str:
    """The template as JSON."""
    return json.dumps(template(design), indent=2) + "\n"


def template(design: Design) -> dict[str, Any]:
    """The template as data."""
    made: dict[str, Any] = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"The tables of {design.name}",
    }
    if varies(design, but_for=STACK):
        about = {"Type": "String", "Description": "Environment in the table names"}
        made["Parameters"] = {"Environment": about}
    made["Resources"] = {logical_id(table): _resource(table) for table in design.tables}
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
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": properties(table),
    }


def properties(table: Table) -> dict[str, Any]:
    """The CloudFormation properties of a table: the members of CreateTable, some of them under other names."""
    made = table.definition(ANY)
    name = filled(table, "${Environment}", **{STACK: f"${{{STACK}}}"})
    made["TableName"] = {"Fn::Sub": name} if is_variable(table) else name
    if stream := made.pop("StreamSpecification", None):
        made["StreamSpecification"] = {"StreamViewType": stream["StreamViewType"]}
    if sse := made.pop("SSESpecification", None):
        key = {"KMSMasterKeyId": sse["KMSMasterKeyId"]}
        made["SSESpecification"] = {"SSEEnabled": True, "SSEType": "KMS", **key}
    if table.ttl is not None:
        made["TimeToLiveSpecification"] = {"AttributeName": table.ttl, "Enabled": True}
    if table.point_in_time_recovery:
        made["PointInTimeRecoverySpecification"] = {"PointInTimeRecoveryEnabled": True}
    return made
