"""Search conditions: the equalities of a SearchConditionExpression on attributes of the search schema."""

from collections.abc import Mapping
from typing import NamedTuple

from tablewright.dynamodb.expressions import ItemCondition
from tablewright.dynamodb.expressions.nodes import And, ComparisonNode, ConditionNode, Constant, Path
from tablewright.dynamodb.values.attributes import AttributeValue, type_of
from tablewright.dynamodb.values.key_bytes import after, partition
from tablewright.engine.core.state.key_schema import empty_key, require_hash_size
from tablewright.engine.features.vectors.vector_index import VectorIndex
from tablewright.errors import ValidationError

KIND = "SearchConditionExpression"
_INVALID = f"Invalid {KIND}: "


class Equality(NamedTuple):
    """A condition that an attribute has a value."""

    path: Path
    value: AttributeValue


class Range(NamedTuple):
    """The rows of an index that a search compares: a range of keys, and values of inline filters."""

    low: bytes
    high: bytes | None
    filters: Mapping[str, AttributeValue]


def equalities_of(condition: ItemCondition) -> list[Equality]:
    """The equalities of a condition that has nothing else."""
    return _equalities(condition.node)


def _equalities(node: ConditionNode) -> list[Equality]:
    match node:
        case And(terms):
            return [equality for term in terms for equality in _equalities(term)]
        case ComparisonNode("=", Path() as path, Constant(value)) | ComparisonNode(
            "=", Constant(value), Path() as path
        ):
            return [Equality(path, value)]
        case _:
            raise ValidationError(f"{_INVALID}Invalid comparator used in {KIND}")


def range_of(index: VectorIndex, equalities: list[Equality] | None) -> Range:
    """The rows that a search with these equalities compares; None when the request has no condition."""
    if equalities is None:
        if index.hash is not None:
            raise ValidationError(f"{KIND} must be provided when SearchSchema has a HASH key")
        return Range(b"", None, {})
    values = _values(index, equalities)
    if index.hash is None:
        return Range(b"", None, values)
    (name,) = index.hash.names
    if name not in values:
        raise ValidationError(f"{KIND} must have all HASH attributes in configured SearchSchema")
    value = values.pop(name)
    kind = type_of(value)
    if not value[kind]:
        raise ValidationError(f"One or more parameter values are not valid. {empty_key(kind)} Key: {name}")
    require_hash_size(value)
    low = partition([value])
    return Range(low, after(low), values)


def _values(index: VectorIndex, equalities: list[Equality]) -> dict[str, AttributeValue]:
    for path, _ in equalities:
        if path.attribute not in index.types:
            raise ValidationError(
                f"{KIND} must not contain any attributes that is not in SearchSchema. "
                f"Invalid attribute: {path.attribute}"
            )
    if any(len(path.parts) > 1 for path, _ in equalities):
        raise ValidationError(f"{_INVALID}{KIND} cannot have conditions on nested attributes")
    values = {path.attribute: value for path, value in equalities}
    if len(values) < len(equalities):
        raise ValidationError(f"{_INVALID}{KIND} must only contain one condition per attribute")
    for name, value in values.items():
        if index.types[name] not in value:
            raise ValidationError(
                f"Type of '{name}' attribute in {KIND} ({type_of(value)}) does not match type in search schema "
                f"({index.types[name]})"
            )
    return values
