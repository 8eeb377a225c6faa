"""Spellings: how a value stands in a key, where its own text will not do.

    {level:06}               six digits: numbers sort as text only when all are equally wide
    {created_at:%Y-%m-%d}    a part of a moment, always in UTC, always equally wide
    {email:lower}            in lower case (or `upper`)
    {nickname:fold}          as all spellings of it that people take for the same (see `fold`)
    {user_id:shard(8)}       one of eight numbers, 0 to 7, always the same for the same value

The first can be read back from the key; the others tell only a part of the value.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any, Literal, TypeAlias, get_origin
from unicodedata import normalize
from uuid import UUID
from zlib import crc32

from tablewright.design.keys.timestamps import timestamp_text
from tablewright.errors import DesignError, KeyValueError


@dataclass(frozen=True, slots=True)
class Width:
    """A number with zeros before it.

    >>> Width(6).spell("level", 7)
    '000007'
    """

    digits: int

    @property
    def text(self) -> str:
        """As a template says it."""
        return f"0{self.digits}"

    @property
    def shape(self) -> str:
        """An example of its texts, with a 0 for every digit; empty where they have no one shape."""
        return "0" * self.digits

    def spell(self, name: str, value: Any) -> str:
        """The value as key text."""
        text = key_text(name, value).zfill(self.digits)
        if len(text) > self.digits:
            raise KeyValueError(f"{name} = {text} is wider than the {self.digits} digits of its key")
        return text

    def wants(self, annotation: Any) -> str:
        """What the field should be, when a value of that type cannot be spelt so; otherwise nothing."""
        return "an int" if _is_a(annotation, date) else ""


_CALENDAR: dict[str, tuple[int, Callable[[Any], int]]] = {
    "Y": (4, lambda day: day.year),
    "m": (2, lambda day: day.month),
    "d": (2, lambda day: day.day),
    "j": (3, lambda day: day.timetuple().tm_yday),
    "G": (4, lambda day: day.isocalendar().year),
    "V": (2, lambda day: day.isocalendar().week),
}
_CLOCK: dict[str, tuple[int, Callable[[Any], int]]] = {
    "H": (2, lambda moment: moment.hour),
    "M": (2, lambda moment: moment.minute),
    "S": (2, lambda moment: moment.second),
}
_DIRECTIVES = _CALENDAR | _CLOCK
_DIRECTIVE = re.compile("%(.)")


@dataclass(frozen=True, slots=True)
class Calendar:
    """A part of a moment, in UTC: its day, its month, its hour. Days are spelt so too.

    >>> Calendar("%Y-%m").spell("at", datetime(2025, 8, 8, 10, tzinfo=UTC))
    '2025-08'
    >>> Calendar("%G-W%V").spell("on", date(2024, 12, 31))
    '2025-W01'
    """

    text: str

    def __post_init__(self) -> None:
        unknown = [letter for letter in _DIRECTIVE.findall(self.text) if letter not in _DIRECTIVES]
        if unknown or "0" in _DIRECTIVE.sub("", self.text):
            wrong = f"%{unknown[0]}" if unknown else "the digit 0"
            known = ", ".join(f"%{letter}" for letter in _DIRECTIVES)
            raise DesignError(
                f'"{self.text}" has {wrong}, but a part of a moment is made of {known} and signs'
            )

    @property
    def shape(self) -> str:
        """An example of its texts, with a 0 for every digit."""
        return _DIRECTIVE.sub(lambda match: "0" * _DIRECTIVES[match[1]][0], self.text)

    def spell(self, name: str, value: Any) -> str:
        """The value as key text."""
        if not isinstance(value, date):
            raise KeyValueError(
                f"{name} = {value!r} is no moment and no day, and its key is spelt {self.text}"
                if value is not None
                else f"{name} has no value, and a key is made of it"
            )
        if isinstance(value, datetime):
            value = _aware(name, value).astimezone(UTC)
        elif self._tells_time:
            raise KeyValueError(
                f"{name} = {value} is a day, and its key is spelt {self.text}; give the moment"
            )
        return _DIRECTIVE.sub(lambda match: _digits(value, match[1]), self.text)

    def wants(self, annotation: Any) -> str:
        """What the field should be, when a value of that type cannot be spelt so; otherwise nothing."""
        if _is_a(annotation, datetime) or (_is_a(annotation, date) and not self._tells_time):
            return ""
        return "a Timestamp" if self._tells_time else "a Timestamp or a date"

    @property
    def _tells_time(self) -> bool:
        return any(letter in _CLOCK for letter in _DIRECTIVE.findall(self.text))


def fold(text: str) -> str:
    """What all spellings of a name have in common that people take for the same: no case, one form, no outer blanks.

    >>> fold(" STRASSE") == fold("stra\N{LATIN SMALL LETTER SHARP S}e"), fold("\N{FULLWIDTH LATIN CAPITAL LETTER A}da")
    (True, 'ada')
    """
    return normalize("NFKC", normalize("NFKC", text).casefold()).strip()


@dataclass(frozen=True, slots=True)
class Case:
    """Text in one case, so that it is found however it was typed.

    >>> Case("lower").spell("email", "Ada@Example.com")
    'ada@example.com'
    """

    text: str
    shape = ""

    def spell(self, name: str, value: Any) -> str:
        """The value as key text."""
        return _CASES[self.text](key_text(name, value))

    def wants(self, annotation: Any) -> str:
        """What the field should be, when a value of that type cannot be spelt so; otherwise nothing."""
        return "" if _is_a(annotation, str, Enum) or get_origin(annotation) is Literal else "a str"


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` numbers, the CRC-32 of the value's text modulo `count`: it spreads a partition that is too hot.

    >>> Shard(16).spell("user_id", "u1"), Shard(16).shape
    ('06', '00')
    """

    count: int

    def __post_init__(self) -> None:
        if self.count < 2:
            raise DesignError(f"shard({self.count}) spreads nothing; give it 2 or more")

    @property
    def text(self) -> str:
        """As a template says it."""
        return f"shard({self.count})"

    @property
    def shape(self) -> str:
        """An example of its texts, with a 0 for every digit."""
        return "0" * len(str(self.count - 1))

    def spell(self, name: str, value: Any) -> str:
        """The value as key text."""
        return str(crc32(key_text(name, value).encode()) % self.count).zfill(len(self.shape))

    def wants(self, annotation: Any) -> str:
        """What the field should be: whatever can be a key."""
        return ""


Spelling: TypeAlias = Width | Calendar | Case | Shard

_CASES: dict[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "fold": fold}
_WIDTH = re.compile(r"0([1-9][0-9]*)d?")
_SHARD = re.compile(r"shard\(([0-9]+)\)")


def parse_spelling(text: str) -> Spelling:
    """The spelling that stands behind the colon of a field."""
    if match := _WIDTH.fullmatch(text):
        return Width(int(match[1]))
    if match := _SHARD.fullmatch(text):
        return Shard(int(match[1]))
    if text in _CASES:
        return Case(text)
    if "%" in text:
        return Calendar(text)
    raise DesignError(f'"{text}" is no spelling; write 06, %Y-%m-%d, lower, upper, fold or shard(8)')


def key_text(name: str, value: Any) -> str:
    """A value as it stands in a key; what has no one spelling, or does not sort, is refused."""
    match value:
        case Enum():
            return key_text(name, value.value)
        case bool():
            raise KeyValueError(
                f"{name} is a boolean, which cannot be part of a key; use a text such as 'open'"
            )
        case str():
            return value
        case int():
            return str(value)
        case datetime():
            return timestamp_text(_aware(name, value))
        case date():
            return value.isoformat()
        case UUID():
            return str(value)
        case None:
            raise KeyValueError(f"{name} has no value, and a key is made of it")
        case _:
            raise KeyValueError(f"{name} is a {type(value).__name__}, which cannot be part of a key")


def natural_shape(annotation: Any) -> str:
    """The shape of all values of a type, where they have one, and no spelling."""
    if _is_a(annotation, datetime):
        return "0000-00-00T00:00:00.000Z"
    return "0000-00-00" if _is_a(annotation, date) else ""


def _digits(value: date, letter: str) -> str:
    width, read = _DIRECTIVES[letter]
    return str(read(value)).zfill(width)


def _aware(name: str, moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise KeyValueError(
            f"{name} = {moment} has no time zone: use datetime.now(UTC), or replace(tzinfo=UTC)"
        )
    return moment


def _is_a(annotation: Any, *kinds: type) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, kinds)
