"""The parameters of a statement, as attribute values.

PartiQL reads numbers as Java's BigDecimal does, and so its words for one that does not fit are at times others than
those of an item's.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from tablewright.errors import ValidationError
from tablewright.expressions.partiql.tokens import is_decimal
from tablewright.values.attributes import AttributeValue, normalise
from tablewright.values.numbers import MIN_EXPONENT, OVERFLOW, UNDERFLOW, canonical

_NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
_INT32 = 2**32


def parameters_of(given: Iterable[Any] | None) -> list[AttributeValue]:
    """The parameters of a request, admitted in order.

    >>> parameters_of([{"N": "1e2"}])
    [{'N': '100'}]
    """
    return [_parameter(value) for value in given or ()]


def _parameter(value: Any) -> AttributeValue:
    try:
        return normalise(value)
    except ValidationError as refusal:
        if refusal.message in (OVERFLOW, UNDERFLOW) or refusal.message.startswith(_NOT_NUMERIC):
            raise ValidationError(_words(next(_misfits(value)), refusal.message)) from None
        raise


def _misfits(value: dict[str, Any]) -> Iterator[str]:
    """The numerals in a value that are no numbers of DynamoDB's, in order."""
    for kind, content in value.items():
        if kind == "N" or kind == "NS":
            yield from (text for text in ([content] if kind == "N" else content) if not _is_number(text))
        elif kind == "L":
            for element in content:
                yield from _misfits(element)
        elif kind == "M":
            for member in content.values():
                yield from _misfits(member)


def _is_number(text: str) -> bool:
    try:
        canonical(text)
    except ValidationError:
        return False
    return True


def _words(numeral: str, words: str) -> str:
    if not numeral:
        return _NOT_NUMERIC
    if words.startswith(_NOT_NUMERIC):
        return words
    if not is_decimal(numeral):
        return f"{_NOT_NUMERIC}: {numeral}"
    return UNDERFLOW if _magnitude(numeral) <= MIN_EXPONENT else OVERFLOW


def _magnitude(numeral: str) -> int:
    """Precision minus scale, in 32 bits, where large exponents wrap round."""
    mantissa, _, exponent = numeral.lower().lstrip("+-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    precision = len((whole + fraction).lstrip("0")) or 1
    magnitude = precision - len(fraction) + int(exponent or 0)
    return (magnitude + _INT32 // 2) % _INT32 - _INT32 // 2
