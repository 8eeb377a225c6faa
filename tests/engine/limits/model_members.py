"""Every constrained member of AWS's service model: lengths, ranges, patterns and choices, as requests at each edge.

A request has the required members with simple valid values, and one member at an edge of its constraint. Outside of the
constraint it must be rejected with a message about that member; inside, any reply will do that is not such a message.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import botocore.session
from botocore.model import ListShape, MapShape, Shape, StructureShape

from tablewright.engine.core.operations import find_operation
from tablewright.engine.core.requests.shapes import Structure
from tablewright.engine.core.requests.unsupported import UNSUPPORTED
from tests.engine.limits.limit_tables import ARN, PLAIN, table

SERVICES = ("dynamodb", "dynamodbstreams")
OUTSIDE_PATTERN = 'no, "such" $!\x01'
SAMPLES: dict[str, Any] = {
    "TableName": PLAIN,
    "TableArn": ARN + PLAIN,
    "ResourceArnString": ARN + PLAIN,
    "StreamArn": f"{ARN}{PLAIN}/stream/2026-01-01T00:00:00.000",
    "BackupArn": f"{ARN}{PLAIN}/backup/01489602797149-73d8d5bc",
    "ExportArn": f"{ARN}{PLAIN}/export/01489602797149-73d8d5bc",
    "ImportArn": f"{ARN}{PLAIN}/import/01489602797149-73d8d5bc",
    "IndexName": "index",
    "BackupName": "backup",
    "AttributeValue": {"S": "k"},
    "PartiQLStatement": f"SELECT * FROM \"{PLAIN}\" WHERE p = 'k'",
    "ConditionExpression": "attribute_exists(p)",
    "UpdateExpression": "REMOVE a",
    "ExpressionAttributeNameVariable": "#n",
    "ExpressionAttributeValueVariable": ":v",
    "SequenceNumber": "0" * 21,
    "ShardId": "shardId-00000000000000000000-00000000",
    "CsvDelimiter": ",",
    "S3Bucket": "bucket",
    "ImportNextToken": "0" * 112,
    "S3BucketOwner": "123456789012",
    "AttributeName": "p",
    "KeySchemaAttributeName": "p",
    "TagKeyString": "key",
}
NEEDED: dict[str, dict[str, Any]] = {
    "CreateTable": {key: value for key, value in table("new", "p").items() if key != "TableName"},
    "ImportTable": {"ClientToken": "token", "InputFormat": "CSV"},
    "SearchVectors": {"SearchVector": [{"N": "1"}]},
}
"""Members that requests need although the model does not require them."""
NAMED_INDEXES = ("GlobalSecondaryIndexAutoScalingUpdate", "ReplicaGlobalSecondaryIndexAutoScalingUpdate")
"""Updates of an index need its name, although the model does not require it."""
A_NAME = {"min": 3, "max": 255}
"""The model has the lengths of an ARN for TableName; a name has these."""


@dataclass(frozen=True)
class Edge:
    """A request with one member at an edge of its constraint."""

    operation: str
    path: tuple[str, ...]
    """The names of the members from the request to this one; `0` is an element of a list, `*` a value of a map."""
    constraint: str
    is_inside: bool
    request: dict[str, Any]

    @property
    def member(self) -> str:
        return f"{self.operation}.{'.'.join(self.path)}"

    @property
    def id(self) -> str:
        return f"{self.member} {self.constraint}"


def edges() -> Iterator[Edge]:
    """All edges of the members of all implemented operations."""
    session = botocore.session.Session()
    for service in SERVICES:
        model = session.get_service_model(service)
        for name in model.operation_names:
            operation = find_operation(name)
            shape = model.operation_model(name).input_shape
            if operation is not None and shape is not None:
                yield from _edges_of(name, shape, operation.shape)


def _edges_of(operation: str, whole: StructureShape, own: Structure) -> Iterator[Edge]:
    for path, shape in _members(whole, (), own):
        for constraint, is_inside, value in _values(shape, A_NAME if path[-1] == "TableName" else {}):
            needed = {name: each for name, each in NEEDED.get(operation, {}).items() if name != path[0]}
            yield Edge(operation, path, constraint, is_inside, _with(whole, path, value) | needed)


def _members(shape: Shape, path: tuple[str, ...], own: Any) -> Iterator[tuple[tuple[str, ...], Shape]]:
    """The members inside of a shape, each once; attribute values and unsupported members are left out."""
    if path:
        yield path, shape
    if shape.name == "AttributeValue" or own is UNSUPPORTED:
        return
    if isinstance(shape, StructureShape):
        for name, member in shape.members.items():
            inner = own.members.get(name) if isinstance(own, Structure) else None
            if inner is not UNSUPPORTED:
                yield from _members(member, (*path, name), inner)
    elif isinstance(shape, ListShape):
        yield from _members(shape.member, (*path, "0"), getattr(own, "element", None))
    elif isinstance(shape, MapShape):
        yield from _members(shape.value, (*path, "*"), getattr(own, "element", None))


def _values(shape: Shape, corrected: dict[str, int]) -> Iterator[tuple[str, bool, Any]]:
    """Values at the edges of a shape's constraints."""
    limits = {**shape.metadata, **corrected}
    for choice in limits.get("enum", ()):
        yield f"is {choice}", True, choice
    if "enum" in limits:
        yield "is no choice", False, "NO_SUCH_CHOICE"
    if "pattern" in limits:
        yield "has another pattern", False, _of_length(shape, max(limits.get("min", 1), 20), bad=True)
    least, most = limits.get("min"), limits.get("max")
    if least is not None:
        if least > 0 or shape.type_name in ("integer", "long"):
            yield f"below {least}", False, _sized(shape, least - 1)
        yield f"at {least}", True, _sized(shape, least)
    if most is not None:
        yield f"at {most}", True, _sized(shape, most)
        yield f"above {most}", False, _sized(shape, most + 1)


def _sized(shape: Shape, size: int) -> Any:
    """A value with that length, or that number."""
    if shape.type_name in ("integer", "long"):
        return size
    if isinstance(shape, ListShape):
        return [sample(shape.member, number) for number in range(size)]
    if isinstance(shape, MapShape):
        return {f"{PLAIN}-{number}": sample(shape.value) for number in range(size)}
    return _of_length(shape, size)


def _of_length(shape: Shape, length: int, *, bad: bool = False) -> str:
    if bad:
        return (OUTSIDE_PATTERN * length)[:length]
    fill = {"CsvDelimiter": ",", "ImportNextToken": "0", "SequenceNumber": "1"}.get(shape.name, "a")
    return fill * length


def sample(shape: Shape, number: int = 0) -> Any:
    """A simple valid value; different numbers give different names and keys."""
    if shape.name == "AttributeValue":
        return {"S": f"k{number}"}
    if shape.name == "WriteRequest":
        return {"DeleteRequest": {"Key": {"p": {"S": f"k{number}"}}}}
    if isinstance(shape, StructureShape):
        required = [*shape.required_members, *(["IndexName"] if shape.name in NAMED_INDEXES else [])]
        return {name: sample(shape.members[name], number) for name in required}
    if isinstance(shape, ListShape):
        return [sample(shape.member, number)]
    if isinstance(shape, MapShape):
        return {_key(shape, number): sample(shape.value, number)}
    if shape.metadata.get("enum"):
        return shape.metadata["enum"][0]
    if shape.name in SAMPLES:
        return SAMPLES[shape.name]
    if shape.type_name in ("integer", "long"):
        return max(shape.metadata.get("min", 1), 1)
    simple: dict[str, Any] = {"boolean": True, "timestamp": 1_700_000_000, "double": 1.0, "float": 1.0}
    return simple.get(shape.type_name, "text")


def _key(shape: MapShape, number: int) -> str:
    if shape.name in ("BatchGetRequestMap", "BatchWriteItemRequestMap"):
        return PLAIN
    return str(SAMPLES.get(shape.key.name, "p"))


def _with(shape: Shape, path: tuple[str, ...], value: Any) -> Any:
    """A valid value of the shape, with the member of that path."""
    if not path:
        return value
    first, *rest = path
    if isinstance(shape, StructureShape):
        whole = sample(shape)
        return whole | {first: _with(shape.members[first], tuple(rest), value)}
    if isinstance(shape, ListShape):
        return [_with(shape.member, tuple(rest), value)]
    assert isinstance(shape, MapShape)
    return {_key(shape, 0): _with(shape.value, tuple(rest), value)}
