"""Text formats: text in one case, normalised text, and shards.

    {email:lower}            in lower case (or `upper`)
    {nickname:fold}          normalised, so that names that people read as equal are equal (see `fold`)
    {user_id:shard(8)}       one of eight numbers, 0 to 7, always the same for the same value

The value cannot be read back from the key.
"""

from collections.abc import Callable
from datetime import date, datetime
from enum import Enum
from typing import Any, Literal, get_origin
from unicodedata import normalize
from uuid import UUID
from zlib import crc32

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.keys.time_formats import aware, is_a
from tablewright.design.keys.timestamps import timestamp_text
from tablewright.errors import DesignError, KeyValueError


def fold(text: str) -> str:
    """Text normalised so that names that people read as equal are equal: NFKC, case folded, stripped.

    >>> fold(" STRASSE") == fold("stra\N{LATIN SMALL LETTER SHARP S}e"), fold("\N{FULLWIDTH LATIN CAPITAL LETTER A}da")
    (True, 'ada')
    """
    return normalize("NFKC", normalize("NFKC", text).casefold()).strip()


CASES: dict[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "fold": fold}
"""The formats of text, by name."""

_MOST_SHARDS = 2**32


@dataclass(frozen=True, slots=True)
class Case:
    """Text in one case, so that a lookup does not depend on the case typed.

    >>> Case("lower").render("email", "Ada@Example.com")
    'ada@example.com'
    """

    text: str
    shape = ""
    is_part = False
    is_reversible = False
    is_number = False

    def render(self, name: str, value: Any) -> str:
        """The value as key text."""
        return CASES[self.text](key_text(name, value))

    def restore(self, text: str) -> str:
        """The text itself: the case of the value is not in the key."""
        return text

    def fix(self, name: str, annotation: Any) -> str:
        """How to repair a declaration whose values do not fit; empty if values of the type fit."""
        return (
            "" if is_a(annotation, str, Enum) or get_origin(annotation) is Literal else f"make {name} a str"
        )


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` numbers, the CRC-32 of the value's text modulo `count`: it splits a hot partition.

    >>> Shard(16).render("user_id", "u1"), Shard(16).shape
    ('06', '00')
    """

    count: int
    is_part = True
    is_reversible = False
    is_number = False

    def __post_init__(self) -> None:
        if self.count < 2:
            raise DesignError(f"shard({self.count}) has fewer than 2 shards; use shard(2) or more")
        if self.count > _MOST_SHARDS:
            raise DesignError(
                f"shard({self.count}) has more shards than a CRC-32 has values; use shard({_MOST_SHARDS}) or less"
            )

    @property
    def text(self) -> str:
        """The format as written in a template."""
        return f"shard({self.count})"

    @property
    def shape(self) -> str:
        """An example of its text, with a 0 for every digit."""
        return "0" * len(str(self.count - 1))

    def render(self, name: str, value: Any) -> str:
        """The value as key text."""
        return str(crc32(key_text(name, value).encode()) % self.count).zfill(len(self.shape))

    def restore(self, text: str) -> str:
        """The text itself: the value is not in the key."""
        return text

    def fix(self, name: str, annotation: Any) -> str:
        """Always empty: every value that can be part of a key fits."""
        return ""


def key_text(name: str, value: Any) -> str:
    """The text of a value in a key; `KeyValueError` if its type has no unique text or does not sort."""
    match value:
        case Enum():
            return key_text(name, value.value)
        case bool():
            raise KeyValueError(
                f"{name} is a boolean, which cannot be part of a key; use a string such as 'open'"
            )
        case str():
            return value
        case int():
            return str(value)
        case datetime():
            return timestamp_text(aware(name, value))
        case date():
            return value.isoformat()
        case UUID():
            return str(value)
        case None:
            raise KeyValueError(f"{name} is None, and a key cannot contain it")
        case _:
            raise KeyValueError(f"{name} is a {type(value).__name__}, which cannot be part of a key")
