"""Field values: what the declaration of a field says about its values: which, how many, how long."""

import re
from collections.abc import Iterable
from datetime import date, datetime
from enum import Enum
from math import prod
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from tablewright.design.fields.markers import Cardinality, ulid
from tablewright.design.keys.templates import TemplateField
from tablewright.design.keys.text_formats import Shard
from tablewright.design.layouts.layouts import FieldLayout, Layout


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
