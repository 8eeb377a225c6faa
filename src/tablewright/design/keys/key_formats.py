"""Key formats: how a value is written in a key, when its plain text is not suitable.

    {level:06}  {price:08.2}  {balance:+07}       numbers of fixed width            number_formats
    {created_at:%Y-%m-%d}  {at:epoch_ms}          dates and times, or parts of them  time_formats
    {email:lower}  {user_id:shard(8)}             text                               text_formats
    {points:08 desc}  {created_at:desc}           the same in descending order

Numbers, dates and times have texts of a fixed width that sort as the values do. `desc` after a format reverses the
order: each digit d is written as 9 - d.
"""

import re
from datetime import date, datetime
from typing import Any, TypeAlias

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.keys.number_formats import Width, is_number, parse_width
from tablewright.design.keys.text_formats import CASES, Case, Shard, key_text
from tablewright.design.keys.time_formats import Calendar, Epoch, is_a, natural_shape
from tablewright.errors import DesignError, KeyValueError

_COMPLEMENT = str.maketrans("0123456789", "9876543210")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z)?")
_SHARD = re.compile(r"shard\(0*([0-9]+)\)")
# More than any valid count has; Python does not read numbers of more than 4,300 digits.
_SHARD_DIGITS = 20


@dataclass(frozen=True, slots=True)
class Descending:
    """A number, a date or a time in descending order: each digit d of its text is written as 9 - d.

    >>> Descending(Width(6)).render("points", 42), Descending(None).render("on", date(2025, 8, 8))
    ('999957', '7974-91-91')
    """

    base: Width | Calendar | Epoch | None
    """The format in ascending order; None is the plain text of a date or a time."""
    is_number = False

    @property
    def text(self) -> str:
        """The format as written in a template."""
        return f"{self.base.text} desc" if self.base else "desc"

    @property
    def shape(self) -> str:
        """An example of its text, with a 0 for every digit; empty if it depends on the type of the value."""
        return self.base.shape if self.base else ""

    @property
    def is_part(self) -> bool:
        """Whether many values have the same text."""
        return self.base is not None and self.base.is_part

    @property
    def is_reversible(self) -> bool:
        """Whether the value can be read back from the key."""
        return self.base is None or self.base.is_reversible

    def render(self, name: str, value: Any) -> str:
        """The value as key text."""
        text = self.base.render(name, value) if self.base else key_text(name, value)
        if self.base is None and not _TIME.fullmatch(text):
            raise KeyValueError(f"{name} = {value!r} must be a datetime or a date: its key format is desc")
        return text.translate(_COMPLEMENT)

    def restore(self, text: str) -> str:
        """The value of a key text, as text."""
        plain = text.translate(_COMPLEMENT)
        return self.base.restore(plain) if self.base else plain

    def signed_fix(self, name: str) -> str:
        """How to write negative numbers; empty if the format has them, or has no numbers."""
        return _reversed(self.base.signed_fix(name)) if isinstance(self.base, Width) else ""

    def fix(self, name: str, annotation: Any) -> str:
        """How to repair a declaration whose values do not fit; empty if values of the type fit."""
        if self.base is not None:
            return _reversed(self.base.fix(name, annotation))
        if is_a(annotation, datetime, date):
            return ""
        if is_number(annotation):
            decimals = "" if is_a(annotation, int) else ".2"
            return f"give it a width: {{{name}:010{decimals} desc}}"
        return f"text has no descending format: write {{{name}}}, and set descending = True in the pattern"


def _reversed(fix: str) -> str:
    """A fix with `desc` in its formats."""
    return re.sub(r"(\{[^}]*)\}", r"\1 desc}", fix)


KeyFormat: TypeAlias = Width | Calendar | Epoch | Case | Shard | Descending


def parse_key_format(text: str) -> KeyFormat:
    """The key format written after the colon of a template field.

    >>> parse_key_format("08 desc").text, parse_key_format("%Y-%m").shape
    ('08 desc', '0000-00')
    """
    if text == "desc":
        return Descending(None)
    if text.endswith(" desc"):
        ascending = text.removesuffix(" desc").rstrip()
        base = None if ascending.endswith("desc") else parse_key_format(ascending)
        if isinstance(base, Width | Calendar | Epoch):
            return Descending(base)
        raise DesignError(
            f'"{text}" is no key format: only numbers, dates and times have a descending format, such as 08 desc'
        )
    if match := _SHARD.fullmatch(text):
        return Shard(int(match[1][:_SHARD_DIGITS]))
    if text in CASES:
        return Case(text)
    if text in ("epoch", "epoch_ms"):
        return Epoch(text)
    if "%" in text:
        return Calendar(text)
    width = parse_width(text)
    if width is None and text.isdigit():
        raise DesignError(f'"{text}" is no key format; a width begins with 0: 0{text}')
    if width is None:
        raise DesignError(
            f'"{text}" is no key format; use 06, 08.2, +06, %Y-%m-%d, epoch, epoch_ms, lower, upper, fold or shard(8), '
            "or a number, a date or a time with desc, such as 06 desc"
        )
    return width


def key_shape(key_format: KeyFormat | None, annotation: Any) -> str:
    """The common shape of all values of a type in a key format, or without one; empty if there is none.

    >>> key_shape(Descending(None), date), key_shape(Width(4), int), key_shape(None, str)
    ('0000-00-00', '0000', '')
    """
    if key_format is None or key_format == Descending(None):
        return natural_shape(annotation)
    return key_format.shape
