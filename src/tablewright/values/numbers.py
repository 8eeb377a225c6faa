"""DynamoDB's number: decimal, 38 significant digits, magnitude 1E-130 to 9.99...E+125.

A number travels as text. Inside the engine that text is always canonical: plain decimal notation, no leading or
trailing zeros, no exponent, no plus sign. Two numbers are equal exactly when their canonical texts are.

    "1000", "1e3", "+01000.0"  ->  "1000"
"""

import re
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow, localcontext

from tablewright.errors import ValidationError

MAX_DIGITS = 38
MAX_EXPONENT = 125
MIN_EXPONENT = -130

OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
TOO_PRECISE = "Attempting to store more than 38 significant digits in a Number"

_PLAIN_INTEGER = re.compile(r"-?[1-9][0-9]{0,37}|0").fullmatch
_NUMERAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII).fullmatch
# Wide enough that adding two legal numbers is exact: the exponents span 256 digits, then 38 more.
_EXACT = Context(prec=400, Emax=10_000, Emin=-10_000, traps=[InvalidOperation, Overflow, Inexact])
# A literal's exponent may have a million digits; beyond this many the answer is known without computing.
_EXPONENT_DIGITS = 6


def canonical(text: str) -> str:
    """The one spelling of a number.

    >>> canonical("+01.50e2")
    '150'
    >>> canonical("-0.0")
    '0'
    """
    if _PLAIN_INTEGER(text):
        return text
    return _render(_parse(text))


def number(text: str) -> Decimal:
    """The value of a canonical text, for comparing and sorting."""
    return Decimal(text)


def plus(left: str, right: str) -> str:
    """The exact sum of two canonical numbers; what does not fit in 38 digits is refused.

    >>> plus("0.1", "0.2")
    '0.3'
    """
    return _arithmetic(Decimal(left), Decimal(right))


def minus(left: str, right: str) -> str:
    """The exact difference of two canonical numbers."""
    return _arithmetic(Decimal(left), Decimal(right).copy_negate())


def number_size(text: str) -> int:
    """Bytes that a canonical number occupies: two digits a byte, aligned on even powers of ten.

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
    # An even count that starts on an even power straddles one more byte.
    straddles = count % 2 == 0 and exponent % 2 == 0
    return 1 + (count + 1) // 2 + straddles + negative


def number_key(text: str) -> bytes:
    """Bytes of a canonical number that sort as the numbers do.

    One byte for the sign, one for the decimal exponent, then two digits a byte. Negative numbers are the complement
    of their magnitude, closed with 0xFF so that a shorter one sorts above a longer one.
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


def _parse(text: str) -> Decimal:
    match = _NUMERAL(text)
    if not match:
        told = f": {text}" if text else ""
        raise ValidationError(f"The parameter cannot be converted to a numeric value{told}")
    mantissa = match[1].replace(".", "").strip("0")
    if not mantissa:
        return Decimal(0)
    exponent = (match[2] or "e0")[1:]
    if len(exponent.lstrip("+-0")) > _EXPONENT_DIGITS:
        raise ValidationError(UNDERFLOW if exponent.startswith("-") else OVERFLOW)
    if len(mantissa) > MAX_DIGITS:
        raise ValidationError(TOO_PRECISE)
    return _EXACT.create_decimal(text)


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
