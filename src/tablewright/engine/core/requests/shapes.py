"""Shapes: the members of a request as data, and DynamoDB's messages when a request does not fit.

    SHAPE = Shape(TableName=TABLE_NAME, Item=required(ITEM), ReturnValues=one_of("ALL_OLD", "NONE"))

DynamoDB checks a request in this order: every member has the right JSON type (SerializationException), then every
constraint, all violations listed together ("2 validation errors detected: ..."), then the rules of the operation
itself. Members are declared in the order in which AWS lists their violations.

Most requests are valid, so `Shape.check` first only tests whether anything is wrong; types are checked in depth, and
messages built, only when something is.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Self

from tablewright.dynamodb.values.attributes import MAX_DEPTH, truth
from tablewright.engine.core.requests.scalars import (
    ENVELOPE,
    Blob,
    Boolean,
    Member,
    Number,
    TableName,
    Text,
    is_deep,
    java_text,
    length_violations,
    violation,
)
from tablewright.errors import SerializationError, ValidationError

__all__ = [
    "CAPACITY",
    "CONDITIONAL_OPERATOR",
    "CONDITIONS",
    "EXPECTED",
    "ITEM",
    "METRICS",
    "NAMES",
    "ON_FAILURE",
    "RETURN_VALUES",
    "RETURN_VALUES_ALONE",
    "TABLE_KEY",
    "TABLE_NAME",
    "TABLE_NAME_ALONE",
    "VALUE",
    "AnyValue",
    "Blob",
    "Boolean",
    "ListOf",
    "MapOf",
    "Member",
    "Number",
    "Shape",
    "Structure",
    "TableName",
    "Text",
    "one_of",
    "required",
    "structure",
]

MAX_VIOLATIONS = 10
MAX_PIECES = 10_000
_PACKAGE = "com.amazonaws.dynamodb.v20120810"


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list whose elements have one shape."""

    element: Member
    shortest: int | None = None
    longest: int | None = None
    required: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether it is a list of valid length and valid elements."""
        return (
            type(value) is list
            and (self.shortest is None or len(value) >= self.shortest)
            and (self.longest is None or len(value) <= self.longest)
            and all(map(self.element.accepts, value))
        )

    def require_type(self, value: Any) -> None:
        """Raise SerializationError unless the value is a list."""
        if isinstance(value, dict):
            raise SerializationError("Start of structure or map found where not expected")
        if not isinstance(value, list):
            raise SerializationError("Unexpected field type")
        for element in value:
            if element is not None:
                self.element.require_type(element)

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """Violations of the length, then of each element."""
        if not (self.shortest or 0) <= len(value) <= (self.longest or len(value)):
            shown = shown_in_java(self, value)
            yield from length_violations(value, path, self.shortest, self.longest, shown)
        for position, element in enumerate(value, 1):
            yield from _element_violations(self.element, element, f"{path}.{position}.member")


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map from names to values of one shape; `java` is the type that AWS names for its values."""

    element: Member
    java: str
    shortest: int | None = None
    longest: int | None = None
    key: Text | None = None
    required: bool = False
    show: Callable[[Any], str] | None = None
    """How AWS shows the map in a message about its keys, if not as Java does."""

    def accepts(self, value: Any) -> bool:
        """Whether it is a map of valid size, keys and values."""
        return (
            type(value) is dict
            and (self.shortest is None or len(value) >= self.shortest)
            and (self.longest is None or len(value) <= self.longest)
            and (self.key is None or all(map(self.key.accepts, value)))
            and all(map(self.element.accepts, value.values()))
        )

    def require_type(self, value: Any) -> None:
        """Raise SerializationError unless the value is a map."""
        if isinstance(value, list):
            raise SerializationError(
                f"Unrecognized collection type java.util.Map<java.lang.String, {self.java}>"
            )
        if not isinstance(value, dict):
            raise SerializationError("Unexpected field type")
        for name, element in value.items():
            Text().require_type(name)
            if element is not None:
                self.element.require_type(element)

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """Violations of the size, the keys, then of each value."""
        yield from length_violations(value, path, self.shortest, self.longest)
        if self.key is not None and not all(map(self.key.accepts, value)):
            shown = shown_in_java(self, value) if self.show is None else self.show(value)
            yield violation(shown, path, key_constraint(self.key))
        for name, element in value.items():
            yield from _element_violations(self.element, element, f"{path}.{name}.member")


class Attributes(MapOf):
    """A map of attribute values, which `values.attributes.admit` validates later."""

    def accepts(self, value: Any) -> bool:
        """Whether it is a map."""
        return type(value) is dict


def _element_violations(kind: Member, element: Any, path: str) -> Iterator[str]:
    if element is None and not kind.accepts(None):
        yield violation(None, path, "Member must not be null")
    else:
        yield from kind.violations(element, path)


def key_constraint(key: Text) -> str:
    """The message for a map with an invalid key."""
    constraints = []
    if key.longest is not None:
        constraints.append(f"Member must have length less than or equal to {key.longest}")
    if key.shortest is not None:
        constraints.append(f"Member must have length greater than or equal to {key.shortest}")
    if key.pattern is not None:
        constraints.append(f"Member must satisfy regular expression pattern: {key.pattern}")
    return f"Map keys must satisfy constraint: [{', '.join(constraints)}]"


class Structure:
    """Named members. Names that are not declared are ignored, and null means absent, as on AWS."""

    __slots__ = ("_mandatory", "java", "members", "required")

    def __init__(self, java: str, /, *, required: bool = False, members: Mapping[str, Member]) -> None:
        self.java = java
        self.required = required
        self.members = dict(members)
        self._mandatory = tuple(name for name, member in self.members.items() if member.required)

    def as_required(self) -> Self:
        """The same structure, required."""
        return type(self)(self.java, required=True, members=self.members)

    def accepts(self, value: Any) -> bool:
        """Whether all required members are present and all members are valid."""
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
        """Raise SerializationError unless the value is an object whose members have the right types."""
        if isinstance(value, list):
            raise SerializationError(f"Unrecognized collection type class {_PACKAGE}.{self.java}")
        if not isinstance(value, dict):
            raise SerializationError("Unexpected value type in payload")
        for name, member in self.members.items():
            content = value.get(name)
            if content is None:
                continue
            if isinstance(member, Structure | AnyValue) and not isinstance(content, dict | list):
                raise SerializationError("Unexpected field type")
            member.require_type(content)

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """Missing members, then the violations of each member."""
        for name, member in self.members.items():
            member_path = f"{path}.{_lower_first(name)}" if path else _lower_first(name)
            content = value.get(name) if value is not None else None
            if content is not None:
                yield from member.violations(content, member_path)
            elif member.required:
                yield violation(None, member_path, "Member must not be null")


def shown_in_java(member: Member, value: Any) -> str:
    """A value as AWS shows it, `KeySchemaElement(attributeName=pk, keyType=HASH)`, or the beginning of a large one.

    Values are far longer in Java's notation than in JSON: 16 MB of JSON would become hundreds of megabytes.
    """
    return "".join(islice(_pieces(member, value), MAX_PIECES))


def _pieces(member: Member, value: Any) -> Iterator[str]:
    if value is None:
        yield "null"
        return
    match member:
        case Structure():
            parts = (
                (f"{_lower_first(name)}=", part, value.get(name)) for name, part in member.members.items()
            )
            yield from _listed(f"{member.java}(", parts, ")")
        case ListOf():
            yield from _listed("[", (("", member.element, element) for element in value), "]")
        case MapOf():
            yield from _listed(
                "{", ((f"{name}=", member.element, element) for name, element in value.items()), "}"
            )
        case AnyValue():
            yield from _listed("AttributeValue(", _attribute_parts(value), ")")
        case _:
            yield java_text(value)


def _listed(opening: str, parts: Iterable[tuple[str, Member, Any]], closing: str) -> Iterator[str]:
    yield opening
    for position, (label, member, value) in enumerate(parts):
        yield f", {label}" if position else label
        yield from _pieces(member, value)
    yield closing


# The types of AWS's Java class, some of which are not in its API.
_JAVA_TYPES = "S N B INT DECIMAL DOUBLE SS NS BS INTSET DECIMALSET DOUBLESET M L NULL BOOL".split()


def _attribute_parts(value: dict[str, Any]) -> Iterator[tuple[str, Member, Any]]:
    containers: dict[str, Member] = {"M": ITEM, "L": ListOf(VALUE)}
    for kind in _JAVA_TYPES:
        yield f"{_lower_first(kind)}=", containers.get(kind, Text()), value.get(kind)


def _lower_first(name: str) -> str:
    return name[0].lower() + name[1:]


class AnyValue:
    """An attribute value. Here only its JSON types are checked; `values.attributes.admit` validates it later."""

    required = False
    _TYPES: Mapping[str, str] = {"S": "String", "N": "String", "BOOL": "Boolean", "NULL": "Boolean"}

    def accepts(self, value: Any) -> bool:
        """Always True: the value is validated later."""
        return True

    def require_type(self, value: Any) -> None:
        """Raise SerializationError unless all known members have their types, at every level."""
        _Nested(0, set()).require_type(value)

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """No violations: the value is validated later."""
        return iter(())


class _Nested(AnyValue):
    """An attribute value nested `depth` levels inside another; `seen` are the ids of values checked already.

    A value from Python may occur several times, and may even contain itself.
    """

    def __init__(self, depth: int, seen: set[int]) -> None:
        self._depth = depth
        self._seen = seen

    def require_type(self, value: Any) -> None:
        if isinstance(value, list):
            raise SerializationError(f"Unrecognized collection type class {_PACKAGE}.AttributeValue")
        if not isinstance(value, dict):
            raise SerializationError("Unexpected value type in payload")
        if self._depth > MAX_DEPTH or id(value) in self._seen:
            return
        self._seen.add(id(value))
        for kind, content in value.items():
            if content is not None:
                self._require_content(kind, content)

    def _require_content(self, kind: str, content: Any) -> None:
        match kind:
            case "S" | "N":
                Text().require_type(content)
            case "BOOL" | "NULL" if isinstance(content, str):
                truth(content)
            case "BOOL" | "NULL":
                Boolean().require_type(content)
            case "B":
                Blob().require_type(content)
            case "SS" | "NS":
                ListOf(Text()).require_type(content)
            case "BS":
                ListOf(Blob()).require_type(content)
            case "L":
                ListOf(self._inner()).require_type(content)
            case "M":
                MapOf(self._inner(), f"{_PACKAGE}.AttributeValue").require_type(content)

    def _inner(self) -> "_Nested":
        return _Nested(self._depth + 1, self._seen)


class Shape(Structure):
    """The shape of a whole request."""

    __slots__ = ("_alone", "_envelope", "_has_newer_messages")

    def __init__(self, /, **members: Member) -> None:
        super().__init__("", members=members)
        self._has_newer_messages = False
        self._alone: tuple[str, ...] = ()
        self._envelope = ""

    def newer(self, *alone: str, enveloped: bool = True) -> Self:
        """This shape, with messages of AWS's newer layer where that layer can read the request.

        Only the first invalid member of `alone` is then reported, with or without the envelope.
        """
        self._has_newer_messages = True
        self._alone = alone
        self._envelope = ENVELOPE if enveloped else ""
        return self

    def check(self, request: Any) -> None:
        """Raise what DynamoDB would, unless the request has this shape."""
        if self.accepts(request):
            return
        self.require_type(request)
        violations = self.violations(request, "")
        if self._has_newer_messages and self._is_whole(request) and not is_deep(request):
            self._require_alone(request)
            violations = self._newer_violations(request)
        messages = [message for message, _ in zip(violations, range(MAX_VIOLATIONS), strict=False)]
        if messages:
            errors = "1 validation error" if len(messages) == 1 else f"{len(messages)} validation errors"
            raise ValidationError(f"{errors} detected: {'; '.join(messages)}")

    def _is_whole(self, request: dict[str, Any]) -> bool:
        return all(request.get(name) is not None for name in self._mandatory)

    def _require_alone(self, request: dict[str, Any]) -> None:
        for name in self._alone:
            member, content = self.members[name], request.get(name)
            message = _newer_message(member, content)
            if message is None and content is not None:
                message = next(member.violations(content, _lower_first(name)), None)
            if message is not None:
                raise ValidationError(self._envelope + message)

    def _newer_violations(self, request: dict[str, Any]) -> Iterator[str]:
        for name, member in self.members.items():
            content = request.get(name)
            message = _newer_message(member, content)
            if message is not None:
                yield message
            elif content is not None:
                yield from member.violations(content, _lower_first(name))


def _newer_message(member: Member, content: Any) -> str | None:
    return None if content is None or not isinstance(member, Text) else member.newer_message(content)


def structure(java: str, /, **members: Member) -> Structure:
    """A structure with its AWS name and its members."""
    return Structure(java, members=members)


def one_of(*choices: str) -> Text:
    """A string that is one of the choices, in AWS's order."""
    return Text(choices=choices)


def required(member: Any) -> Any:
    """The same member, required."""
    return member.as_required() if isinstance(member, Structure) else replace(member, required=True)


TABLE_NAME = TableName(shortest=1, longest=255, pattern="[a-zA-Z0-9_.-]+", required=True)
TABLE_NAME_ALONE = replace(
    TABLE_NAME,
    newer="Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1",
)
"""As in PutItem, whose newer layer has its own message for an empty name."""
TABLE_KEY = TableName(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+")
"""The name of a table as the key of a map."""
VALUE = AnyValue()
ITEM = Attributes(VALUE, f"{_PACKAGE}.AttributeValue")
NAMES = MapOf(Text(), "java.lang.String")
CAPACITY = one_of("INDEXES", "TOTAL", "NONE")
METRICS = one_of("SIZE", "NONE")
_NEWER_ENUM = "Failed to satisfy constraint: Member must satisfy enum value set: "
RETURN_VALUES = one_of("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW")
RETURN_VALUES_ALONE = replace(
    RETURN_VALUES, newer=f"{_NEWER_ENUM}[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
)
"""As in UpdateItem, whose newer layer reports only this member when it is invalid."""
ON_FAILURE = one_of("ALL_OLD", "NONE")
CONDITIONAL_OPERATOR = replace(one_of("OR", "AND"), newer=f"{_NEWER_ENUM}[ALL, OR]")
COMPARISON = one_of(
    "IN",
    "NULL",
    "BETWEEN",
    "LT",
    "NOT_CONTAINS",
    "EQ",
    "GT",
    "NOT_NULL",
    "NE",
    "LE",
    "BEGINS_WITH",
    "GE",
    "CONTAINS",
)
EXPECTED = MapOf(
    structure(
        "ExpectedAttributeValue",
        AttributeValueList=ListOf(VALUE),
        ComparisonOperator=COMPARISON,
        Exists=Boolean(),
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
