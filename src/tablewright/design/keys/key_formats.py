"""Key formats: how a value is written in a key, when its plain text is not suitable.

    {level:06}               six digits: numbers sort as text only when all have the same width
    {created_at:%Y-%m-%d}    a part of a timestamp, always in UTC, always of the same width
    {email:lower}            in lower case (or `upper`)
    {nickname:fold}          normalised, so that names that people read as equal are equal (see `fold`)
    {user_id:shard(8)}       one of eight numbers, 0 to 7, always the same for the same value

The value can be read back from a key with the first format only; the others keep only a part of it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any, Literal, TypeAlias, get_args, get_origin
from unicodedata import normalize
from uuid import UUID
from zlib import crc32

from tablewright.design.keys.timestamps import timestamp_text
from tablewright.errors import DesignError, KeyValueError


@dataclass(frozen=True, slots=True)
class Width:
    """A number of 0 or more, padded with zeros. Negative numbers would sort in the wrong order, so they are rejected.

    >>> Width(6).render("level", 7)
    '000007'
    """

    digits: int

    @property
    def text(self) -> str:
        """The format as written in a template."""
        return f"0{self.digits}"

    @property
    def shape(self) -> str:
        """An example of its text, with a 0 for every digit; empty where texts have no common shape."""
        return "0" * self.digits

    def render(self, name: str, value: Any) -> str:
        """The value as key text."""
        text = key_text(name, value).zfill(self.digits)
        if text[0] in "+-":
            raise KeyValueError(
                f"{name} = {key_text(name, value)} has a sign, and numbers with a sign do not sort as text; its key "
                f"format {self.text} allows 0 to {'9' * self.digits}: add an offset, or use a number sort key"
            )
        if len(text) > self.digits:
            raise KeyValueError(
                f"{name} = {text} has more than the {self.digits} digits that its key format {self.text} allows"
            )
        return text

    def required_type(self, annotation: Any) -> str:
        """The type that the field must have, if values of the given type do not fit; otherwise an empty text."""
        if _is_a(annotation, date):
            return "an int"
        return "a number of 0 or more" if any(value < 0 for value in _numbers(annotation)) else ""


_CALENDAR: dict[str, tuple[int, Callable[[Any], int]]] = {
    "Y": (4, lambda day: day.year),
    "m": (2, lambda day: day.month),
    "d": (2, lambda day: day.day),
    "j": (3, lambda day: day.timetuple().tm_yday),
    "G": (4, lambda day: day.isocalendar().year),
    "V": (2, lambda day: day.isocalendar().week),
}
_CLOCK: dict[str, tuple[int, Callable[[Any], int]]] = {
    "H": (2, lambda time: time.hour),
    "M": (2, lambda time: time.minute),
    "S": (2, lambda time: time.second),
}
_DIRECTIVES = _CALENDAR | _CLOCK
_DIRECTIVE = re.compile("%(.)")


@dataclass(frozen=True, slots=True)
class Calendar:
    """A part of a timestamp, in UTC: its day, its month, its hour; or a part of a date.

    >>> Calendar("%Y-%m").render("at", datetime(2025, 8, 8, 10, tzinfo=UTC))
    '2025-08'
    >>> Calendar("%G-W%V").render("on", date(2024, 12, 31))
    '2025-W01'
    """

    text: str

    def __post_init__(self) -> None:
        unknown = [letter for letter in _DIRECTIVE.findall(self.text) if letter not in _DIRECTIVES]
        if unknown or "0" in _DIRECTIVE.sub("", self.text):
            wrong = f"%{unknown[0]}" if unknown else "the digit 0"
            known = ", ".join(f"%{letter}" for letter in _DIRECTIVES)
            raise DesignError(f'the key format "{self.text}" contains {wrong}; use {known} and punctuation')

    @property
    def shape(self) -> str:
        """An example of its text, with a 0 for every digit."""
        return _DIRECTIVE.sub(lambda match: "0" * _DIRECTIVES[match[1]][0], self.text)

    def render(self, name: str, value: Any) -> str:
        """The value as key text."""
        if not isinstance(value, date):
            raise KeyValueError(
                f"{name} = {value!r} must be a datetime or a date: its key format is {self.text}"
                if value is not None
                else f"{name} is None, and a key cannot contain it"
            )
        if isinstance(value, datetime):
            value = _aware(name, value).astimezone(UTC)
        elif self._has_time:
            raise KeyValueError(
                f"{name} = {value} is a date, and its key format {self.text} needs a time; give a datetime"
            )
        return _DIRECTIVE.sub(lambda match: _digits(value, match[1]), self.text)

    def required_type(self, annotation: Any) -> str:
        """The type that the field must have, if values of the given type do not fit; otherwise an empty text."""
        if _is_a(annotation, datetime) or (_is_a(annotation, date) and not self._has_time):
            return ""
        return "a Timestamp" if self._has_time else "a Timestamp or a date"

    @property
    def _has_time(self) -> bool:
        return any(letter in _CLOCK for letter in _DIRECTIVE.findall(self.text))


def fold(text: str) -> str:
    """Text normalised so that names that people read as equal are equal: NFKC, case folded, stripped.

    >>> fold(" STRASSE") == fold("stra\N{LATIN SMALL LETTER SHARP S}e"), fold("\N{FULLWIDTH LATIN CAPITAL LETTER A}da")
    (True, 'ada')
    """
    return normalize("NFKC", normalize("NFKC", text).casefold()).strip()


@dataclass(frozen=True, slots=True)
class Case:
    """Text in one case, so that a lookup does not depend on the case typed.

    >>> Case("lower").render("email", "Ada@Example.com")
    'ada@example.com'
    """

    text: str
    shape = ""

    def render(self, name: str, value: Any) -> str:
        """The value as key text."""
        return _CASES[self.text](key_text(name, value))

    def required_type(self, annotation: Any) -> str:
        """The type that the field must have, if values of the given type do not fit; otherwise an empty text."""
        return "" if _is_a(annotation, str, Enum) or get_origin(annotation) is Literal else "a str"


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` numbers, the CRC-32 of the value's text modulo `count`: it splits a hot partition.

    >>> Shard(16).render("user_id", "u1"), Shard(16).shape
    ('06', '00')
    """

    count: int

    def __post_init__(self) -> None:
        if self.count < 2:
            raise DesignError(f"shard({self.count}) has fewer than 2 shards; use shard(2) or more")

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

    def required_type(self, annotation: Any) -> str:
        """Always empty: every value that can be part of a key fits."""
        return ""


KeyFormat: TypeAlias = Width | Calendar | Case | Shard

_CASES: dict[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "fold": fold}
_WIDTH = re.compile(r"0([1-9][0-9]*)d?")
_SHARD = re.compile(r"shard\(([0-9]+)\)")


def parse_key_format(text: str) -> KeyFormat:
    """The key format written after the colon of a template field."""
    if match := _WIDTH.fullmatch(text):
        return Width(int(match[1]))
    if match := _SHARD.fullmatch(text):
        return Shard(int(match[1]))
    if text in _CASES:
        return Case(text)
    if "%" in text:
        return Calendar(text)
    raise DesignError(f'"{text}" is no key format; use 06, %Y-%m-%d, lower, upper, fold or shard(8)')


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
            return timestamp_text(_aware(name, value))
        case date():
            return value.isoformat()
        case UUID():
            return str(value)
        case None:
            raise KeyValueError(f"{name} is None, and a key cannot contain it")
        case _:
            raise KeyValueError(f"{name} is a {type(value).__name__}, which cannot be part of a key")


def natural_shape(annotation: Any) -> str:
    """The common shape of all values of a type without a key format; empty if there is none."""
    if _is_a(annotation, datetime):
        return "0000-00-00T00:00:00.000Z"
    return "0000-00-00" if _is_a(annotation, date) else ""


def natural_text(annotation: Any) -> str:
    """The text of dates and times without a key format, written as a format; empty for other types.

    >>> natural_text(date), natural_text(str)
    ('%Y-%m-%d', '')
    """
    if _is_a(annotation, datetime):
        return "%Y-%m-%dT%H:%M:%S.%fZ"
    return "%Y-%m-%d" if _is_a(annotation, date) else ""


def _numbers(annotation: Any) -> list[int]:
    """The numbers of an enum or a literal; empty for other types."""
    known = list(get_args(annotation)) if get_origin(annotation) is Literal else []
    if _is_a(annotation, Enum):
        known = [member.value for member in annotation]
    return [value for value in known if isinstance(value, int)]


def _digits(value: date, letter: str) -> str:
    width, read = _DIRECTIVES[letter]
    return str(read(value)).zfill(width)


def _aware(name: str, time: datetime) -> datetime:
    if time.tzinfo is None:
        raise KeyValueError(
            f"{name} = {time} has no time zone: use datetime.now(UTC), or replace(tzinfo=UTC)"
        )
    return time


def _is_a(annotation: Any, *kinds: type) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, kinds)
