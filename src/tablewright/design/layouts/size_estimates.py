"""Size estimates: the bytes of a value, estimated from its type. Real values vary; the order of magnitude counts."""

from datetime import date, datetime
from typing import Any, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel

from tablewright.design.fields.annotations import plain_type
from tablewright.design.layouts.field_values import allowed_values
from tablewright.values.item_sizes import CONTAINER, ELEMENT

_TEXT = 36
"""A text of unknown length counts as a UUID: most texts in lists are ids."""
_UNKNOWN = 100
_PLAIN = {bool: 1, int: 8, float: 8, UUID: 36, datetime: 24, date: 10, str: _TEXT}


def estimated_size(annotation: Any) -> int:
    """The estimated bytes of one value.

    >>> estimated_size(str), estimated_size(list[str]), estimated_size(datetime)
    (36, 40, 24)
    """
    plain, _ = plain_type(annotation)
    known = allowed_values(plain)
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
