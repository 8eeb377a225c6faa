"""Terraform: a module with every table of a design, for the AWS provider."""

import json
from collections.abc import Iterator
from typing import Any

from tablewright.design.designs import Design
from tablewright.design.tables.billing import Provisioned
from tablewright.design.tables.tables import Index, Table
from tablewright.generate.infrastructure_names import Verbatim, filled, is_variable, snake, varies


def terraform(design: Design) -> str:
    """The module as HCL."""
    blocks = [_requirements()]
    if varies(design):
        about = {"type": Verbatim("string"), "description": "Environment in the table names"}
        blocks.append(_block('variable "environment"', about))
    for table in design.tables:
        blocks.append(_block(f'resource "aws_dynamodb_table" "{snake(table)}"', _body(table)))
        value = {"value": Verbatim(f"aws_dynamodb_table.{snake(table)}.arn")}
        blocks.append(_block(f'output "{snake(table)}_arn"', value))
    return "\n".join(blocks)


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
            for each in value:
                yield "\n" + _block(name, each, depth)


def _is_blocks(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _value(value: Any, depth: int) -> str:
    match value:
        case Verbatim():
            return str(value)
        case dict():
            names = {json.dumps(name): each for name, each in value.items()}
            width = max(map(len, names))
            inner = "".join(
                f"{'  ' * (depth + 1)}{name:<{width}} = {_value(each, depth + 1)}\n"
                for name, each in names.items()
            )
            return f"{{\n{inner}{'  ' * depth}}}"
        case _:
            return json.dumps(value)


def _body(table: Table) -> dict[str, Any]:
    name = filled(table, "${var.environment}") if is_variable(table) else table.name
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
        body["point_in_time_recovery"] = [{"enabled": True}]
    if table.encryption_key is not None:
        body["server_side_encryption"] = [{"enabled": True, "kms_key_arn": table.encryption_key}]
    body["lifecycle"] = [{"prevent_destroy": True}]
    return body


def _billing(table: Table) -> dict[str, Any]:
    if isinstance(table.billing, Provisioned):
        units = {"read_capacity": table.billing.read, "write_capacity": table.billing.write}
        return {"billing_mode": "PROVISIONED", **units}
    return {"billing_mode": "PAY_PER_REQUEST"}


def _index_blocks(table: Table) -> dict[str, Any]:
    found = {
        "global_secondary_index": [_global(table, index) for index in table.indexes if not index.local],
        "local_secondary_index": [_local(index) for index in table.indexes if index.local],
    }
    return {name: blocks for name, blocks in found.items() if blocks}


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
    if isinstance(table.billing, Provisioned):
        block |= {"read_capacity": table.billing.read, "write_capacity": table.billing.write}
    return block


def _local(index: Index) -> dict[str, Any]:
    return {"name": index.name, "range_key": index.sort[0], **_projection(index)}


def _projection(index: Index) -> dict[str, Any]:
    if isinstance(index.projection, tuple):
        return {"projection_type": "INCLUDE", "non_key_attributes": list(index.projection)}
    return {"projection_type": index.projection}
