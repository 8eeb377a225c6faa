"""Time formats: dates and times, or parts of them, written in a key with a fixed width, always in UTC.

    {created_at:%Y-%m-%d}   2025-08-08       a part of a timestamp, or of a date
    {at:epoch}              1754647200       seconds since 1970
    {at:epoch_ms}           1754647200000    milliseconds since 1970: the whole timestamp

`epoch`, `epoch_ms` and parts that are all digits (`%Y%m%d`) can also be the value of a number key.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.keys.timestamps import parse_timestamp, timestamp_text
from tablewright.errors import DesignError, KeyValueError

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
_ORDER = {"Y": 0, "G": 0, "m": 1, "V": 1, "j": 1, "d": 2, "H": 3, "M": 4, "S": 5}
"""The directives from the largest part of a time to the smallest."""
_TEXTS = {
    "m": "(?:0[1-9]|1[0-2])",
    "d": "(?:0[1-9]|[12][0-9]|3[01])",
    "j": "(?:[0-2][0-9]{2}|3[0-6][0-9])",
    "V": "(?:[0-4][0-9]|5[0-3])",
    "H": "(?:[01][0-9]|2[0-3])",
    "M": "[0-5][0-9]",
    "S": "[0-5][0-9]",
}
"""Regular expressions of the texts of directives, where not every number of that width is one."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Calendar:
    """A part of a timestamp, in UTC: its day, its month, its hour; or a part of a date.

    >>> Calendar("%Y-%m").render("at", datetime(2025, 8, 8, 10, tzinfo=UTC))
    '2025-08'
    >>> Calendar("%G-W%V").render("on", date(2024, 12, 31))
    '2025-W01'
    """

    text: str
    is_part = True
    is_reversible = False

    def __post_init__(self) -> None:
        letters = _DIRECTIVE.findall(self.text)
        wrong = [f"%{letter}" for letter in letters if letter not in _DIRECTIVES]
        wrong += [f"the digit {digit}" for digit in re.findall("[0-9]", _DIRECTIVE.sub("", self.text))]
        if wrong:
            known = ", ".join(f"%{letter}" for letter in _DIRECTIVES)
            raise DesignError(
                f'the key format "{self.text}" contains {wrong[0]}; use {known} and punctuation'
            )
        _check_year(self.text, set(letters))

    @property
    def shape(self) -> str:
        """An example of its text, with a 0 for every digit."""
        return _DIRECTIVE.sub(lambda match: "0" * _DIRECTIVES[match[1]][0], self.text)

    @property
    def is_number(self) -> bool:
        """Whether its text is a number, such as 20250808."""
        return not self.shape.strip("0")

    @property
    def in_order(self) -> str:
        """The format with larger parts before smaller ones: only such a text sorts by time.

        >>> Calendar("%d.%m.%Y").in_order
        '%Y.%m.%d'
        """
        letters = iter(sorted(_DIRECTIVE.findall(self.text), key=_ORDER.__getitem__))
        return _DIRECTIVE.sub(lambda _: f"%{next(letters)}", self.text)

    def render(self, name: str, value: Any) -> str:
        """The value as key text."""
        if not isinstance(value, date):
            raise KeyValueError(
                f"{name} = {value!r} must be a datetime or a date: its key format is {self.text}"
                if value is not None
                else f"{name} is None, and a key cannot contain it"
            )
        if isinstance(value, datetime):
            value = aware(name, value).astimezone(UTC)
        elif self._has_time:
            raise KeyValueError(
                f"{name} = {value} is a date, and its key format {self.text} needs a time; give a datetime"
            )
        return _DIRECTIVE.sub(lambda match: _digits(value, match[1]), self.text)

    def render_number(self, name: str, value: Any) -> str:
        """The value of a number key."""
        return str(int(self.render(name, value)))

    def restore(self, text: str) -> str:
        """The text itself: it has only a part of the value."""
        return text

    def fix(self, name: str, annotation: Any) -> str:
        """How to repair a declaration whose values do not fit; empty if values of the type fit."""
        if is_a(annotation, datetime) or (is_a(annotation, date) and not self._has_time):
            return ""
        return f"make {name} {'a Timestamp' if self._has_time else 'a Timestamp or a date'}"

    def holds(self, text: str) -> bool:
        """Whether a text is one that the format writes.

        >>> Calendar("%Y-%m").holds("2026-05"), Calendar("%Y-%m").holds("2026-5"), Calendar("%Y-%m").holds("2026-13")
        (True, False, False)
        """
        pattern = "".join(
            _TEXTS.get(part, f"[0-9]{{{_DIRECTIVES[part][0]}}}") if place % 2 else re.escape(part)
            for place, part in enumerate(_DIRECTIVE.split(self.text))
        )
        return re.fullmatch(pattern, text) is not None

    def periods(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """The beginnings of the periods with texts of their own between two times in UTC, both included.

        >>> start, end = datetime(2025, 11, 8, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
        >>> [f"{begin:%d.%m.%y}" for begin in Calendar("%Y-%m").periods(start, end)]
        ['01.11.25', '01.12.25', '01.01.26']
        """
        letters = set(_DIRECTIVE.findall(self.text))
        begin, step = next((cut, step) for names, cut, step in _PERIODS if letters & names)
        period = begin(start)
        while period <= end:
            yield period
            try:
                period = begin(period + step)
            except OverflowError:  # the year 10,000
                return

    @property
    def _has_time(self) -> bool:
        return any(letter in _CLOCK for letter in _DIRECTIVE.findall(self.text))


_DAY: dict[str, Any] = {"hour": 0, "minute": 0, "second": 0, "microsecond": 0}
_PERIODS: tuple[tuple[set[str], Callable[[datetime], datetime], timedelta], ...] = (
    ({"S"}, lambda time: time.replace(microsecond=0), timedelta(seconds=1)),
    ({"M"}, lambda time: time.replace(second=0, microsecond=0), timedelta(minutes=1)),
    ({"H"}, lambda time: time.replace(minute=0, second=0, microsecond=0), timedelta(hours=1)),
    ({"d", "j"}, lambda time: time.replace(**_DAY), timedelta(days=1)),
    ({"V", "G"}, lambda time: time.replace(**_DAY) - timedelta(days=time.weekday()), timedelta(days=7)),
    ({"m"}, lambda time: time.replace(day=1, **_DAY), timedelta(days=32)),
    ({"Y"}, lambda time: time.replace(month=1, day=1, **_DAY), timedelta(days=366)),
)
"""Directives, the smallest period first: how to find its beginning, and a step into the next one."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """A timestamp as seconds (`epoch`) or milliseconds (`epoch_ms`) since 1970.

    In a text key it has 10 or 13 digits, for the years 1970 to 2286. A number key has every timestamp.

    >>> at = datetime(2025, 8, 8, 10, tzinfo=UTC)
    >>> Epoch("epoch").render("at", at), Epoch("epoch_ms").render("at", at)
    ('1754647200', '1754647200000')
    """

    text: str
    is_number = True

    @property
    def shape(self) -> str:
        """An example of its text, with a 0 for every digit."""
        return "0" * (13 if self.is_reversible else 10)

    @property
    def is_reversible(self) -> bool:
        """Whether the value can be read back from the key."""
        return self.text == "epoch_ms"

    @property
    def is_part(self) -> bool:
        """Whether many values have the same text."""
        return not self.is_reversible

    def render(self, name: str, value: Any) -> str:
        """The value as key text."""
        text = self.render_number(name, value)
        if text.startswith("-") or len(text) > len(self.shape):
            raise KeyValueError(
                f"{name} = {value} does not fit its key format {self.text}, which has the years 1970 to 2286 in a text "
                f"key; write {{{name}}}, which has all years"
            )
        return text.zfill(len(self.shape))

    def render_number(self, name: str, value: Any) -> str:
        """The value of a number key."""
        time = _time(name, value, self.text)
        return str((time - _EPOCH) // timedelta(milliseconds=1 if self.is_reversible else 1000))

    def restore(self, text: str) -> str:
        """The timestamp of a key text, as text; the text itself if it has only a part, or no timestamp."""
        if not self.is_reversible:
            return text
        try:
            return timestamp_text(_EPOCH + timedelta(milliseconds=int(text)))
        except OverflowError:
            return text

    def fix(self, name: str, annotation: Any) -> str:
        """How to repair a declaration whose values do not fit; empty if values of the type fit."""
        if is_a(annotation, datetime):
            return ""
        if is_a(annotation, date):
            return f"write {{{name}:%Y%m%d}}, or make {name} a Timestamp"
        return f"make {name} a Timestamp"


def natural_shape(annotation: Any) -> str:
    """The common shape of all values of a type without a key format; empty if there is none."""
    if is_a(annotation, datetime):
        return "0000-00-00T00:00:00.000Z"
    return "0000-00-00" if is_a(annotation, date) else ""


def natural_text(annotation: Any) -> str:
    """The text of dates and times without a key format, written as a format; empty for other types.

    >>> natural_text(date), natural_text(str)
    ('%Y-%m-%d', '')
    """
    if is_a(annotation, datetime):
        return "%Y-%m-%dT%H:%M:%S.%fZ"
    return "%Y-%m-%d" if is_a(annotation, date) else ""


def aware(name: str, time: datetime) -> datetime:
    """The time; `KeyValueError` if it has no time zone."""
    if time.tzinfo is None:
        raise KeyValueError(
            f"{name} = {time} has no time zone: use datetime.now(UTC), or replace(tzinfo=UTC)"
        )
    return time


def is_a(annotation: Any, *kinds: type) -> bool:
    """Whether a type is one of these classes, or a subclass."""
    return isinstance(annotation, type) and issubclass(annotation, kinds)


def _check_year(text: str, letters: set[str]) -> None:
    """Reject weeks of the ISO calendar with years of the other one: 2024-12-30 is in week 1 of 2025."""
    has_day = letters >= {"Y", "j"} or letters >= {"Y", "m", "d"}
    if {"Y", "V"} <= letters and "G" not in letters and not has_day:
        raise DesignError(
            f'the key format "{text}" has ISO weeks (%V) with calendar years (%Y), so that the last days of a year can '
            f"be in its first week; write {text.replace('%Y', '%G')}"
        )
    if "G" in letters and "Y" not in letters and letters & {"m", "d", "j"}:
        raise DesignError(
            f'the key format "{text}" has calendar months or days with the year of ISO weeks (%G), which begins on '
            f"another day; write {text.replace('%G', '%Y')}"
        )


def _time(name: str, value: Any, text: str) -> datetime:
    if value is None:
        raise KeyValueError(f"{name} is None, and a key cannot contain it")
    if isinstance(value, str):  # as stored
        with suppress(ValueError):
            value = parse_timestamp(value)
    if not isinstance(value, datetime):
        raise KeyValueError(f"{name} = {value!r} must be a datetime: its key format is {text}")
    return aware(name, value)


def _digits(value: date, letter: str) -> str:
    width, read = _DIRECTIVES[letter]
    return str(read(value)).zfill(width)
