"""Shapes: what a request must look like, as data, and DynamoDB's words when it does not.

    SHAPE = Shape(TableName=TABLE_NAME, Item=required(ITEM), ReturnValues=one_of("ALL_OLD", "NONE"))

DynamoDB checks a request in this order: every member has the right JSON type (SerializationException), then every
constraint, all violations listed together ("2 validation errors detected: ..."), then what the operation itself
demands. Members are declared in the order in which AWS lists their violations.

The common case is that all is well, so `Shape.check` asks only "is anything wrong?"; the deep look at types, and the
words, are for the case that something is.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from tablewright.errors import SerializationError, ValidationError
from tablewright.values.attributes import MAX_DEPTH

MOST_VIOLATIONS = 10
_PACKAGE = "com.amazonaws.dynamodb.v20120810"


class Member(Protocol):
    """One member of a request, or an element of one."""

    @property
    def required(self) -> bool:
        """Whether it must be there."""

    def accepts(self, value: Any) -> bool:
        """Whether the value has the right type and breaks no constraint."""

    def require_type(self, value: Any) -> None:
        """Raise SerializationError unless the value has the right JSON type, all the way down."""

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """The constraints that a value of the right type breaks."""


def _violation(value: Any, path: str, constraint: str) -> str:
    shown = "null" if value is None else f"'{_java(value)}'"
    return f"Value {shown} at '{path}' failed to satisfy constraint: {constraint}"


def _java(value: Any) -> str:
    """A value as Java's toString shows it."""
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return "{" + ", ".join(f"{name}={_java(member)}" for name, member in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_java, value)) + "]"
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


def _refuse_scalar(value: Any, java: str) -> SerializationError:
    if isinstance(value, list):
        return SerializationError(f"Unrecognized collection type class java.lang.{java}")
    if isinstance(value, dict):
        return SerializationError("Start of structure or map found where not expected")
    return SerializationError(f"{_scalar_token(value)} cannot be converted to {java}")


def _length_violations(
    value: Any, path: str, shortest: int | None, longest: int | None
) -> Iterator[str]:
    if shortest is not None and len(value) < shortest:
        yield _violation(value, path, f"Member must have length greater than or equal to {shortest}")
    if longest is not None and len(value) > longest:
        yield _violation(value, path, f"Member must have length less than or equal to {longest}")


@dataclass(frozen=True, slots=True)
class Text:
    """A string."""

    shortest: int | None = None
    longest: int | None = None
    pattern: str | None = None
    choices: tuple[str, ...] = ()
    required: bool = False
    _matches: Callable[[str], object] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.pattern is not None:
            object.__setattr__(self, "_matches", re.compile(self.pattern).fullmatch)

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
        """Only a string will do."""
        if not isinstance(value, str):
            raise _refuse_scalar(value, "String")

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """Choice, pattern, length."""
        if self.choices and value not in self.choices:
            members = ", ".join(self.choices)
            yield _violation(value, path, f"Member must satisfy enum value set: [{members}]")
        if self._matches is not None and self._matches(value) is None:
            yield _violation(value, path, f"Member must satisfy regular expression pattern: {self.pattern}")
        yield from _length_violations(value, path, self.shortest, self.longest)


@dataclass(frozen=True, slots=True)
class Number:
    """A JSON number; `java` is the type AWS names when it is none."""

    least: int | None = None
    most: int | None = None
    java: str = "Integer"
    required: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether it is a number within its bounds."""
        return (
            (type(value) is int or type(value) is float)
            and (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
        )

    def require_type(self, value: Any) -> None:
        """Only a number will do."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _refuse_scalar(value, self.java)

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """Bounds."""
        if self.least is not None and value < self.least:
            yield _violation(value, path, f"Member must have value greater than or equal to {self.least}")
        if self.most is not None and value > self.most:
            yield _violation(value, path, f"Member must have value less than or equal to {self.most}")


@dataclass(frozen=True, slots=True)
class Truth:
    """A boolean."""

    required: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether it is a boolean."""
        return type(value) is bool

    def require_type(self, value: Any) -> None:
        """Only a boolean will do."""
        if isinstance(value, str):
            raise SerializationError("Unexpected token received from parser")
        if not isinstance(value, bool):
            raise _refuse_scalar(value, "Boolean")

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """A boolean breaks nothing."""
        return iter(())


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of members of one kind."""

    element: Member
    shortest: int | None = None
    longest: int | None = None
    required: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether it is a list within its length, of elements that fit."""
        return (
            type(value) is list
            and (self.shortest is None or len(value) >= self.shortest)
            and (self.longest is None or len(value) <= self.longest)
            and all(map(self.element.accepts, value))
        )

    def require_type(self, value: Any) -> None:
        """Only a list will do."""
        if isinstance(value, dict):
            raise SerializationError("Start of structure or map found where not expected")
        if not isinstance(value, list):
            raise SerializationError("Unexpected field type")
        for element in value:
            if element is not None:
                self.element.require_type(element)

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """Length, then each element."""
        yield from _length_violations(value, path, self.shortest, self.longest)
        for position, element in enumerate(value, 1):
            yield from self.element.violations(element, f"{path}.{position}.member")


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map from names to members of one kind; `java` is the type AWS names for its values."""

    element: Member
    java: str
    shortest: int | None = None
    longest: int | None = None
    key: Text | None = None
    required: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether it is a map within its size, of keys and elements that fit."""
        return (
            type(value) is dict
            and (self.shortest is None or len(value) >= self.shortest)
            and (self.longest is None or len(value) <= self.longest)
            and (self.key is None or all(map(self.key.accepts, value)))
            and all(map(self.element.accepts, value.values()))
        )

    def require_type(self, value: Any) -> None:
        """Only a map will do."""
        if isinstance(value, list):
            raise SerializationError(f"Unrecognized collection type java.util.Map<java.lang.String, {self.java}>")
        if not isinstance(value, dict):
            raise SerializationError("Unexpected field type")
        for name, element in value.items():
            Text().require_type(name)
            if element is not None:
                self.element.require_type(element)

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """Size, keys, then each element."""
        yield from _length_violations(value, path, self.shortest, self.longest)
        if self.key is not None and not all(map(self.key.accepts, value)):
            yield _violation(value, path, f"Map keys must satisfy constraint: [{_key_constraints(self.key)}]")
        for name, element in value.items():
            yield from self.element.violations(element, f"{path}.{name}.member")


def _key_constraints(key: Text) -> str:
    constraints = []
    if key.longest is not None:
        constraints.append(f"Member must have length less than or equal to {key.longest}")
    if key.shortest is not None:
        constraints.append(f"Member must have length greater than or equal to {key.shortest}")
    if key.pattern is not None:
        constraints.append(f"Member must satisfy regular expression pattern: {key.pattern}")
    return ", ".join(constraints)


class Structure:
    """Named members. Names that are not declared are ignored, and null means absent, as on AWS."""

    __slots__ = ("_mandatory", "java", "members", "required")

    def __init__(self, java: str, /, *, required: bool = False, members: Mapping[str, Member]) -> None:
        self.java = java
        self.required = required
        self.members = dict(members)
        self._mandatory = tuple(name for name, member in self.members.items() if member.required)

    def demanded(self) -> Self:
        """The same structure, required."""
        return type(self)(self.java, required=True, members=self.members)

    def accepts(self, value: Any) -> bool:
        """Whether all that is required is there and everything fits."""
        if type(value) is not dict:
            return False
        for name in self._mandatory:
            if value.get(name) is None:
                return False
        members = self.members
        for name, content in value.items():
            member = members.get(name)
            if member is not None and content is not None and not member.accepts(content):
                return False
        return True

    def require_type(self, value: Any) -> None:
        """Only an object will do, and each member in it must have its type."""
        if isinstance(value, list):
            raise SerializationError(f"Unrecognized collection type class {_PACKAGE}.{self.java}")
        if not isinstance(value, dict):
            raise SerializationError("Unexpected value type in payload")
        for name, member in self.members.items():
            if value.get(name) is not None:
                member.require_type(value[name])

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """What is missing, then what each member breaks."""
        for name, member in self.members.items():
            place = f"{path}.{_lower_first(name)}" if path else _lower_first(name)
            content = value.get(name) if value is not None else None
            if content is not None:
                yield from member.violations(content, place)
            elif member.required:
                yield _violation(None, place, "Member must not be null")


def _lower_first(name: str) -> str:
    return name[0].lower() + name[1:]


class AnyValue:
    """An attribute value. Its constraints are `values.attributes.admit`'s business; here only JSON types count."""

    required = False
    _TYPES: Mapping[str, str] = {"S": "String", "N": "String", "BOOL": "Boolean", "NULL": "Boolean"}

    def accepts(self, value: Any) -> bool:
        """Always: admitting the value follows."""
        return True

    def require_type(self, value: Any, depth: int = 0) -> None:
        """An object whose known members have their types, down to the last level."""
        if isinstance(value, list):
            raise SerializationError(f"Unrecognized collection type class {_PACKAGE}.AttributeValue")
        if not isinstance(value, dict):
            raise SerializationError("Unexpected value type in payload")
        if depth > MAX_DEPTH:
            return
        for kind, content in value.items():
            if content is not None:
                self._require_content(kind, content, depth)

    def _require_content(self, kind: str, content: Any, depth: int) -> None:
        match kind:
            case "S" | "N":
                Text().require_type(content)
            case "BOOL" | "NULL":
                Truth().require_type(content)
            case "B":
                Blob().require_type(content)
            case "SS" | "NS":
                ListOf(Text()).require_type(content)
            case "BS":
                ListOf(Blob()).require_type(content)
            case "L":
                ListOf(_Nested(depth + 1)).require_type(content)
            case "M":
                MapOf(_Nested(depth + 1), f"{_PACKAGE}.AttributeValue").require_type(content)

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """None of its own."""
        return iter(())


class _Nested(AnyValue):
    """An attribute value so many levels inside another."""

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def require_type(self, value: Any, depth: int = 0) -> None:
        super().require_type(value, self._depth)


class Blob:
    """Binary: base64 text on the wire, bytes from Python."""

    required = False

    def accepts(self, value: Any) -> bool:
        """Whether it is binary in either form."""
        return isinstance(value, str | bytes | bytearray | memoryview)

    def require_type(self, value: Any) -> None:
        """Bytes, or base64 text of whole groups."""
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
        if not re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", value):
            raise SerializationError("Invalid Base64 character")

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """None."""
        return iter(())


class Shape(Structure):
    """The shape of a whole request."""

    __slots__ = ()

    def __init__(self, /, **members: Member) -> None:
        super().__init__("", members=members)

    def check(self, request: Any) -> None:
        """Raise what DynamoDB would, unless the request has this shape."""
        if self.accepts(request):
            return
        self.require_type(request)
        found = [message for message, _ in zip(self.violations(request, ""), range(MOST_VIOLATIONS), strict=False)]
        if found:
            errors = "1 validation error" if len(found) == 1 else f"{len(found)} validation errors"
            raise ValidationError(f"{errors} detected: {'; '.join(found)}")


def structure(java: str, /, **members: Member) -> Structure:
    """A structure by its AWS name, with its members."""
    return Structure(java, members=members)


def one_of(*choices: str) -> Text:
    """A string out of a few, in the order AWS lists them."""
    return Text(choices=choices)


def required(member: Any) -> Any:
    """The same member, but it must be there."""
    return member.demanded() if isinstance(member, Structure) else replace(member, required=True)


TABLE_NAME = Text(shortest=1, longest=1024, pattern="[a-zA-Z0-9_.:/-]+", required=True)
VALUE = AnyValue()
ITEM = MapOf(VALUE, f"{_PACKAGE}.AttributeValue")
NAMES = MapOf(Text(), "java.lang.String")
CAPACITY = one_of("INDEXES", "TOTAL", "NONE")
METRICS = one_of("SIZE", "NONE")
RETURN_VALUES = one_of("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW")
ON_FAILURE = one_of("ALL_OLD", "NONE")
CONDITIONAL_OPERATOR = one_of("OR", "AND")
COMPARISON = one_of(
    "IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT", "NOT_NULL", "NE", "LE", "BEGINS_WITH", "GE", "CONTAINS"
)
EXPECTED = MapOf(
    structure(
        "ExpectedAttributeValue",
        AttributeValueList=ListOf(VALUE),
        ComparisonOperator=COMPARISON,
        Exists=Truth(),
        Value=VALUE,
    ),
    f"{_PACKAGE}.ExpectedAttributeValue",
)
CONDITIONS = MapOf(
    structure(
        "Condition",
        AttributeValueList=ListOf(VALUE),
        ComparisonOperator=required(COMPARISON),
    ),
    f"{_PACKAGE}.Condition",
)
