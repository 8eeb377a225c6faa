"""Choices: which values a type can have, where its declaration tells; and how many."""

from datetime import date, datetime
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from tablewright.design.fields import Cardinality
from tablewright.design.layouts import FieldLayout


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
