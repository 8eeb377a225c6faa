"""Choices: what a field's declaration tells of its values: which, how many, how long, and whether they tell time."""

import re
import types
from collections.abc import Iterable
from datetime import date, datetime
from enum import Enum
from itertools import chain
from math import prod
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic.fields import FieldInfo

from tablewright.design.fields.markers import Cardinality, ulid
from tablewright.design.keys.key_formats import Shard
from tablewright.design.keys.templates import Field
from tablewright.design.layouts.layouts import FieldLayout, Layout


def plain_type(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without `None` and without `Annotated`, and the metadata that was in there.

    >>> plain_type(Annotated[int, "metadata"] | None)
    (<class 'int'>, ('metadata',))
    """
    if get_origin(annotation) is Annotated:
        plain, metadata = plain_type(annotation.__origin__)
        inner = (one.metadata if isinstance(one, FieldInfo) else [one] for one in annotation.__metadata__)
        return plain, (*metadata, *chain(*inner))
    if get_origin(annotation) in (Union, types.UnionType):
        kept = [part for part in get_args(annotation) if part is not type(None)]
        if len(kept) == 1:
            return plain_type(kept[0])
    return annotation, ()


def choices(annotation: Any) -> tuple[str, ...] | None:
    """The values of an enum, a literal or a boolean, as text; None when there is no telling.

    >>> choices(Literal["open", "closed"]), choices(str)
    (('open', 'closed'), None)
    """
    if get_origin(annotation) is Literal:
        return tuple(map(str, get_args(annotation)))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(str(member.value) for member in annotation)
    return ("true", "false") if annotation is bool else None


def cardinality(field: FieldLayout) -> int | None:
    """How many values a field has at a time, declared or by its type; a day or a moment is one at a time."""
    declared = field.marker(Cardinality)
    if declared is not None:
        return int(declared.values)
    known = choices(field.annotation)
    if known is not None:
        return len(known)
    return 1 if is_moment(field) else None


def value_count(sources: Iterable[tuple[Field, FieldLayout]]) -> int | None:
    """How many values keys made of these parts, each filled by its field, have at a time; None is very many."""
    counts = [_part_count(part, field) for part, field in dict(sources).items()]
    return None if None in counts else prod(count for count in counts if count is not None)


def _part_count(part: Field, field: FieldLayout) -> int | None:
    """How many texts one part has at a time; a shard takes all of its numbers, whatever it is made of."""
    if not isinstance(part.spelling, Shard):
        return cardinality(field)
    known = choices(field.annotation)
    return part.spelling.count if known is None else min(len(known), part.spelling.count)


_MOMENTS = ("at", "on", "time", "timestamp", "ts", "date", "day", "month", "year")


def is_moment(field: FieldLayout) -> bool:
    """Whether a field tells the time, by its type or, where that is text or a number, by its name.

    >>> [is_moment(FieldLayout(name, name, str, False)) for name in ("created_at", "day", "format")]
    [True, True, False]
    """
    if not isinstance(field.annotation, type):
        return False
    if issubclass(field.annotation, datetime | date):
        return True
    return issubclass(field.annotation, str | int) and field.name.split("_")[-1].lower() in _MOMENTS


def is_generated(field: FieldLayout, layout: Layout) -> bool:
    """Whether a field is unique by the way it is made: a UUID, or a fresh ULID."""
    info = layout.entity.model_fields.get(field.name)
    return field.annotation is UUID or (info is not None and info.default_factory is ulid)


def is_identity(field: FieldLayout, layout: Layout) -> bool:
    """Whether a field is meant to be the entity's alone: it is made so, or called after it (`order_id`)."""
    if is_generated(field, layout):
        return True
    called = re.sub(r"(?<!^)(?=[A-Z])", "_", layout.entity.__name__).lower()
    return field.name in ("id", f"{called}_id", f"{called.split('_')[-1]}_id")


def has_fixed_width(annotation: Any) -> bool:
    """Whether all values of a type are equally long in a key.

    >>> has_fixed_width(date), has_fixed_width(str), has_fixed_width(Literal["on", "of"])
    (True, False, True)
    """
    known = choices(annotation)
    if known is not None:
        return len({len(value) for value in known}) == 1
    return isinstance(annotation, type) and issubclass(annotation, datetime | date | UUID)
