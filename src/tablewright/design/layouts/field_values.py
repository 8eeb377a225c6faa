"""Field values: what the declaration of a field says about its values: which, how many, how long.

Sizes are estimated from the type. Real values vary; the order of magnitude counts.
"""

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime
from enum import Enum
from math import prod
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.annotations import max_length, plain_type
from tablewright.design.fields.markers import Cardinality, Hashed, ulid
from tablewright.design.keys.templates import TemplateField
from tablewright.design.keys.text_formats import Shard
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.dynamodb.values.item_sizes import CONTAINER, ELEMENT


def allowed_values(annotation: Any) -> tuple[str, ...] | None:
    """The values of an enum, a literal or a boolean, as text; None for other types.

    >>> allowed_values(Literal["open", "closed"]), allowed_values(str)
    (('open', 'closed'), None)
    """
    if get_origin(annotation) is Literal:
        return tuple(map(str, get_args(annotation)))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(str(member.value) for member in annotation)
    return ("true", "false") if annotation is bool else None


def cardinality(field: FieldLayout) -> int | None:
    """The number of values a field has at a time, declared or by its type; a date or a time has one at a time."""
    declared = field.marker(Cardinality)
    if declared is not None:
        return int(declared.values)
    known = allowed_values(field.annotation)
    if known is not None:
        return len(known)
    return 1 if is_time_field(field) else None


def value_count(sources: Iterable[tuple[TemplateField, FieldLayout]]) -> int | None:
    """The number of keys with these parts, each with its field, at a time; None is very many."""
    counts = [_part_count(part, field) for part, field in dict(sources).items()]
    return None if None in counts else prod(count for count in counts if count is not None)


def _part_count(part: TemplateField, field: FieldLayout) -> int | None:
    """The number of texts of one part at a time; a shard has all its numbers, whatever the field."""
    if not isinstance(part.key_format, Shard):
        return cardinality(field)
    known = allowed_values(field.annotation)
    return part.key_format.count if known is None else min(len(known), part.key_format.count)


_TIME_WORDS = ("at", "on", "time", "timestamp", "ts", "date", "day", "month", "year")


def is_time_field(field: FieldLayout) -> bool:
    """Whether a field holds a date or a time: by its type, or by its name if it is a text or a number.

    >>> [is_time_field(FieldLayout(name, name, str, False)) for name in ("created_at", "day", "format")]
    [True, True, False]
    """
    if not isinstance(field.annotation, type):
        return False
    if issubclass(field.annotation, datetime | date):
        return True
    return issubclass(field.annotation, str | int) and field.name.split("_")[-1].lower() in _TIME_WORDS


def is_generated(field: FieldLayout, layout: Layout) -> bool:
    """Whether the values of a field are generated and so unique: a UUID, or a new ULID."""
    info = layout.entity.model_fields.get(field.name)
    return field.annotation is UUID or (info is not None and info.default_factory is ulid)


def is_identity(field: FieldLayout, layout: Layout) -> bool:
    """Whether a field identifies the entity: its values are generated, or it is named after the entity (`order_id`)."""
    if is_generated(field, layout):
        return True
    entity = re.sub(r"(?<!^)(?=[A-Z])", "_", layout.entity.__name__).lower()
    return field.name in ("id", f"{entity}_id", f"{entity.split('_')[-1]}_id")


def has_fixed_width(annotation: Any) -> bool:
    """Whether all values of a type have the same length in a key.

    >>> has_fixed_width(date), has_fixed_width(str), has_fixed_width(Literal["on", "of"])
    (True, False, True)
    """
    known = allowed_values(annotation)
    if known is not None:
        return len({len(value) for value in known}) == 1
    return isinstance(annotation, type) and issubclass(annotation, datetime | date | UUID)


def type_name(annotation: Any) -> str:
    """The name of a type, for messages.

    >>> type_name(list[str]), type_name(int)
    ('list', 'int')
    """
    return getattr(get_origin(annotation) or annotation, "__name__", str(annotation))


_TEXT = 36
"""A text of unknown length counts as a UUID: most texts in lists are ids."""
_UNKNOWN = 100
_PLAIN = {bool: 1, int: 8, float: 8, UUID: 36, datetime: 24, date: 10, str: _TEXT}


def estimated_size(annotation: Any) -> int:
    """The estimated bytes of one value.

    >>> estimated_size(str), estimated_size(list[str]), estimated_size(datetime)
    (36, 40, 24)
    """
    return _Sizes().estimated(annotation)


def largest_size(annotation: Any, metadata: tuple[Any, ...] = ()) -> int:
    """The bytes of the largest value that the declared limits allow; what has no limit counts as estimated.

    >>> from typing import Annotated
    >>> from pydantic import Field
    >>> largest_size(Annotated[list[Annotated[str, Field(max_length=500)]], Field(max_length=10)])
    5013
    """
    return _Sizes().largest(annotation, metadata)


class _Sizes:
    """Computes sizes; a model inside itself counts as a value of unknown type."""

    def __init__(self) -> None:
        self._open: list[type[BaseModel]] = []

    def estimated(self, annotation: Any) -> int:
        plain, _ = plain_type(annotation)
        known = allowed_values(plain)
        if known is not None:
            return max(map(len, known))
        if isinstance(plain, type) and issubclass(plain, BaseModel):
            return self._members(plain, lambda info: self.estimated(info.annotation))
        if get_origin(plain) in (list, set, frozenset, tuple):
            return CONTAINER + ELEMENT + self.estimated((*get_args(plain), str)[0])
        return _PLAIN.get(plain, _UNKNOWN) if isinstance(plain, type) else _UNKNOWN

    def largest(self, annotation: Any, metadata: tuple[Any, ...] = ()) -> int:
        plain, within = plain_type(annotation)
        limit = max_length((*metadata, *within))
        if isinstance(plain, type) and issubclass(plain, BaseModel):
            return self._members(plain, lambda info: self.largest(info.annotation, tuple(info.metadata)))
        arguments = get_args(plain)
        if get_origin(plain) in (list, set, frozenset, dict) and arguments and limit is not None:
            return CONTAINER + limit * (ELEMENT + sum(map(self.largest, arguments)))
        return limit if plain in (str, bytes) and limit is not None else self.estimated(plain)

    def _members(self, model: type[BaseModel], size: Callable[[FieldInfo], int]) -> int:
        if model in self._open:
            return _UNKNOWN
        self._open.append(model)
        members = model.model_fields.items()
        total = sum(len(info.alias or name) + ELEMENT + size(info) for name, info in members)
        self._open.pop()
        return CONTAINER + total


_WIDEST = 3
"""Bytes of a character in UTF-8; only emoji and rare scripts take 4."""
_FIXED = {datetime: 24, date: 10, UUID: 36, int: 39}
_DIGEST = 64


@dataclass(frozen=True, slots=True)
class KeyLength:
    """The characters of the longest text, and its bytes if it is not ASCII."""

    characters: int
    bytes: int

    @classmethod
    def of(cls, text: str) -> "KeyLength":
        """The length of a known text."""
        return cls(len(text), len(text.encode()))

    def __add__(self, other: "KeyLength") -> "KeyLength":
        return KeyLength(self.characters + other.characters, self.bytes + other.bytes)


def longest_text(field: FieldLayout, layout: Layout) -> KeyLength | None:
    """The longest text of a field in a key; None if it has no limit.

    A field that the entity does not have is the element of a copied list; its own annotation has its limit.
    """
    if field.marker(Hashed):
        return KeyLength(_DIGEST, _DIGEST)
    plain, within = plain_type(field.annotation)
    known = allowed_values(plain)
    if known:
        return max((KeyLength.of(value) for value in known), key=lambda length: length.bytes)
    for kind, length in _FIXED.items():
        if isinstance(plain, type) and issubclass(plain, kind):
            return KeyLength(length, length)
    info = layout.entity.model_fields.get(field.name)
    declared = (*info.metadata, *plain_type(info.annotation)[1]) if info is not None else ()
    most = max_length((*declared, *within))
    if most is None:
        return None
    return KeyLength(most, most if plain is bytes else most * _WIDEST)
