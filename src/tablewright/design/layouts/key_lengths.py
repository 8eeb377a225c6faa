"""Key lengths: the longest text that a field can have in a key."""

from datetime import date, datetime
from uuid import UUID

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.annotations import max_length, plain_type
from tablewright.design.fields.markers import Hashed
from tablewright.design.layouts.field_values import allowed_values
from tablewright.design.layouts.layouts import FieldLayout, Layout

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
