"""Terraform: a module with every table of a design, for the AWS provider."""

import json
from collections.abc import Iterator
from typing import Any

from tablewright.design.billing import Billing, OnDemand, Provisioned, WarmThroughput
from tablewright.design.designs import Design
from tablewright.design.indexes import Index
from tablewright.design.tables import AWS_MANAGED_KEY, Table
from tablewright.generate.infrastructure_names import (
    Verbatim,
    filled,
    is_variable,
    require_distinct,
    scaling_targets,
    snake,
    snake_case,
    varies,
)


def terraform(design: Design) -> str:
    """The module as HCL."""
    require_distinct(design)
    blocks = [_requirements()]
    if varies(design):
        about = {"type": Verbatim("string"), "description": "Environment in the table names"}
        blocks.append(_block('variable "environment"', about))
    for table in design.tables:
        blocks += _vector_note(table)
        blocks.append(_block(f'resource "aws_dynamodb_table" "{snake(table)}"', _body(table)))
        blocks += _companions(table)
        value = {"value": Verbatim(f"aws_dynamodb_table.{snake(table)}.arn")}
        blocks.append(_block(f'output "{snake(table)}_arn"', value))
    return "\n".join(blocks)


def _vector_note(table: Table) -> list[str]:
    """A comment about the vector indexes, for which the AWS provider has no resource."""
    if not table.vector_indexes:
        return []
    names = ", ".join(index.name for index in table.vector_indexes)
    return [
        f"# The AWS provider has no resource for vector indexes, so this module does not create {names}.\n"
        "# Add them after each apply that creates the table: tablewright deploy MODULE:DESIGN --on aws:REGION\n"
    ]


def _requirements() -> str:
    provider = '      source  = "hashicorp/aws"\n      version = ">= 5.0"\n'
    return f"terraform {{\n  required_providers {{\n    aws = {{\n{provider}    }}\n  }}\n}}\n"


def _block(head: str, body: dict[str, Any], depth: int = 0) -> str:
    pad = "  " * depth
    return f"{pad}{head} {{\n{''.join(_lines(body, depth + 1))}{pad}}}\n"


def _lines(body: dict[str, Any], depth: int) -> Iterator[str]:
    """Arguments first, aligned as `terraform fmt` does; then maps; then nested blocks, one for each."""
    pad = "  " * depth
    plain = {
        name: value for name, value in body.items() if not isinstance(value, dict) and not _is_blocks(value)
    }
    width = max(map(len, plain), default=0)
    for name, value in plain.items():
        yield f"{pad}{name:<{width}} = {_value(value, depth)}\n"
    for name, value in body.items():
        if isinstance(value, dict):
            yield f"\n{pad}{name} = {_value(value, depth)}\n"
        elif _is_blocks(value):
            for element in value:
                yield "\n" + _block(name, element, depth)


def _is_blocks(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _value(value: Any, depth: int) -> str:
    match value:
        case Verbatim():
            return str(value)
        case [Verbatim(), *_]:
            return f"[{', '.join(value)}]"
        case dict():
            names = {_quoted(name): member for name, member in value.items()}
            width = max(map(len, names))
            inner = "".join(
                f"{'  ' * (depth + 1)}{name:<{width}} = {_value(member, depth + 1)}\n"
                for name, member in names.items()
            )
            return f"{{\n{inner}{'  ' * depth}}}"
        case str():
            return _quoted(value)
        case _:
            return json.dumps(value)


def _quoted(text: str) -> str:
    """A text without templates: Terraform would replace `${...}` and `%{...}`, which policies have too."""
    return json.dumps(text).replace("${", "$${").replace("%{", "%%{")


def _template(text: str) -> Verbatim:
    """A text in which Terraform replaces `${...}`."""
    return Verbatim(json.dumps(text))


def _body(table: Table) -> dict[str, Any]:
    name = _template(filled(table, "${var.environment}")) if is_variable(table) else table.name
    body: dict[str, Any] = {"name": name, "hash_key": table.partition}
    if table.sort is not None:
        body["range_key"] = table.sort
    body |= _billing(table)
    if table.table_class != "STANDARD":
        body["table_class"] = table.table_class
    if table.stream is not None:
        body |= {"stream_enabled": True, "stream_view_type": table.stream}
    if table.deletion_protection:
        body["deletion_protection_enabled"] = True
    if table.tags:
        body["tags"] = table.tags
    body["attribute"] = [{"name": key, "type": table.type_of(key)} for key in table.key_attributes]
    body |= _index_blocks(table)
    if table.ttl is not None:
        body["ttl"] = [{"attribute_name": table.ttl, "enabled": True}]
    if table.point_in_time_recovery:
        days = {"recovery_period_in_days": table.recovery_days} if table.recovery_days is not None else {}
        body["point_in_time_recovery"] = [{"enabled": True, **days}]
    if table.encryption_key is not None:
        key = {} if table.encryption_key == AWS_MANAGED_KEY else {"kms_key_arn": table.encryption_key}
        body["server_side_encryption"] = [{"enabled": True, **key}]
    if table.warm_throughput is not None:
        body["warm_throughput"] = [_warm(table.warm_throughput)]
    if table.replicas:
        body["replica"] = [{"region_name": region} for region in table.replicas]
    body["lifecycle"] = [{"prevent_destroy": True, **_left_to_scaling(table)}]
    return body


def _left_to_scaling(table: Table) -> dict[str, Any]:
    """Capacity that is scaled must not be set back by the next run.

    Terraform cannot ignore the capacity of an index alone: indexes are a set without names.
    """
    scaled = {target.index is None for target in scaling_targets(table)}
    names = ["read_capacity", "write_capacity"] if True in scaled else []
    names += ["global_secondary_index"] if False in scaled else []
    return {"ignore_changes": [Verbatim(name) for name in names]} if names else {}


def _warm(warm: WarmThroughput) -> dict[str, Any]:
    return {"read_units_per_second": warm.read, "write_units_per_second": warm.write}


def _companions(table: Table) -> Iterator[str]:
    """The resources beside a table: scaling, insights and its policy."""
    resource = f"aws_dynamodb_table.{snake(table)}"
    for target in scaling_targets(table):
        name = f"{snake(table)}_{snake_case(target.label)}"
        scaled = {
            "service_namespace": "dynamodb",
            "scalable_dimension": target.dimension,
            "resource_id": _template(f"table/${{{resource}.name}}{target.index_path}"),
            "min_capacity": target.least,
            "max_capacity": target.most,
        }
        yield _block(f'resource "aws_appautoscaling_target" "{name}"', scaled)
        scaled_by = f"aws_appautoscaling_target.{name}"
        metric = [{"predefined_metric_type": target.metric}]
        policy: dict[str, Any] = {
            "name": name,
            "policy_type": "TargetTrackingScaling",
            "service_namespace": Verbatim(f"{scaled_by}.service_namespace"),
            "scalable_dimension": Verbatim(f"{scaled_by}.scalable_dimension"),
            "resource_id": Verbatim(f"{scaled_by}.resource_id"),
            "target_tracking_scaling_policy_configuration": [
                {"target_value": target.percent, "predefined_metric_specification": metric}
            ],
        }
        yield _block(f'resource "aws_appautoscaling_policy" "{name}"', policy)
    insights = [None] if table.contributor_insights else []
    for index in [*insights, *(declared.name for declared in table.indexes if declared.contributor_insights)]:
        suffix = f"_{snake_case(index)}" if index else ""
        body = {"table_name": Verbatim(f"{resource}.name")} | ({"index_name": index} if index else {})
        yield _block(f'resource "aws_dynamodb_contributor_insights" "{snake(table)}{suffix}"', body)
    if table.resource_policy is not None:
        body = {"resource_arn": Verbatim(f"{resource}.arn"), "policy": json.dumps(table.resource_policy)}
        yield _block(f'resource "aws_dynamodb_resource_policy" "{snake(table)}"', body)


def _billing(table: Table) -> dict[str, Any]:
    if isinstance(table.billing, Provisioned):
        units = {"read_capacity": table.billing.read, "write_capacity": table.billing.write}
        return {"billing_mode": "PROVISIONED", **units}
    return {"billing_mode": "PAY_PER_REQUEST", **_maximums(table.billing)}


def _maximums(billing: Billing) -> dict[str, Any]:
    if not isinstance(billing, OnDemand) or billing == OnDemand():
        return {}
    limits = {"max_read_request_units": billing.max_read, "max_write_request_units": billing.max_write}
    return {"on_demand_throughput": [{name: units for name, units in limits.items() if units is not None}]}


def _index_blocks(table: Table) -> dict[str, Any]:
    arguments = {
        "global_secondary_index": [_global(table, index) for index in table.indexes if not index.local],
        "local_secondary_index": [_local(index) for index in table.indexes if index.local],
    }
    return {name: blocks for name, blocks in arguments.items() if blocks}


def _global(table: Table, index: Index) -> dict[str, Any]:
    block: dict[str, Any] = {"name": index.name}
    if len(index.partition) == 1 and len(index.sort) <= 1:
        block["hash_key"] = index.partition[0]
        if index.sort:
            block["range_key"] = index.sort[0]
    else:
        block["key_schema"] = [
            *({"attribute_name": name, "key_type": "HASH"} for name in index.partition),
            *({"attribute_name": name, "key_type": "RANGE"} for name in index.sort),
        ]
    block |= _projection(index)
    billing = table.billing_of(index)
    if isinstance(billing, Provisioned):
        block |= {"read_capacity": billing.read, "write_capacity": billing.write}
    block |= _maximums(billing)
    if index.warm_throughput is not None:
        block["warm_throughput"] = [_warm(index.warm_throughput)]
    return block


def _local(index: Index) -> dict[str, Any]:
    return {"name": index.name, "range_key": index.sort[0], **_projection(index)}


def _projection(index: Index) -> dict[str, Any]:
    if isinstance(index.projection, tuple):
        return {"projection_type": "INCLUDE", "non_key_attributes": list(index.projection)}
    return {"projection_type": index.projection}
