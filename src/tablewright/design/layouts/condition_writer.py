"""The condition writer: a Python condition on the items of one entity, as the text of a DynamoDB expression.

Every name and value becomes a placeholder, fields are written under their stored names, and values are checked against
the type of their field. Subclasses decide how placeholders are kept: `when` needs attribute values at once, a
filter is compiled once and receives its parameters later.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tablewright.design.fields.annotations import without_none
from tablewright.design.fields.conditions import (
    Between,
    Both,
    Comparison,
    Condition,
    FieldPath,
    Function,
    Hidden,
    Not,
    OneOf,
    Operand,
    Parameter,
    Size,
)
from tablewright.design.fields.entity_attributes import path_source
from tablewright.design.fields.markers import Encrypted, Hashed
from tablewright.design.fields.nested_types import NotNested, Part, member
from tablewright.design.layouts.compared_values import (
    Use,
    ValueMismatch,
    check_size,
    check_types,
    checked_value,
    stored_kind,
)
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.design.nearest_names import suggestion


class InvalidCondition(ValueError):
    """A condition that cannot work for an entity: which part, and the fix."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a condition is about: a field or a nested part of it, or its size."""

    field: FieldLayout
    text: str
    """As it is written in Python, for messages."""
    placeholder: str
    """As it is written in the expression."""
    annotation: Any
    may_be_null: bool = False
    """Whether the value may be stored as NULL: None in a nested field."""
    is_size_of_set: bool = False
    """Whether it is the size of a set of the item, which is never 0: an empty set is not stored."""


class ConditionWriter(ABC):
    """Writes conditions for the items of one entity."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    @abstractmethod
    def name(self, stored: str) -> str:
        """The placeholder of a stored name."""

    @abstractmethod
    def value(self, subject: Subject, value: Any) -> str:
        """The placeholder of a value, which was checked, that the subject is compared with."""

    @abstractmethod
    def parameter(self, subject: Subject, parameter: Parameter, use: Use) -> str:
        """The placeholder of a parameter that the subject is compared with."""

    def text(self, condition: Condition) -> str:
        """The condition, with parentheses around every operand of AND, OR and NOT."""
        match condition:
            case Comparison(operator, FieldPath() as path, None) if operator in ("=", "<>"):
                return self._existence(path, exists=operator == "<>")
            case Comparison(operator, operand, value):
                subject = self._subject(operand)
                use: Use = "equal" if operator in ("=", "<>") else "order"
                _check_zero(subject, value, {"=": 0, "<": 1, "<=": 0}.get(operator, -1))
                return f"{subject.placeholder} {operator} {self._operand(subject, value, use)}"
            case Between(operand, low, high):
                subject = self._subject(operand)
                _check_zero(subject, high, 0)
                bounds = [self._operand(subject, bound, "order") for bound in (low, high)]
                return f"{subject.placeholder} BETWEEN {' AND '.join(bounds)}"
            case OneOf(operand, values):
                return self._one_of(self._subject(operand), values)
            case Function("attribute_exists" | "attribute_not_exists", path):
                return self._existence(path, exists=condition.function == "attribute_exists")
            case Function(function, path, value):
                subject = self._subject(path)
                use = "prefix" if function == "begins_with" else "element"
                return f"{function}({subject.placeholder}, {self._operand(subject, value, use)})"
            case Both(operator, left, right):
                return f"({self.text(left)}) {operator} ({self.text(right)})"
            case Not(inner):
                return f"NOT ({self.text(inner)})"
            case _:
                raise InvalidCondition(
                    f"{condition!r} is not a condition; compare a field: User.status == 'ACTIVE'"
                )

    def _existence(self, path: FieldPath, *, exists: bool) -> str:
        """Whether a path has a value. None is absent in an item, and may be NULL in a nested field."""
        subject = self._path(path)
        function = "attribute_exists" if exists else "attribute_not_exists"
        text = f"{function}({subject.placeholder})"
        if not subject.may_be_null:
            return text
        null = f"attribute_type({subject.placeholder}, {self.value(subject, 'NULL')})"
        return f"({text}) AND (NOT ({null}))" if exists else f"({text}) OR ({null})"

    def _one_of(self, subject: Subject, given: tuple[Any, ...]) -> str:
        values = _elements(subject, given)
        if not 1 <= len(values) <= 100:
            raise InvalidCondition(f"{subject.text}.one_of() takes 1 to 100 values, not {len(values)}")
        for value in values:
            _check_zero(subject, value, 0)
        choices = ", ".join(self._operand(subject, value, "equal") for value in values)
        return f"{subject.placeholder} IN ({choices})"

    def _subject(self, operand: Operand) -> Subject:
        if isinstance(operand, FieldPath):
            return self._path(operand)
        found = self._path(operand.path)
        if found.field.is_secret:
            raise InvalidCondition(f"{found.text} is not stored as it is, so it has no size to compare")
        with mismatch(found):
            check_size(found.annotation)
        is_set = stored_kind(found.annotation) == "a set" and len(operand.path.parts) == 1
        text = f"{found.text}.size()"
        return Subject(found.field, text, f"size({found.placeholder})", int, is_size_of_set=is_set)

    def _path(self, path: FieldPath) -> Subject:
        """The field under its stored name, and its nested parts under theirs."""
        entity = self.layout.entity
        if path.owner is not None and not issubclass(entity, path.owner):
            raise InvalidCondition(
                f"the condition uses {path_source(path)}, but the items are {entity.__name__}: "
                f"{_own_field(self.layout, path)}"
            )
        field = self.layout.fields.get(path.name)
        if field is None:
            raise InvalidCondition(
                f"the condition names {path.name}, which is not a field of {entity.__name__}; "
                f"{suggestion(path.name, self.layout.fields, 'its fields are')}"
            )
        text = path_source(path, entity.__name__)
        if field.is_secret and len(path.parts) > 1:
            raise InvalidCondition(
                f"{text} is inside {field.name}, which is not stored as it is; test whether {field.name} exists"
            )
        annotation, is_optional = field.annotation, False
        placeholder = self.name(field.stored)
        for part in path.parts[1:]:
            try:
                stored, annotation = member(annotation, part)
            except NotNested as error:
                raise InvalidCondition(f"{text}: {error}") from None
            placeholder += self._step(stored)
            is_optional = annotation is Any or without_none(annotation)[1]
        return Subject(field, text, placeholder, annotation, is_optional)

    def _step(self, part: Part) -> str:
        return f"[{part}]" if isinstance(part, int) else f".{self.name(part)}"

    def _operand(self, subject: Subject, value: Any, use: Use) -> str:
        _check_secret(subject, value, use)
        match value:
            case FieldPath() | Size():
                other = self._subject(value)
                _check_secret(other, subject, use)
                if other.placeholder == subject.placeholder:
                    raise InvalidCondition(f"{subject.text} is compared with itself; compare it with a value")
                with mismatch(subject, f" compared with {other.text}"):
                    check_types(subject.annotation, other.annotation, use)
                return other.placeholder
            case Parameter():
                return self.parameter(subject, value, use)
            case _:
                return self._value(subject, value.value if isinstance(value, Hidden) else value, use)

    def _value(self, subject: Subject, value: Any, use: Use) -> str:
        with mismatch(subject):
            value = checked_value(subject.annotation, value, use)
        if isinstance(value, set | frozenset) and not value:
            raise InvalidCondition(
                f"{subject.text} cannot equal an empty set, which is not stored; use is_absent()"
            )
        return self.value(subject, value)


@contextmanager
def mismatch(subject: Subject, compared: str = "") -> Iterator[None]:
    """Raise `InvalidCondition` for a value that the subject can never have; a secret value is not shown."""
    try:
        yield
    except ValueMismatch as error:
        why = "cannot be compared with a value of another type" if subject.field.is_secret else str(error)
        raise InvalidCondition(f"{subject.text}{compared} {why}") from None


def _check_secret(subject: Subject, value: Any, use: Use) -> None:
    field = subject.field
    if field.marker(Encrypted):
        raise InvalidCondition(
            f"{subject.text} is encrypted, differently at each write; "
            "a condition can test whether it exists, not its value"
        )
    if not field.marker(Hashed):
        return
    if use != "equal":
        raise InvalidCondition(f"{subject.text} is stored as a hash; compare it with ==, != or one_of")
    if isinstance(value, FieldPath | Size | Subject):
        raise InvalidCondition(
            f"{subject.text} is stored as a hash; compare it with a value, not with a field"
        )


def _check_zero(subject: Subject, value: Any, most: int) -> None:
    """Reject a comparison that only an empty set would meet; an empty set is not stored."""
    if subject.is_size_of_set and isinstance(value, int) and value <= most:
        raise InvalidCondition(
            f"{subject.text} is never 0: a set without elements is not stored; use is_absent()"
        )


def _elements(subject: Subject, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values of `one_of`; one list of values means its elements, unless the field is a list itself."""
    if len(values) != 1 or stored_kind(subject.annotation) in ("a list", "a set"):
        return values
    given, is_hidden = values[0], isinstance(values[0], Hidden)
    given = given.value if is_hidden else given
    if not isinstance(given, list | tuple | set | frozenset):
        return values
    return tuple(Hidden(value) if is_hidden else value for value in given)


def _own_field(layout: Layout, path: FieldPath) -> str:
    if path.name in layout.fields:
        return f"write {layout.entity.__name__}.{path.name}"
    return suggestion(path.name, layout.fields, f"the fields of {layout.entity.__name__} are")
