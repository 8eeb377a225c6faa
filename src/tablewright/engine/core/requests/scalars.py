"""Scalars: the members of a request that hold one value, and DynamoDB's messages about them.

Validation layers: which of AWS's two sets of error messages an operation uses.

AWS is moving the checks that need no table from an older layer to a newer one, call by call and region by region.
An operation's LAYER is one of:

    ENVELOPED   the newer messages, inside of "1 validation error detected: "
    NEWER       the newer messages as they are
    OLDER       the older messages

Operations that write one item use the older layer when the newer one cannot read a request: it lacks a required
member, or is nested too deep.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from tablewright.dynamodb.values.attributes import base64_text
from tablewright.errors import SerializationError, ValidationError

ENVELOPE = "1 validation error detected: "
MAX_READABLE_DEPTH = 128
"""Levels of JSON: an attribute value takes two for each of its own."""


class Layer(Enum):
    """The validation layer of an operation."""

    ENVELOPED = "enveloped"
    NEWER = "newer"
    OLDER = "older"

    def error_for(self, error: ValidationError, request: Any) -> ValidationError:
        """The error with the message of this layer."""
        if self is Layer.NEWER:
            return error
        if self is Layer.OLDER or is_deep(request):
            return ValidationError(error.older)
        return ValidationError(ENVELOPE + error.message)


def is_deep(request: Any) -> bool:
    """Whether a request is nested deeper than the newer layer can read."""
    level = [request]
    for _ in range(MAX_READABLE_DEPTH):
        inner = [member for value in level for member in _members(value) if isinstance(member, dict | list)]
        if not inner:
            return False
        level = list(
            {id(member): member for member in inner}.values()
        )  # a request from Python may contain itself
    return True


def _members(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value


_SMALLEST, _LARGEST = -(1 << 63), (1 << 63) - 1


class Member(Protocol):
    """One member of a request, or an element of one."""

    @property
    def required(self) -> bool:
        """Whether the member is required."""

    def accepts(self, value: Any) -> bool:
        """Whether the value has the right type and breaks no constraint."""

    def require_type(self, value: Any) -> None:
        """Raise SerializationError unless the value has the right JSON type, all the way down."""

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """A message for each constraint that a value of the right type violates."""


def violation(value: Any, path: str, constraint: str) -> str:
    """The message for one violated constraint."""
    shown = "null" if value is None else f"'{java_text(value)}'"
    return f"Value {shown} at '{path}' failed to satisfy constraint: {constraint}"


def violation_without_value(path: str, constraint: str) -> ValidationError:
    """The error for one violated constraint in AWS's newer layer, which does not show the value."""
    return ValidationError(f"{ENVELOPE}Value at '{path}' failed to satisfy constraint: {constraint}")


def java_text(value: Any) -> str:
    """A value as Java's toString shows it."""
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return "{" + ", ".join(f"{name}={java_text(member)}" for name, member in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(java_text, value)) + "]"
        case _:
            return str(value)


def _scalar_token(value: Any) -> str:
    match value:
        case bool():
            return "TRUE_VALUE" if value else "FALSE_VALUE"
        case str():
            return "STRING_VALUE"
        case int():
            return "NUMBER_VALUE"
        case _:
            return "DECIMAL_VALUE"


def scalar_type_error(value: Any, java: str) -> SerializationError:
    """The error for a value that is not of the expected Java type."""
    if isinstance(value, list):
        return SerializationError(f"Unrecognized collection type class java.lang.{java}")
    if isinstance(value, dict):
        return SerializationError("Start of structure or map found where not expected")
    return SerializationError(f"{_scalar_token(value)} cannot be converted to {java}")


def length_violations(
    value: Any, path: str, shortest: int | None, longest: int | None, shown: Any = None
) -> Iterator[str]:
    """Violations of the length of a string, a list or a map; `shown` replaces the value in the message."""
    shown = value if shown is None else shown
    if shortest is not None and len(value) < shortest:
        yield violation(shown, path, f"Member must have length greater than or equal to {shortest}")
    if longest is not None and len(value) > longest:
        yield violation(shown, path, f"Member must have length less than or equal to {longest}")


@dataclass(frozen=True, slots=True)
class Text:
    """A string."""

    shortest: int | None = None
    longest: int | None = None
    pattern: str | None = None
    regex: str | None = None
    """The pattern in Python's notation, where it differs from AWS's, which messages show."""
    choices: tuple[str, ...] = ()
    required: bool = False
    newer: str | None = None
    """The message of AWS's newer layer for a string that violates its constraint, if it has its own message."""
    _matches: Callable[[str], object] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.pattern is not None:
            object.__setattr__(self, "_matches", re.compile(self.regex or self.pattern).fullmatch)

    def accepts(self, value: Any) -> bool:
        """Whether it is a string within its constraints."""
        if type(value) is not str:
            return False
        if self.choices:
            return value in self.choices
        return (
            (self.shortest is None or len(value) >= self.shortest)
            and (self.longest is None or len(value) <= self.longest)
            and (self._matches is None or self._matches(value) is not None)
        )

    def require_type(self, value: Any) -> None:
        """Raise SerializationError unless the value is a string."""
        if not isinstance(value, str):
            raise scalar_type_error(value, "String")

    def newer_message(self, value: str) -> str | None:
        """The newer layer's own message about the value, or None."""
        return self.newer if self.choices and value not in self.choices else None

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """Violations of the choices, the pattern and the length."""
        if self.choices and value not in self.choices:
            members = ", ".join(self.choices)
            yield violation(value, path, f"Member must satisfy enum value set: [{members}]")
        if self._matches is not None and self._matches(value) is None:
            yield violation(value, path, f"Member must satisfy regular expression pattern: {self.pattern}")
        yield from length_violations(value, path, self.shortest, self.longest)


@dataclass(frozen=True, slots=True)
class Number:
    """A JSON number; `java` is the type that AWS names in its error."""

    least: int | None = None
    most: int | None = None
    java: str = "Integer"
    required: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether it is a number within its bounds."""
        return (
            (type(value) is int or type(value) is float)
            and _SMALLEST <= value <= _LARGEST
            and (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
        )

    def require_type(self, value: Any) -> None:
        """Raise SerializationError unless the value is a number of at most 64 bits."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not _SMALLEST <= value <= _LARGEST:
            raise scalar_type_error(value, self.java)

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """Violations of the bounds."""
        if self.least is not None and value < self.least:
            yield violation(value, path, f"Member must have value greater than or equal to {self.least}")
        if self.most is not None and value > self.most:
            yield violation(value, path, f"Member must have value less than or equal to {self.most}")


@dataclass(frozen=True, slots=True)
class Boolean:
    """A boolean."""

    required: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether it is a boolean."""
        return type(value) is bool

    def require_type(self, value: Any) -> None:
        """Raise SerializationError unless the value is a boolean."""
        if isinstance(value, str):
            raise SerializationError("Unexpected token received from parser")
        if not isinstance(value, bool):
            raise scalar_type_error(value, "Boolean")

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """No violations: a boolean has no constraints."""
        return iter(())


class TableName(Text):
    """The name of a table, or its ARN."""

    _SHORTEST = 3
    _NAME = re.compile("[a-zA-Z0-9_.-]+").fullmatch
    _ARN = re.compile(r"arn:[a-z0-9-]+:dynamodb:[a-z0-9-]+:[0-9]+:table/[a-zA-Z0-9_.-]{3,255}")

    def accepts(self, value: Any) -> bool:
        """Whether it is a valid name or ARN."""
        if type(value) is not str:
            return False
        if self._SHORTEST <= len(value) <= 255 and self._NAME(value):
            return True
        return self._ARN.fullmatch(value) is not None

    def newer_message(self, value: str) -> str | None:
        """The newer layer's own message about an empty name, or None."""
        return None if value else self.newer

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """Violations of the name, unless it begins like an ARN; for an empty name only that of its length."""
        if self.accepts(value):
            return
        if value.startswith("arn:"):
            yield violation(value, path, _ARN_FORMAT)
        elif not value:
            yield from length_violations(value, path, self.shortest, self.longest)
        else:
            yield from super().violations(value, path)
            if self.shortest is None or self.shortest < self._SHORTEST:
                yield from length_violations(value, path, self._SHORTEST, None)


_ARN_FORMAT = (
    "Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>:resourceType/resourceName', where "
    "Resource name must have length less than or equal to 255, Resource name must have length greater than or equal "
    "to 3, Resource name must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
)


class Blob:
    """Binary: base64 text on the wire, bytes from Python."""

    required = False

    def accepts(self, value: Any) -> bool:
        """Whether it is binary in either form."""
        return isinstance(value, str | bytes | bytearray | memoryview)

    def require_type(self, value: Any) -> None:
        """Raise SerializationError unless the value is bytes, or base64 text in whole groups."""
        if isinstance(value, bytes | bytearray | memoryview):
            return
        if isinstance(value, list):
            raise SerializationError("Unrecognized collection type class java.nio.ByteBuffer")
        if isinstance(value, dict):
            raise SerializationError("Start of structure or map found where not expected")
        if not isinstance(value, str):
            raise SerializationError("only base-64-encoded strings are convertible to bytes")
        if len(value) % 4:
            raise SerializationError(
                f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(value)}"
            )
        base64_text(value)

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """No violations: binary has no constraints."""
        return iter(())
