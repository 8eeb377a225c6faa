"""DynamoDB's number: decimal, 38 significant digits, magnitude 1E-130 to 9.99...E+125.

A number is sent as text. Inside the engine that text is always canonical: plain decimal notation, no leading or
trailing zeros, no exponent, no plus sign. Two numbers are equal exactly when their canonical texts are.

    "1000", "1e3", "+01000.0"  ->  "1000"
"""

import re
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow, localcontext
from functools import lru_cache

from tablewright.errors import ValidationError

MAX_DIGITS = 38
MAX_EXPONENT = 125
MIN_EXPONENT = -130

OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
TOO_PRECISE = "Attempting to store more than 38 significant digits in a Number"

# Most numbers are sent in canonical form already.
_PLAIN = re.compile(r"-?[1-9][0-9]{0,37}|0|-?(?:[1-9][0-9]{0,17}|0)\.[0-9]{0,18}[1-9]").fullmatch
# Prices are often sent with a zero at the end.
_PADDED = re.compile(r"-?(?:[1-9][0-9]{0,17}|0)\.[0-9]{0,17}[1-9]0{1,18}").fullmatch
_NUMERAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII).fullmatch
# Wide enough that adding two legal numbers is exact: the exponents span 256 digits, then 38 more.
_EXACT = Context(prec=400, Emax=10_000, Emin=-10_000, traps=[InvalidOperation, Overflow, Inexact])
# An exponent may have a million digits; with more digits than this it needs more than 64 bits.
_EXPONENT_DIGITS = 20


def canonical(text: str) -> str:
    """The canonical text of a number.

    >>> canonical("+01.50e2")
    '150'
    >>> canonical("-0.0")
    '0'
    """
    if _PLAIN(text):
        return text
    if _PADDED(text):
        return text.rstrip("0")
    return _render(_parse(text))


@lru_cache(maxsize=4096)
def measured(text: str) -> tuple[str, int]:
    """The canonical text of a number and its size: remembered, because most numbers of a table occur often.

    >>> measured("1.50")
    ('1.5', 3)
    """
    digits = canonical(text)
    return digits, number_size(digits)


LONGEST_MEASURED = 24
"""Only numbers of at most this length are worth remembering."""


def number(text: str) -> Decimal:
    """The value of a canonical text, for comparing and sorting."""
    return Decimal(text)


def plus(left: str, right: str) -> str:
    """The exact sum of two canonical numbers; raises ValidationError when it does not fit in 38 digits.

    >>> plus("0.1", "0.2")
    '0.3'
    """
    if _are_short_integers(left, right):
        return str(int(left) + int(right))
    return _arithmetic(Decimal(left), Decimal(right))


def minus(left: str, right: str) -> str:
    """The exact difference of two canonical numbers."""
    if _are_short_integers(left, right):
        return str(int(left) - int(right))
    return _arithmetic(Decimal(left), Decimal(right).copy_negate())


def _are_short_integers(left: str, right: str) -> bool:
    """Whether sum and difference of two canonical numbers are integers of at most 38 digits, as for counters."""
    return len(left) < MAX_DIGITS and len(right) < MAX_DIGITS and "." not in left and "." not in right


def number_size(text: str) -> int:
    """The bytes of a canonical number: two digits a byte, aligned on even powers of ten.

    >>> [number_size(n) for n in ("0", "1", "12", "123", "-5")]
    [1, 2, 2, 3, 3]
    """
    negative = text[0] == "-"
    digits = text[1:] if negative else text
    whole, _, fraction = digits.partition(".")
    if fraction:
        significant = (whole + fraction).lstrip("0")
        exponent = len(whole) - 1 if whole != "0" else len(significant) - len(fraction) - 1
    else:
        significant = whole.rstrip("0")
        exponent = len(whole) - 1
    count = len(significant)
    if count == 0:
        return 1
    # An even number of digits that starts on an even power needs one more byte.
    straddles = count % 2 == 0 and exponent % 2 == 0
    return 1 + (count + 1) // 2 + straddles + negative


def number_key(text: str) -> bytes:
    """The bytes of a canonical number, which sort as the numbers do.

    One byte for the sign, one for the decimal exponent, then two digits a byte. Negative numbers are the complement
    of their magnitude, ended with 0xFF so that a shorter one sorts above a longer one.
    """
    sign, digits, exponent = Decimal(text).as_tuple()
    if digits == (0,):
        return b"\x80"
    assert isinstance(exponent, int)
    magnitude = exponent + len(digits) - 1
    pairs = "".join(map(str, digits)).rstrip("0")
    if len(pairs) % 2:
        pairs += "0"
    packed = bytes([magnitude - MIN_EXPONENT, *(int(pairs[i : i + 2]) + 1 for i in range(0, len(pairs), 2))])
    if sign:
        return b"\x7f" + bytes(255 - byte for byte in packed) + b"\xff"
    return b"\x81" + packed


def number_of_key(key: bytes) -> str:
    """The number whose `number_key` these bytes are, for messages.

    >>> [number_of_key(number_key(text)) for text in ("0", "-12.5", "1E+2", "7")]
    ['0', '-12.5', '1E+2', '7']
    """
    if key[0] == 0x80:
        return "0"
    packed = key[1:] if key[0] == 0x81 else bytes(255 - byte for byte in key[1:-1])
    digits = "".join(f"{byte - 1:02}" for byte in packed[1:]).rstrip("0")
    exponent = packed[0] + MIN_EXPONENT - len(digits) + 1
    return str(Decimal((int(key[0] == 0x7F), tuple(map(int, digits)), exponent)))


def _parse(text: str) -> Decimal:
    match = _NUMERAL(text)
    if not match:
        raise _unreadable(text)
    whole, _, fraction = match[1].partition(".")
    exponent = _exponent(match[2])
    digits = (whole + fraction).lstrip("0") or "0"
    magnitude = len(digits) - 1 - len(fraction) + exponent
    # Zero must be in the range too, by the exponent it is written with.
    if not MIN_EXPONENT <= magnitude <= MAX_EXPONENT:
        raise _out_of_range(text, exponent, scale=len(fraction) - exponent, precision=len(digits))
    if len(digits.rstrip("0")) > MAX_DIGITS:
        raise ValidationError(TOO_PRECISE)
    return Decimal(0) if digits == "0" else _EXACT.create_decimal(text)


def _exponent(written: str | None) -> int:
    if written is None:
        return 0
    sign = -1 if written[1] == "-" else 1
    digits = written[1:].lstrip("+-0")[:_EXPONENT_DIGITS] or "0"
    return sign * int(digits)


def _unreadable(text: str) -> ValidationError:
    message = "The parameter cannot be converted to a numeric value"
    return ValidationError(f"{message}: {text}", older=f"{message}: {text}" if text else message)


def _out_of_range(text: str, exponent: int, *, scale: int, precision: int) -> ValidationError:
    """The error for a number that is too large or too small.

    The newer layer accepts exponents of 64 bits. The older one parses as Java's BigDecimal: exponent and scale have
    32 bits, and so has their difference to the precision, which wraps around.
    """
    if not _has_bits(64, exponent):
        return _unreadable(text)
    message = OVERFLOW if precision > scale else UNDERFLOW
    if not _has_bits(32, exponent) or not _has_bits(32, scale):
        return ValidationError(message, older=_unreadable(text).older)
    wrapped = (precision - scale + (1 << 31)) % (1 << 32) - (1 << 31)
    return ValidationError(message, older=OVERFLOW if wrapped > 0 else UNDERFLOW)


def _has_bits(count: int, value: int) -> bool:
    return -(1 << count - 1) <= value < 1 << count - 1


def _arithmetic(left: Decimal, right: Decimal) -> str:
    with localcontext(_EXACT):
        total = (left + right).normalize()
    # AWS says "overflow" also for a sum of more than 38 digits.
    if len(total.as_tuple().digits) > MAX_DIGITS:
        raise ValidationError(OVERFLOW)
    return _render(total)


def _render(value: Decimal) -> str:
    if not value:
        return "0"
    magnitude = value.adjusted()
    if magnitude > MAX_EXPONENT:
        raise ValidationError(OVERFLOW)
    if magnitude < MIN_EXPONENT:
        raise ValidationError(UNDERFLOW)
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
