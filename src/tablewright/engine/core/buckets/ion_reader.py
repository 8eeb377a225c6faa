"""Ion reader: the values of an Ion file, text or binary, as attribute values. amazon.ion reads, this converts.

    string S   int, decimal, float N   blob B   bool BOOL   null NULL   list L   struct M
    lists annotated $dynamodb_SS, $dynamodb_NS, $dynamodb_BS: sets

Symbols, timestamps, clobs and s-expressions have no DynamoDB type and are errors. amazon.ion is loaded by the first
import of an Ion file, as it takes 0.1 seconds.
"""

from base64 import b64encode
from collections.abc import Iterator
from decimal import Decimal
from math import isfinite
from typing import Any

from tablewright.dynamodb.values.attributes import AttributeValue
from tablewright.engine.core.buckets.ion_limits import (
    DEEPEST,
    LONGEST_VALUE,
    IonError,
    Readable,
    checked_pieces,
)
from tablewright.errors import ValidationError

_SETS = {f"$dynamodb_{kind}": kind for kind in ("SS", "NS", "BS")}
# The Python types of annotated values, by the names of their Ion types.
_TYPES = {
    "STRING": str,
    "INT": int,
    "DECIMAL": Decimal,
    "FLOAT": float,
    "BLOB": bytes,
    "BOOL": bool,
    "LIST": list,
    "STRUCT": dict,
}


def require_amazon_ion() -> Any:
    """The module of amazon.ion that reads; an error where it, or its C extension, is not installed."""
    try:
        from amazon.ion import simpleion
    except ImportError:
        raise ValidationError("ION needs the package amazon.ion: pip install 'tablewright[ion]'") from None
    if not simpleion.c_ext:
        # 100 times as slow, and without limits.
        raise ValidationError("ION needs the C extension of amazon.ion, which this installation lacks")
    return simpleion


def read_values(file: Readable) -> Iterator[AttributeValue]:
    """The top-level values of a file, one after the other."""
    checked = _CheckedFile(file)
    values = _python_values(require_amazon_ion(), checked)
    while True:
        try:
            value = next(values, checked)
        except Exception as error:  # IonException, mostly; amazon.ion has no list of what it raises
            raise checked.error or IonError(f"not Ion: {str(error).strip()}") from None
        if value is checked:
            if checked.error is not None:
                raise checked.error
            return
        checked.since_value = 0
        yield _attribute(value, 0)


def _python_values(simpleion: Any, file: "_CheckedFile") -> Iterator[Any]:
    model = simpleion.IonPyValueModel
    yield from simpleion.load(
        file,
        single_value=False,
        parse_eagerly=False,
        text_buffer_size_limit=LONGEST_VALUE,
        value_model=model.MAY_BE_BARE | model.STRUCT_AS_STD_DICT,
    )


class _CheckedFile:
    """The file that amazon.ion reads from. An error ends it, and is kept, so that the values before it are read.

    Were the error raised here, amazon.ion would drop all values in its buffer, and report an error of its own. An
    item that the end cuts off is never taken for a whole one: its struct is not closed.
    """

    def __init__(self, file: Readable) -> None:
        self._pieces = checked_pieces(file)
        self._piece = b""
        self._at = 0
        self.error: Exception | None = None
        self.since_value = 0

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes; none at the end."""
        try:
            if self._at == len(self._piece):
                self._piece, self._at = next(self._pieces, b""), 0
            if self.since_value > LONGEST_VALUE:
                raise IonError(f"a value has more than {LONGEST_VALUE} bytes")
        except Exception as error:
            self.error = error
            return b""
        data = self._piece[self._at : self._at + size]
        self._at += len(data)
        self.since_value += len(data)
        return data


def _attribute(value: Any, depth: int) -> AttributeValue:
    if depth > DEEPEST:
        raise IonError("a value is nested too deeply")
    kind = type(value)
    if kind is str:
        return {"S": value}
    if kind is Decimal or kind is int:
        return {"N": _numeral(value)}
    if kind is dict:
        return {"M": {name: _attribute(member, depth + 1) for name, member in value.items()}}
    if kind is list:
        return {"L": [_attribute(member, depth + 1) for member in value]}
    if kind is bool:
        return {"BOOL": value}
    if kind is bytes:
        return {"B": b64encode(value).decode()}
    if value is None:
        return {"NULL": True}
    if kind is float:
        return {"N": _finite(value)}
    return _annotated(value, depth)


def _numeral(number: Decimal | int) -> str:
    try:
        return str(number)
    except ValueError:  # Python writes no integer of more than 4,300 digits
        raise IonError("a number has too many digits") from None


def _finite(number: float) -> str:
    if not isfinite(number):
        raise IonError(f"{number} is not a number that an item can have")
    return repr(number)


def _annotated(value: Any, depth: int) -> AttributeValue:
    """A value with annotations, a null of some type, or a value that no item can have."""
    kind = getattr(getattr(value, "ion_type", None), "name", type(value).__name__)
    if type(value).__name__ == "IonPyNull":
        return {"NULL": True}
    if kind not in _TYPES:
        raise IonError(f"{kind.lower()} is not a type that an item can have")
    last = value.ion_annotations[-1].text if value.ion_annotations else None
    plain = _attribute(_TYPES[kind](value), depth)
    return _set(_SETS[last], plain["L"]) if kind == "LIST" and last in _SETS else plain


def _set(kind: str, members: list[AttributeValue]) -> AttributeValue:
    if not all(kind[0] in member for member in members):
        raise IonError(f"a member of a {kind} is of another type")
    return {kind: [member[kind[0]] for member in members]}
