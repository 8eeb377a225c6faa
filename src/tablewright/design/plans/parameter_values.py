"""Parameter values: a parameter is validated as the field of the entity whose place in the key it fills.

A validator that lower-cases a field does so with the parameter, and a text that no key has is refused when the request
is made: the name of an enum member, a month without its zero, a shard that does not exist. A prefix and the end of a
range are not validated so: they need not be whole values of the field. Nor are limits of a length or a range: a value
outside of them is read as any other, as a row of another program may have it.
"""

import re
from collections.abc import Callable
from dataclasses import field as dataclass_field
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from annotated_types import BaseMetadata
from pydantic import (
    BaseModel,
    EmailStr,
    GetCoreSchemaHandler,
    PlainSerializer,
    WithJsonSchema,
    WrapSerializer,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.annotations import plain_type
from tablewright.design.fields.markers import MARKERS
from tablewright.design.keys.templates import TemplateField
from tablewright.design.keys.text_formats import Case, Shard, key_text
from tablewright.design.keys.time_formats import Calendar, is_a
from tablewright.design.layouts.partial_entities import field_validator
from tablewright.design.plans.parameter_parts import FilledPart, filled_parts, is_whole, shard_range
from tablewright.design.plans.plans import Plan, parameter_type
from tablewright.errors import KeyValueError

Check = Callable[[Any], Any]


class AsField:
    """Metadata of a parameter: its value, or each value of its list, is validated as that of a field."""

    def __init__(self, check: Check) -> None:
        self._check = check

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate as the parameter declares, then as the field does."""
        return core_schema.no_info_after_validator_function(self._validated, handler(source))

    def _validated(self, value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, list | tuple | set | frozenset):
            return type(value)(map(self._check, value))
        return self._check(value)


def validate_as_fields(plan: Plan) -> bool:
    """Let the parameters of a pattern be validated as fields; return whether pydantic must build the class again."""
    checks = _checks(plan)
    changed = False
    for name, info in plan.pattern.model_fields.items():
        metadata = [entry for entry in info.metadata if not isinstance(entry, AsField)]
        if name in checks:
            metadata.append(AsField(checks[name]))
        if name in checks or len(metadata) != len(info.metadata):  # a base class may have other checks
            info.metadata = metadata
            changed = True
    return changed


def has_validators(entity: type[BaseModel], name: str) -> bool:
    """Whether validators of a field may change its values."""
    return bool(_own_validators(entity, name) or _validators(entity.model_fields[name]))


def _checks(plan: Plan) -> dict[str, Check]:
    """The checks of parameters that fill one field, or fields that are declared alike."""
    partial = {
        part.name
        for clause in plan.clauses
        for template in clause.templates
        for part in template.fields
        if not is_whole(clause, part)
    }
    checks: dict[str, list[Check | None]] = {}
    for part in filled_parts(plan):
        name = part.parameter.name
        if name not in partial and name in plan.pattern.model_fields:
            checks.setdefault(name, []).append(_check(plan, part))
    return {
        name: first
        for name, (first, *others) in checks.items()
        if first is not None and all(other == first for other in others)
    }


def _check(plan: Plan, part: FilledPart) -> Check | None:
    """How to check the parameter of a part; None if every value of its type fits."""
    kind = parameter_type(plan.pattern, plan.kind, part.parameter.name)
    written = part.written
    if written.key_format is None or isinstance(written.key_format, Case):
        return _field_check(plan, part, kind)
    if part.parameter.key_format == written.key_format:
        return None if written.time_text else _field_check(plan, part, kind)
    if kind in (str, int) and written.has_fixed_shape:
        return _WrittenText(part.parameter, written, part.layout.entity.__name__, str(part.template.text))
    return None


def _field_check(plan: Plan, part: FilledPart, kind: Any) -> Check | None:
    entity, name = part.layout.entity, part.written.name
    info = entity.model_fields.get(name)
    if info is None:  # a computed field, or an element of a copied list
        return None
    plain, _ = plain_type(info.annotation)
    own = _own_validators(entity, name)
    if kind == plain:
        known = _parameter_validators(plan, part.parameter.name)
        is_shard = shard_range(part.layout, part.written) is not None and part.written.key_format is None
        if not own and not is_shard and all(validator in known for validator in _validators(info)):
            return None
    elif kind is not str or part.written.key_format is not None or not _has_texts(plain):
        return None
    declared = (info.annotation, tuple(info.metadata))
    return _FieldValue(entity, name, kind is str, declared, entity if own else None)


def _has_texts(plain: Any) -> bool:
    """Whether the values of a type are known by their text in a key."""
    if get_origin(plain) is Literal or plain is EmailStr:
        return True
    return is_a(plain, Enum, date, UUID, int, str) and plain is not bool


def _own_validators(entity: type[BaseModel], name: str) -> list[Any]:
    """The validators of a field that are methods of its class."""
    decorators = entity.__pydantic_decorators__.field_validators.values()
    return [one for one in decorators if name in one.info.fields or "*" in one.info.fields]


_CASES = ("strip_whitespace", "to_lower", "to_upper")
_UNCHANGING = (*MARKERS, BaseMetadata, PlainSerializer, WrapSerializer, WithJsonSchema)


def _validators(info: FieldInfo) -> list[Any]:
    """The metadata of a field that may change its values: not its limits."""
    metadata = (*info.metadata, *plain_type(info.annotation)[1])
    return [entry for entry in metadata if _may_change(entry)]


def _may_change(entry: Any) -> bool:
    if any(getattr(entry, name, None) for name in _CASES):
        return True
    return hasattr(entry, "__get_pydantic_core_schema__") and not isinstance(entry, _UNCHANGING)


def _parameter_validators(plan: Plan, name: str) -> list[Any]:
    info = plan.pattern.model_fields[name]
    elements = get_args(plain_type(info.annotation)[0])[:1] if plan.kind == "batch" else ()
    inner = (entry for element in elements for entry in plain_type(element)[1])
    return [*_validators(info), *inner]


@dataclass(frozen=True, slots=True)
class _FieldValue:
    """Validates a value as a field of an entity does."""

    entity: type[BaseModel] = dataclass_field(compare=False)
    name: str = dataclass_field(compare=False)
    as_text: bool
    """Whether the parameter is a text, also where the field is not."""
    declared: tuple[Any, tuple[Any, ...]]
    owner: type[BaseModel] | None
    """The entity, if validators of its own belong to the field."""

    def __call__(self, value: Any) -> Any:
        validator = field_validator(self.entity, self.name)
        if validator is None:
            return value
        valid = validator.validate_python(value)
        if not self.as_text or isinstance(value, type(valid)):
            return valid
        # Of a time in text, the caller gives what the key contains: another program may write another form.
        return value if isinstance(valid, date) else key_text(self.name, valid)


@dataclass(frozen=True, slots=True)
class _WrittenText:
    """Requires the text that a key format writes: a month with its zero, a shard that exists."""

    parameter: TemplateField
    written: TemplateField
    entity: str
    template: str

    def __call__(self, value: Any) -> Any:
        try:
            text = self.parameter.render(value)
        except KeyValueError:  # raised again when the request is made
            return value
        if not self._is_written(text):
            problem = f'must be {self._example()}: {self.entity} writes the key "{self.template}"'
            raise PydanticCustomError("key_text", "{problem}", {"problem": problem})
        return value

    def _is_written(self, text: str) -> bool:
        match self.written.key_format:
            case Shard(count=count):
                return text.isdecimal() and len(text) == len(self.written.shape) and int(text) < count
            case Calendar() as calendar:
                return calendar.holds(text)
            case _:
                return re.fullmatch(self.written.pattern, text) is not None

    def _example(self) -> str:
        match self.written.key_format:
            case Shard(count=count):
                width = len(self.written.shape) if self.parameter.key_format is None else 0
                return f"a shard, {'0'.zfill(width)} to {count - 1}"
            case Calendar() as calendar:
                return (
                    f"a text such as {calendar.render(self.written.name, datetime(2026, 5, 1, tzinfo=UTC))}"
                )
            case _:
                return f"a text such as {self.written.shape}"
