"""What the document asks of CloudFormation and IAM: its tables as a template, and policies that allow no more.

A policy names tables and indexes, never `*`. Where the partition key of a table begins with the tenant, it also says
that only the tenant's keys may be touched; where it does not (users, connections, tokens, lookups by id), the service
compares the accountId of what it read.
"""

from collections.abc import Iterable
from typing import Any

from tablewright import Entity, Table
from tablewright_systems.listbackup.design import design

TENANT = "${aws:PrincipalTag/accountId}"
READS = {"get": "dynamodb:GetItem", "batch": "dynamodb:BatchGetItem", "scan": "dynamodb:Scan"}
WRITES = (
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:DeleteItem",
    "dynamodb:ConditionCheckItem",
)


def template() -> dict[str, Any]:
    """All tables as a CloudFormation template; names are made of the stack's."""
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Resources": {_logical(table): _resource(table) for table in design.tables},
    }


def policy(patterns: Iterable[Any], writes: Iterable[type[Entity]] = ()) -> dict[str, Any]:
    """What a function may do that runs these patterns and writes these entities."""
    statements = [_reading(pattern) for pattern in patterns]
    statements += [_statement(WRITES, entity.layout.table, None, _is_tenants(entity)) for entity in writes]
    unique = list({str(statement): statement for statement in statements}.values())
    return {"Version": "2012-10-17", "Statement": unique}


def _reading(pattern: Any) -> dict[str, Any]:
    plan = pattern.plan
    action = READS.get(plan.kind, "dynamodb:Query")
    index = plan.index.name if plan.index else None
    tenants = any(clause.templates[0].names[:1] == ("account_id",) for clause in plan.partition_clauses)
    return _statement((action,), plan.table, index, tenants)


def _statement(actions: Iterable[str], table: Table, index: str | None, tenants: bool) -> dict[str, Any]:
    place = f"table/{table.name}" + (f"/index/{index}" if index else "")
    statement: dict[str, Any] = {
        "Effect": "Allow",
        "Action": list(actions),
        "Resource": {
            "Fn::Sub": f"arn:${{AWS::Partition}}:dynamodb:${{AWS::Region}}:${{AWS::AccountId}}:{place}"
        },
    }
    if tenants:
        keys = [TENANT, f"{TENANT}#*"]
        statement["Condition"] = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": keys}}
    return statement


def _is_tenants(entity: type[Entity]) -> bool:
    _, partition = entity.layout.primary.parts[0]
    return partition.names[:1] == ("account_id",)


def _logical(table: Table) -> str:
    words = table.name.removeprefix("${AWS::StackName}-").split("-")
    return "".join(word.capitalize() for word in words) + "Table"


def _resource(table: Table) -> dict[str, Any]:
    definition = table.definition("stack")
    kept = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")
    properties: dict[str, Any] = {"TableName": {"Fn::Sub": table.name}}
    properties |= {name: definition[name] for name in kept if name in definition}
    # The key is AWS's own for DynamoDB (aws/dynamodb): there is one for a table, never one for a tenant.
    properties["SSESpecification"] = {"SSEEnabled": True, "SSEType": "KMS"}
    if table.ttl is not None:
        properties["TimeToLiveSpecification"] = {"AttributeName": table.ttl, "Enabled": True}
    return {
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": properties,
    }
