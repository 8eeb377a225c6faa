"""The condition writer: a condition on the items of some entities, as the text of a DynamoDB expression.

Every name and value becomes a placeholder, fields are written under their stored names, and values are checked against
the type of their field. Subclasses decide how placeholders are kept: `when` needs attribute values at once, a
filter is compiled once and receives its parameters later.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.annotations import NotNested, Part, member, without_none
from tablewright.design.fields.conditions import (
    Between,
    Both,
    Comparison,
    Condition,
    FieldPath,
    FilterParameter,
    Function,
    Hidden,
    Not,
    OneOf,
    Size,
)
from tablewright.design.fields.entity_attributes import path_source
from tablewright.design.fields.markers import Encrypted, Hashed
from tablewright.design.layouts.compared_values import (
    Use,
    ValueMismatch,
    check_size,
    check_types,
    checked_value,
    stored_kind,
)
from tablewright.design.layouts.layouts import FieldLayout, Layout, field_hint

_TYPES = Literal["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"]


class InvalidCondition(ValueError):
    """A condition that cannot work: why, and the fix if it is not a part of the reason."""

    def __init__(self, why: str, fix: str = "") -> None:
        self.why = why
        self.fix = fix
        super().__init__(f"{why}; {fix}" if fix else why)


@dataclass(frozen=True, slots=True)
class ConditionSubject:
    """What a condition is about: a field or a nested part of it, or its size or type."""

    path: FieldPath
    entity: str
    field: FieldLayout
    placeholder: str
    """As it is written in the expression."""
    annotation: Any
    may_be_null: bool = False
    """Whether the value may be stored as NULL: None in a nested field, or as other programs write it."""
    derived: Literal["", "size", "type"] = ""
    """What is compared in place of the value itself."""

    @property
    def text(self) -> str:
        """As it is written in Python, for messages."""
        text = path_source(self.path, self.entity)
        if self.derived == "type":
            return f"attribute_type({text})"
        return f"{text}.size()" if self.derived else text


class ConditionWriter(ABC):
    """Writes conditions for the items of one entity, or of several."""

    def __init__(self, *layouts: Layout) -> None:
        self.layouts = layouts

    @abstractmethod
    def name(self, stored: str) -> str:
        """The placeholder of a stored name."""

    @abstractmethod
    def value(self, subject: ConditionSubject, value: Any) -> str:
        """The placeholder of a value, which was checked, that the subject is compared with."""

    @abstractmethod
    def parameter(self, subject: ConditionSubject, parameter: FilterParameter, use: Use) -> str:
        """The placeholder of a parameter that the subject is compared with."""

    def text(self, condition: Condition) -> str:
        """The condition, with parentheses around every operand of AND, OR and NOT."""
        match condition:
            case Comparison(operator, FieldPath() as path, None) if operator in ("=", "<>"):
                return self._existence(path, exists=operator == "<>")
            case Comparison(operator, left, right):
                return self._comparison(operator, left, right)
            case Between(operand, low, high):
                subject, texts = self._operands((operand, low, high), "order")
                _check_zero(subject, high, 0)
                return f"{texts[0]} BETWEEN {texts[1]} AND {texts[2]}"
            case OneOf(operand, values):
                return self._one_of(operand, values)
            case Function("attribute_exists" | "attribute_not_exists", path):
                return self._existence(path, exists=condition.function == "attribute_exists")
            case Function("attribute_type", path, value):
                return self._attribute_type(self._path(path), value)
            case Function(function, path, value):
                use: Use = "prefix" if function == "begins_with" else "element"
                subject = self._path(path)
                return f"{function}({subject.placeholder}, {self._operand(subject, value, use)})"
            case Both(operator, left, right):
                return f"({self.text(left)}) {operator} ({self.text(right)})"
            case Not(inner):
                return f"NOT ({self.text(inner)})"
            case _:
                raise InvalidCondition(
                    f"{condition!r} is not a condition", "compare a field: User.status == 'ACTIVE'"
                )

    def _comparison(self, operator: str, left: Any, right: Any) -> str:
        use: Use = "equal" if operator in ("=", "<>") else "order"
        subject, texts = self._operands((left, right), use)
        _check_zero(subject, right, {"=": 0, "<": 1, "<=": 0}.get(operator, -1))
        return f"{texts[0]} {operator} {texts[1]}"

    def _existence(self, path: FieldPath, *, exists: bool) -> str:
        """Whether a path has a value. None is absent, or NULL in a nested field and in items of other programs."""
        subject = self._path(path)
        function = "attribute_exists" if exists else "attribute_not_exists"
        text = f"{function}({subject.placeholder})"
        if not subject.may_be_null:
            return text
        null = f"attribute_type({subject.placeholder}, {self.value(subject, 'NULL')})"
        return f"({text}) AND (NOT ({null}))" if exists else f"({text}) OR ({null})"

    def _attribute_type(self, subject: ConditionSubject, value: Any) -> str:
        _check_secret(subject, value, "order")
        kind = replace(subject, annotation=_TYPES, derived="type")
        return f"attribute_type({subject.placeholder}, {self._operand(kind, value, 'equal')})"

    def _one_of(self, operand: Any, values: tuple[Any, ...]) -> str:
        if isinstance(operand, FieldPath | Size):
            values = _elements(self._subject(operand), values)
        if not 1 <= len(values) <= 100:
            shown = self._subject(operand).text if isinstance(operand, FieldPath | Size) else operand
            raise InvalidCondition(f"{shown}.one_of() takes 1 to 100 values, not {len(values)}")
        subject, texts = self._operands((operand, *values), "equal")
        for value in values:
            _check_zero(subject, value, 0)
        return f"{texts[0]} IN ({', '.join(texts[1:])})"

    def _operands(self, operands: Sequence[Any], use: Use) -> tuple[ConditionSubject, list[str]]:
        """The operands that are compared with each other: the first field, which has the type, and all texts."""
        position = next(
            (at for at, operand in enumerate(operands) if isinstance(operand, FieldPath | Size)), None
        )
        if position is None:
            raise InvalidCondition(
                "a condition compares values, and no field", "compare a field with a value"
            )
        subject = self._subject(operands[position])
        texts = [
            subject.placeholder if at == position else self._operand(subject, operand, use)
            for at, operand in enumerate(operands)
        ]
        return subject, texts

    def _subject(self, operand: FieldPath | Size) -> ConditionSubject:
        if isinstance(operand, FieldPath):
            return self._path(operand)
        subject = self._path(operand.path)
        if subject.field.is_secret:
            raise InvalidCondition(f"{subject.text} is not stored as it is, so it has no size to compare")
        with _mismatch(subject):
            check_size(subject.annotation)
        placeholder = f"size({subject.placeholder})"
        return ConditionSubject(subject.path, subject.entity, subject.field, placeholder, int, derived="size")

    def _path(self, path: FieldPath) -> ConditionSubject:
        """The field under its stored name, and its nested parts under theirs."""
        layouts = self._layouts_of(path)
        entity = layouts[0].entity.__name__
        field, stored, annotation = self._resolved(layouts[0], path)
        is_optional = field.optional
        for layout in layouts[1:]:
            other, name, kind = self._resolved(layout, path)
            is_optional = is_optional or other.optional
            if name != stored:
                text = path_source(path, entity)
                raise InvalidCondition(
                    f"{text} is stored under several names", "give it one alias in all entities"
                )
            annotation = annotation if kind == annotation else Any
            field = other if other.is_secret else field
        placeholder = self.name(field.stored)
        if len(path.parts) == 1:
            may_be_null = is_optional and not field.is_secret
            return ConditionSubject(path, entity, field, placeholder, annotation, may_be_null)
        if field.is_secret:
            raise InvalidCondition(
                f"{path_source(path, entity)} is inside {field.name}, which is not stored as it is",
                f"test whether {field.name} exists",
            )
        placeholder += "".join(map(self._step, stored[1:]))
        may_be_null = annotation is Any or without_none(annotation)[1]
        return ConditionSubject(path, entity, field, placeholder, annotation, may_be_null)

    def _layouts_of(self, path: FieldPath) -> list[Layout]:
        """The layouts that have the field; an attribute belongs to the class that it was taken from."""
        owner = path.owner
        if owner is None:
            layouts = [layout for layout in self.layouts if path.name in layout.fields]
        else:
            layouts = [layout for layout in self.layouts if issubclass(layout.entity, owner)]
        if not layouts:
            raise self._unknown(path)
        return layouts

    def _unknown(self, path: FieldPath) -> InvalidCondition:
        """The error of a field that no entity has, or that belongs to another entity."""
        entities = " or ".join(layout.entity.__name__ for layout in self.layouts)
        others = "its fields are" if len(self.layouts) == 1 else "the fields are"
        hint = field_hint(self.layouts, path.name, others)
        if path.owner is None:
            return InvalidCondition(f"{path.name} is not a field of {entities}", hint)
        own = next((layout.entity for layout in self.layouts if path.name in layout.fields), None)
        hint = f"write {own.__name__}.{path.name}" if own else hint
        return InvalidCondition(f"the condition uses {path_source(path)}, but the items are {entities}", hint)

    def _resolved(self, layout: Layout, path: FieldPath) -> tuple[FieldLayout, tuple[Part, ...], Any]:
        """The field, the stored parts and the type of a path."""
        field = layout.fields[path.name]
        annotation = field.annotation
        stored: list[Part] = [field.stored]
        for at, part in enumerate(path.parts[1:], 1):
            try:
                stored_part, annotation = member(annotation, part)
            except NotNested as error:
                outer = FieldPath(path.owner, path.parts[:at])
                raise InvalidCondition(f"{path_source(outer, layout.entity.__name__)} {error}") from None
            stored.append(stored_part)
        return field, tuple(stored), annotation

    def _step(self, part: Part) -> str:
        return f"[{part}]" if isinstance(part, int) else f".{self.name(part)}"

    def _operand(self, subject: ConditionSubject, value: Any, use: Use) -> str:
        _check_secret(subject, value, use)
        match value:
            case FieldPath() | Size():
                other = self._subject(value)
                _check_secret(other, subject, use)
                if other.placeholder == subject.placeholder:
                    raise InvalidCondition(
                        f"{subject.text} is compared with itself", "compare it with a value"
                    )
                with _mismatch(subject, f" compared with {other.text}"):
                    check_types(subject.annotation, other.annotation, use)
                return other.placeholder
            case FilterParameter():
                return self.parameter(subject, value, use)
            case _:
                return self._value(subject, value.value if isinstance(value, Hidden) else value, use)

    def _value(self, subject: ConditionSubject, value: Any, use: Use) -> str:
        with _mismatch(subject):
            value = checked_value(subject.annotation, value, use)
        if isinstance(value, set | frozenset) and not value:
            raise InvalidCondition(
                f"{subject.text} cannot equal an empty set, which is not stored", "use is_absent()"
            )
        return self.value(subject, value)


@contextmanager
def _mismatch(subject: ConditionSubject, compared: str = "") -> Iterator[None]:
    """Raise `InvalidCondition` for a value that the subject can never have; a secret value is not shown."""
    try:
        yield
    except ValueMismatch as error:
        why = "cannot be compared with a value of another type" if subject.field.is_secret else str(error)
        raise InvalidCondition(f"{subject.text}{compared} {why}") from None


def _check_secret(subject: ConditionSubject, value: Any, use: Use) -> None:
    field = subject.field
    if field.marker(Encrypted):
        raise InvalidCondition(
            f"{subject.text} is encrypted, so its value cannot be compared",
            "test whether it exists, or use Hashed",
        )
    if not field.marker(Hashed):
        return
    if use != "equal":
        raise InvalidCondition(f"{subject.text} is stored as a hash", "compare it with ==, != or one_of")
    if isinstance(value, FieldPath | Size | ConditionSubject):
        raise InvalidCondition(
            f"{subject.text} is stored as a hash", "compare it with a value, not with a field"
        )


def _check_zero(subject: ConditionSubject, value: Any, most: int) -> None:
    """Reject a comparison of a size that only an empty set would meet; an empty set is not stored in an item."""
    if subject.derived != "size" or len(subject.path.parts) > 1 or not isinstance(value, int) or value > most:
        return
    if stored_kind(subject.field.annotation) == "a set":
        raise InvalidCondition(
            f"{subject.text} is never 0: a set without elements is not stored", "use is_absent()"
        )


def _elements(subject: ConditionSubject, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values of `one_of`; one list of values means its elements, unless the field is a list itself."""
    if len(values) != 1 or stored_kind(subject.annotation) in ("a list", "a set"):
        return values
    elements, is_hidden = values[0], isinstance(values[0], Hidden)
    elements = elements.value if is_hidden else elements
    if not isinstance(elements, list | tuple | set | frozenset):
        return values
    return tuple(Hidden(value) if is_hidden else value for value in elements)
