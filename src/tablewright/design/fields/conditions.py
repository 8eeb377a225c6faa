"""Conditions in Python: `User.status == "ACTIVE"`, `(Role.is_open == True) & (Role.seats > 0)`.

Pure data; `access` turns them into DynamoDB's expressions, with every name and value aliased.
"""

from dataclasses import dataclass
from typing import Any, Literal

Operator = Literal["=", "<>", "<", "<=", ">", ">="]
Predicate = Literal["attribute_exists", "attribute_not_exists", "begins_with", "contains"]


class Condition:
    """A condition on an item; combine conditions with `&`, `|` and `~`."""

    def __and__(self, other: "Condition") -> "Condition":
        return Both("AND", self, other)

    def __or__(self, other: "Condition") -> "Condition":
        return Both("OR", self, other)

    def __invert__(self) -> "Condition":
        return Not(self)

    def __bool__(self) -> bool:
        raise TypeError("combine conditions with & and |, not with `and` and `or`")


@dataclass(frozen=True, slots=True)
class Comparison(Condition):
    """A field compared with a value, or with another field."""

    operator: Operator
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Between(Condition):
    """A field between two values, both included."""

    name: str
    low: Any
    high: Any


@dataclass(frozen=True, slots=True)
class OneOf(Condition):
    """A field equal to one of several values."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Function(Condition):
    """One of DynamoDB's functions on a field."""

    function: Predicate
    name: str
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


@dataclass(frozen=True, slots=True, repr=False)
class Hidden:
    """The value that a secret field is compared with; its repr is masked."""

    value: Any

    def __repr__(self) -> str:
        return "'***'"


class Attribute:
    """A field of an entity, in a condition; values compared with a secret field are masked.

    >>> Attribute("age") >= 18
    Comparison(operator='>=', name='age', value=18)
    >>> Attribute("token", secret=True) == "abc"
    Comparison(operator='=', name='token', value='***')
    """

    __slots__ = ("name", "secret")

    def __init__(self, name: str, *, secret: bool = False) -> None:
        self.name = name
        self.secret = secret

    def __repr__(self) -> str:
        return f"Attribute({self.name!r})"

    __hash__ = object.__hash__

    def __eq__(self, value: object) -> Condition:  # type: ignore[override]
        return Comparison("=", self.name, self._hidden(value))

    def __ne__(self, value: object) -> Condition:  # type: ignore[override]
        return Comparison("<>", self.name, self._hidden(value))

    def __lt__(self, value: Any) -> Condition:
        return Comparison("<", self.name, self._hidden(value))

    def __le__(self, value: Any) -> Condition:
        return Comparison("<=", self.name, self._hidden(value))

    def __gt__(self, value: Any) -> Condition:
        return Comparison(">", self.name, self._hidden(value))

    def __ge__(self, value: Any) -> Condition:
        return Comparison(">=", self.name, self._hidden(value))

    def between(self, low: Any, high: Any) -> Condition:
        """Whether the field is between two values, both included."""
        return Between(self.name, self._hidden(low), self._hidden(high))

    def one_of(self, *values: Any) -> Condition:
        """Whether the field has one of these values."""
        return OneOf(self.name, tuple(map(self._hidden, values)))

    def exists(self) -> Condition:
        """Whether the item has the field."""
        return Function("attribute_exists", self.name)

    def is_absent(self) -> Condition:
        """Whether the item lacks the field."""
        return Function("attribute_not_exists", self.name)

    def begins_with(self, prefix: str) -> Condition:
        """Whether the text begins with the prefix."""
        return Function("begins_with", self.name, self._hidden(prefix))

    def contains(self, value: Any) -> Condition:
        """Whether the text, list or set contains the value."""
        return Function("contains", self.name, self._hidden(value))

    def _hidden(self, value: Any) -> Any:
        return (
            Hidden(value) if self.secret and value is not None and not isinstance(value, Attribute) else value
        )
