"""Size estimates: the bytes of a value, estimated from its type. Real values vary; the order of magnitude counts.

Key lengths: the longest text that a field can have in a key.
"""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.annotations import max_length, plain_type
from tablewright.design.fields.markers import Hashed
from tablewright.design.layouts.field_values import allowed_values
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.dynamodb.values.item_sizes import CONTAINER, ELEMENT

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
