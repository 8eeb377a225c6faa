"""Convert Python values to attribute values, and back.

`None` is stored as no attribute; inside of a map it is stored as NULL, because there absence means the default.
Text, numbers, binary, booleans, lists, maps and sets map one to one; enums, dates, timestamps and UUIDs are text;
nested models are maps under their stored names.
"""

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Any
from uuid import UUID

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tablewright.design.keys.timestamps import timestamp_text
from tablewright.dynamodb.values.attributes import AttributeValue, Item, normalise
from tablewright.errors import ValueNotStorable

_MOST_DIGITS = 38
"""Significant digits of a number, at most."""


def to_attribute(value: Any) -> AttributeValue:
    """Return a Python value as an attribute value.

    >>> to_attribute({"name": "Ada", "tags": {"x"}, "scores": [1, 2.5]})
    {'M': {'name': {'S': 'Ada'}, 'tags': {'SS': ['x']}, 'scores': {'L': [{'N': '1'}, {'N': '2.5'}]}}}
    """
    make = _COMMON.get(type(value))
    if make is not None:
        return make(value)
    match value:
        case Enum():
            return to_attribute(value.value)
        case str():
            return {"S": value if value.isascii() else _unicode(value)}  # a hash keeps its class
        case bool():
            return {"BOOL": value}
        case int() | Decimal() | float():
            return {"N": _numeral(value)}
        case bytes() | bytearray():
            return {"B": bytes(value)}
        case datetime():
            return {"S": timestamp_text(value)}
        case date():
            return {"S": value.isoformat()}
        case UUID():
            return {"S": str(value)}
        case None:
            return {"NULL": True}
        case set() | frozenset():
            return _set(value)
        case list() | tuple():
            return {"L": [to_attribute(element) for element in value]}
        case BaseModel():
            return {"M": _nested(value)}
        case Mapping():
            return {"M": {_name(name): to_attribute(member) for name, member in value.items()}}
        case _:
            raise ValueNotStorable(
                f"a {type(value).__name__} cannot be stored; use a type that DynamoDB supports"
            )


def model_attributes(model: BaseModel) -> Item:
    """Return the attributes of a model under their stored names; None and empty sets are left out."""
    return field_attributes(type(model), model.__dict__)


def field_attributes(model: type[BaseModel], values: Mapping[str, Any]) -> Item:
    """Return the attributes of some fields of a model."""
    stored = {}
    name = ""
    try:
        for name, alias in _aliases(model):
            value = values.get(name)
            if value is not None and (value or not isinstance(value, set | frozenset)):
                stored[alias] = to_attribute(value)
    except ValueNotStorable as error:
        raise ValueNotStorable(f"{model.__name__}.{name}: {error}") from None
    return stored


@cache
def _aliases(model: type[BaseModel]) -> tuple[tuple[str, str], ...]:
    """The fields of a model, each with its stored name."""
    return tuple((name, info.alias or name) for name, info in model.model_fields.items())


def nested_attribute(info: FieldInfo, value: Any) -> AttributeValue | None:
    """Return a field of a nested model as it is stored, or None.

    None and an empty set are stored if they differ from the default, because there absence means the default.
    """
    if value is not None and (value or not isinstance(value, set | frozenset)):
        return to_attribute(value)
    if not info.is_required() and info.get_default(call_default_factory=False) == value:
        return None
    return {"NULL": True} if value is None else {"L": []}


def _nested(model: BaseModel) -> Item:
    """The attributes of a nested model."""
    stored = model_attributes(model)
    for name, info in type(model).model_fields.items():
        attribute = info.alias or name
        if attribute not in stored and (value := nested_attribute(info, getattr(model, name))) is not None:
            stored[attribute] = value
    return stored | {name: to_attribute(value) for name, value in (model.model_extra or {}).items()}


def from_attribute(value: AttributeValue) -> Any:
    """Return an attribute value as a plain Python value; whole numbers are int, others Decimal.

    >>> from_attribute({"L": [{"N": "1"}, {"N": "2.5"}, {"NULL": True}]})
    [1, Decimal('2.5'), None]
    """
    for kind, content in value.items():
        return content if kind in _AS_IT_IS else _PLAIN[kind](content)
    raise ValueNotStorable("an attribute value has no type")


def differs(one: AttributeValue | None, other: AttributeValue | None) -> bool:
    """Return whether two attribute values differ; the same number or set in another notation does not.

    >>> differs({"N": "1.0"}, {"N": "1"}), differs({"S": "a"}, None)
    (False, True)
    """
    if one is None or other is None or one == other:
        return one != other
    return "S" in one or "S" in other or normalise(one) != normalise(other)


def _number(text: str) -> int | Decimal:
    try:
        return int(text)
    except ValueError:
        return Decimal(text)


def _unicode(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueNotStorable("an unpaired surrogate is not valid Unicode and cannot be stored") from None
    return text


def _numeral(value: float | Decimal) -> str:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueNotStorable(f"{value} is not a number that DynamoDB can store")
        return repr(value)
    if isinstance(value, Decimal) and not value.is_finite():
        raise ValueNotStorable(f"{value} is not a number that DynamoDB can store")
    text = str(value)
    if len(text) > _MOST_DIGITS:
        _require_digits(value)
    return text


def _require_digits(value: Decimal | float) -> None:
    """Raise for a number with more significant digits than DynamoDB stores; it never rounds."""
    digits = "".join(map(str, Decimal(value).as_tuple().digits)).strip("0")
    if len(digits) > _MOST_DIGITS:
        raise ValueNotStorable(
            f"a number of {len(digits)} significant digits cannot be stored, DynamoDB allows {_MOST_DIGITS}; round it"
        )


def _set(members: set[Any] | frozenset[Any]) -> AttributeValue:
    kinds = {next(iter(to_attribute(member))) for member in members}
    if len(kinds) != 1 or not kinds <= {"S", "N", "B"}:
        raise ValueNotStorable("a set must have strings, numbers or bytes, at least one and all of one type")
    (kind,) = kinds
    contents = [to_attribute(member)[kind] for member in members]
    return {f"{kind}S": sorted(contents)}


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise ValueNotStorable(f"the keys of a map must be strings, not {type(name).__name__}")
    return str.__str__(name)  # a plain string also for the member of a StrEnum


_COMMON: dict[type, Callable[[Any], AttributeValue]] = {
    str: lambda text: {"S": text if text.isascii() else _unicode(text)},
    bool: lambda truth: {"BOOL": truth},
    int: lambda number: {"N": str(number)},
    datetime: lambda time: {"S": timestamp_text(time)},
    list: lambda elements: {"L": [to_attribute(element) for element in elements]},
}
"""The most frequent types, found without a chain of checks."""

_AS_IT_IS = frozenset({"S", "BOOL", "B"})
_PLAIN: dict[str, Callable[[Any], Any]] = {
    "N": _number,
    "NULL": lambda _: None,
    "SS": set,
    "BS": set,
    "NS": lambda numerals: set(map(_number, numerals)),
    "L": lambda elements: [
        element["S"] if "S" in element else from_attribute(element) for element in elements
    ],
    "M": lambda members: {name: from_attribute(member) for name, member in members.items()},
}
