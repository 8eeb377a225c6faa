"""Conditions in Python: `User.status == "ACTIVE"`, `(Role.is_open == True) & (Role.seats > 0)`.

Pure data, made by `entity_attributes`. `layouts.condition_writer` turns conditions into DynamoDB's expressions, with
every name and value aliased.
"""

from typing import Any, Literal, TypeAlias

from tablewright.deferred_dataclasses import dataclass

Operator = Literal["=", "<>", "<", "<=", ">", ">="]
Predicate = Literal["attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains"]


@dataclass(frozen=True, slots=True, repr=False)
class FieldPath:
    """Where a value is stored in an entity: a field, or a nested field, a map entry or a list element in it."""

    owner: type | None
    """The entity class that the user wrote; None if it is not known."""
    parts: tuple[str | int, ...]
    """The field first, then nested fields and map keys (str) and list indexes (int), by their Python names."""
    secret: bool = False
    """Whether the field is secret, so that values compared with it are masked."""

    def __repr__(self) -> str:
        names = (*((self.owner.__name__,) if self.owner else ()), *self.parts)
        return f"<{'.'.join(map(str, names))}>"

    @property
    def name(self) -> str:
        """The field of the entity."""
        return str(self.parts[0])


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a field: the bytes of a text in UTF-8 or of a binary, or the elements of a list, set or map."""

    path: FieldPath


@dataclass(frozen=True, slots=True)
class FilterParameter:
    """A parameter of an access pattern, in its filter: `fields.parameter("least")`."""

    name: str


@dataclass(frozen=True, slots=True, repr=False)
class Hidden:
    """The value that a secret field is compared with; its repr is masked."""

    value: Any

    def __repr__(self) -> str:
        return "'***'"


Operand: TypeAlias = FieldPath | Size | Any
"""A field, its size, a parameter, or a value; one operand of a condition at least is a field or a size."""


class Condition:
    """A condition on an item; combine conditions with `&`, `|` and `~`."""

    __slots__ = ()

    # A type checker sees `User.status == "ACTIVE"` as a bool; a bool at run time is an error.
    def __and__(self, other: "Condition | bool") -> "Condition":
        return Both("AND", self, _condition(other))

    def __rand__(self, other: bool) -> "Condition":
        return Both("AND", _condition(other), self)

    def __or__(self, other: "Condition | bool") -> "Condition":
        return Both("OR", self, _condition(other))

    def __ror__(self, other: bool) -> "Condition":
        return Both("OR", _condition(other), self)

    def __invert__(self) -> "Condition":
        return Not(self)

    def __bool__(self) -> bool:
        raise TypeError(
            "combine conditions with & and |, not with `and` and `or`; write one_of(...) in place of `in`, and "
            "between(...) in place of a < b < c"
        )


@dataclass(frozen=True, slots=True)
class Comparison(Condition):
    """A field compared with a value, or with another field."""

    operator: Operator
    operand: Operand
    value: Any


@dataclass(frozen=True, slots=True)
class Between(Condition):
    """A field between two values, both included."""

    operand: Operand
    low: Any
    high: Any


@dataclass(frozen=True, slots=True)
class OneOf(Condition):
    """A field equal to one of several values."""

    operand: Operand
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Function(Condition):
    """One of DynamoDB's functions on a field."""

    function: Predicate
    path: FieldPath
    value: Any = None


@dataclass(frozen=True, slots=True)
class Both(Condition):
    """Two conditions joined."""

    operator: Literal["AND", "OR"]
    left: Condition
    right: Condition


@dataclass(frozen=True, slots=True)
class Not(Condition):
    """The negation of a condition."""

    condition: Condition


def _condition(operand: object) -> Condition:
    if isinstance(operand, Condition):
        return operand
    raise TypeError(
        f"a condition is combined with {operand!r}, which is not a condition; compare a field of the class: "
        'User.status == "ACTIVE"'
    )
