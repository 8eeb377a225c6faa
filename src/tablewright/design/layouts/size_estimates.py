"""Sizes: how many bytes a value will take, guessed from its type: real names and sentences vary, this is for scale."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel

from tablewright.design.layouts.field_values import choices, plain_type
from tablewright.values.item_sizes import CONTAINER, ELEMENT

_TEXT = 36
"""A text of unknown length counts as a UUID does: most of those in lists are ids."""
_UNKNOWN = 100
_PLAIN = {bool: 1, int: 8, float: 8, UUID: 36, datetime: 24, date: 10, str: _TEXT}


def estimated_size(annotation: Any) -> int:
    """Bytes of one value.

    >>> estimated_size(str), estimated_size(list[str]), estimated_size(datetime)
    (36, 40, 24)
    """
    plain, _ = plain_type(annotation)
    known = choices(plain)
    if known is not None:
        return max(map(len, known))
    if isinstance(plain, type) and issubclass(plain, BaseModel):
        members = plain.model_fields.items()
        sizes = (
            len(info.alias or name) + ELEMENT + estimated_size(info.annotation) for name, info in members
        )
        return CONTAINER + sum(sizes)
    if get_origin(plain) in (list, set, frozenset, tuple):
        return CONTAINER + ELEMENT + estimated_size((*get_args(plain), str)[0])
    return _PLAIN.get(plain, _UNKNOWN) if isinstance(plain, type) else _UNKNOWN


def members(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Every field of a model and of the models in it: its path, its type, its metadata."""
    for name, info in model.model_fields.items():
        plain, within = plain_type(info.annotation)
        yield f"{path}{name}", plain, (*info.metadata, *within)
        if isinstance(plain, type) and issubclass(plain, BaseModel):
            yield from members(plain, f"{path}{name}.")


def longest(metadata: tuple[Any, ...]) -> int | None:
    """The most elements that `Field(max_length=...)` allows."""
    found = (getattr(one, "max_length", None) for one in metadata)
    return next((length for length in found if length is not None), None)
