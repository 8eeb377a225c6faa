"""Number formats: numbers written in a key with a fixed width, so that text sorts as the numbers do.

    {level:06}         000042      six digits, 0 to 999999
    {price:08.2}       00012.50    eight characters, two of them after the point
    {balance:+07}      1000042     seven digits for numbers with a sign: the number plus 1,000,000
    {balance:+09.2}    100012.50   the same with decimals

A number that does not fit raises `KeyValueError`. It is never rounded or shortened.
"""

import re
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import Any, Literal, get_args, get_origin

from tablewright.deferred_dataclasses import dataclass
from tablewright.errors import DesignError, KeyValueError

_NUMERAL = re.compile(r"[0-9]+(\.[0-9]+)?|-[0-9]+(\.[0-9]+)?")
_LONGEST_SHOWN = 60


@dataclass(frozen=True)
class Width:
    """A number of fixed width, with zeros in front; with `signed`, negative numbers too.

    >>> Width(6).render("level", 7), Width(8, decimals=2).render("price", Decimal("12.5"))
    ('000007', '00012.50')
    >>> Width(5, signed=True).render("balance", -1), Width(5, signed=True).render("balance", 42)
    ('09999', '10042')
    """

    characters: int
    decimals: int = 0
    signed: bool = False
    is_part = False
    is_reversible = True
    is_number = False

    def __post_init__(self) -> None:
        if self._whole < 1:
            least = Width(self.characters + 1 - self._whole, self.decimals, self.signed)
            raise DesignError(
                f'the key format "{self.text}" has no digit before the point; use {least.text} or more'
            )

    @property
    def text(self) -> str:
        """The format as written in a template."""
        return f"{'+' if self.signed else ''}0{self.characters}{f'.{self.decimals}' if self.decimals else ''}"

    @cached_property
    def shape(self) -> str:
        """An example of its text, with a 0 for every digit."""
        whole = "0" * (self._whole + self.signed)
        return f"{whole}.{'0' * self.decimals}" if self.decimals else whole

    @cached_property
    def highest(self) -> Decimal:
        """The greatest number that fits."""
        return Decimal("9" * self._whole + (f".{'9' * self.decimals}" if self.decimals else ""))

    @property
    def lowest(self) -> Decimal:
        """The least number that fits."""
        return -self.highest if self.signed else Decimal(0)

    def render(self, name: str, value: Any) -> str:
        """The value as key text."""
        if type(value) is not int or self.decimals:
            value = self._scaled(name, value)
        if not (-self._limit if self.signed else -1) < value < self._limit:
            raise self._error(name, value)
        digits = str(value + self._limit if self.signed else value).zfill(self._digits)
        return f"{digits[: -self.decimals]}.{digits[-self.decimals :]}" if self.decimals else digits

    def restore(self, text: str) -> str:
        """The number of a key text, as text."""
        if not self.signed:
            return text
        scaled = int(text.replace(".", "")) - self._limit
        if not self.decimals:
            return str(scaled)
        digits = str(abs(scaled)).zfill(self.decimals + 1)
        return f"{'-' if scaled < 0 else ''}{digits[: -self.decimals]}.{digits[-self.decimals :]}"

    def fix(self, name: str, annotation: Any) -> str:
        """How to repair a declaration whose values do not fit; empty if values of the type fit."""
        if not is_number(annotation):
            return f"make {name} {'a Decimal' if self.decimals else 'an int'}"
        if self.decimals and isinstance(annotation, type) and issubclass(annotation, int):
            whole = Width(self._whole + self.signed, signed=self.signed)
            return f"make {name} a Decimal, or write {{{name}:{whole.text}}}"
        return self.signed_fix(name) if any(value < 0 for value in _known_numbers(annotation)) else ""

    def signed_fix(self, name: str) -> str:
        """How to write negative numbers; empty if the format has them."""
        if self.signed:
            return ""
        wider = Width(self.characters + 1, self.decimals, signed=True)
        return f"write {{{name}:{wider.text}}}, which has negative numbers"

    @cached_property
    def _whole(self) -> int:
        """The digits before the point, without that of the sign."""
        return self.characters - self.signed - (self.decimals + 1 if self.decimals else 0)

    @cached_property
    def _limit(self) -> int:
        return int(10 ** (self._whole + self.decimals))

    @cached_property
    def _digits(self) -> int:
        return self._whole + self.decimals + self.signed

    def _scaled(self, name: str, value: Any) -> int:
        """The number without its point, exactly."""
        number = self._number(name, value)
        if not number:
            return 0
        sign, figures, exponent = number.as_tuple()
        assert isinstance(exponent, int)  # finite
        written = "".join(map(str, figures))
        digits = written.strip("0")
        zeros = exponent + self.decimals + len(written) - len(written.rstrip("0"))
        if zeros + len(digits) > self._whole + self.decimals:
            raise self._error(name, number)
        if zeros < 0:
            allowed = f"{self.decimals} decimals" if self.decimals else "whole numbers"
            raise KeyValueError(
                f"{name} = {_shown(number)} has more decimals than its key format {self.text} allows ({allowed}): "
                "round it before, or use a longer format"
            )
        return int(digits + "0" * zeros) * (-1 if sign else 1)

    def _number(self, name: str, value: Any) -> Decimal:
        if isinstance(value, Enum):
            value = value.value
        if value is None:
            raise KeyValueError(f"{name} is None, and a key cannot contain it")
        if isinstance(value, str) and _NUMERAL.fullmatch(value):
            if value.startswith("-") and not self.signed:
                raise self._error(name, value)
            return Decimal(value)
        if isinstance(value, float):
            value = Decimal(repr(value))
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise KeyValueError(f"{name} = {value!r} must be a number: its key format is {self.text}")
        number = Decimal(value)
        if not number.is_finite():
            raise KeyValueError(f"{name} = {number} is not a number that a key can contain")
        return number

    def _error(self, name: str, value: Any) -> KeyValueError:
        allowed = f"its key format {self.text} allows {self.lowest} to {self.highest}"
        shown = _shown(value)
        if not self.signed and shown.startswith("-"):
            return KeyValueError(f"{name} = {shown} is negative, and {allowed}: {self.signed_fix(name)}")
        return KeyValueError(f"{name} = {shown} has too many digits: {allowed}")


def parse_width(text: str) -> Width | None:
    """The number format that a text is, or None: `06`, `06d`, `+07`, `08.2`, `08.2f`.

    >>> parse_width("+09.2f"), parse_width("%Y")
    (Width(characters=9, decimals=2, signed=True), None)
    """
    match = _FORMAT.fullmatch(text)
    return match and Width(int(match["width"]), int(match["decimals"] or 0), bool(match["sign"]))


_FORMAT = re.compile(r"(?P<sign>\+?)0(?P<width>[1-9][0-9]?)(?:d|\.(?P<decimals>[1-9][0-9]?)f?)?")


def is_number(annotation: Any) -> bool:
    """Whether all values of a type are numbers; booleans are not.

    >>> is_number(Decimal), is_number(Literal[1, 2]), is_number(bool), is_number(str)
    (True, True, False, False)
    """
    if get_origin(annotation) is Literal:
        return all(type(value) is int for value in get_args(annotation))
    if not isinstance(annotation, type) or annotation is bool:
        return False
    if issubclass(annotation, Enum):
        values = [member.value for member in annotation]
        return all(
            isinstance(value, int | float | Decimal) and not isinstance(value, bool) for value in values
        )
    return issubclass(annotation, int | float | Decimal)


def _known_numbers(annotation: Any) -> list[Any]:
    """The numbers of an enum or a literal; empty for other types."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [member.value for member in annotation] if issubclass(annotation, Enum) else []


def _shown(value: Any) -> str:
    """A number for messages; Python does not convert integers of more than 4,300 digits to text."""
    if isinstance(value, int | Decimal) and abs(value) >= 10**_LONGEST_SHOWN:
        return f"{'-' if value < 0 else ''}(a number of more than {_LONGEST_SHOWN} digits)"
    return str(value)
