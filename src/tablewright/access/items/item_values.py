"""Values of items: Python values as attribute values, and back; and keys, made of templates and an entity's values.

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

from tablewright.design.keys.templates import Template
from tablewright.design.keys.timestamps import timestamp_text
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.tables import KeyType, Table
from tablewright.dynamodb.limits import MAX_PARTITION_KEY, MAX_SORT_KEY
from tablewright.dynamodb.values.attributes import AttributeValue, Item, normalise
from tablewright.errors import KeyValueError, ValueNotStorable

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


def key_value(table: Table, attribute: str, template: Template, values: Mapping[str, Any]) -> AttributeValue:
    """Return one key attribute: text from its template, or a number or bytes.

    >>> orders = Table("orders", key=("customer", "number"), types={"number": "N"})
    >>> key_value(orders, "customer", Template("C#{name}"), {"name": "ada"})
    {'S': 'C#ada'}
    >>> key_value(orders, "number", Template("{number}"), {"number": 7})
    {'N': '7'}
    """
    kind = table.type_of(attribute)
    if kind == "S":
        return {"S": key_text(table, attribute, template, values)}
    return number_or_bytes(attribute, kind, template, values)


def number_or_bytes(
    attribute: str, kind: KeyType, template: Template, values: Mapping[str, Any]
) -> AttributeValue:
    """Return a key attribute that is a number or bytes."""
    if template.is_constant:  # in the key condition of a pattern: points > 0
        return {kind: template.text}
    (part,) = template.fields
    name = part.name
    if part.key_format is not None:
        return {"N": part.render_number(values[name])}
    made = to_attribute(values[name])
    if kind not in made:
        raise KeyValueError(f"{name} = {values[name]!r} cannot be {attribute}, a key of type {kind}")
    return made


def key_text(table: Table, attribute: str, template: Template, values: Mapping[str, Any]) -> str:
    """Return a key attribute that is text; raise when it is too long or not valid Unicode."""
    text = template.render(values)
    if len(text) > MAX_SORT_KEY or not text.isascii():
        _require_key(table, attribute, template, text)
    return text


def parse_key(attribute: AttributeValue, template: Template) -> dict[str, Any]:
    """Return the values that can be read back from a key attribute; those from text are text.

    >>> parse_key({"S": "C#ada"}, Template("C#{name}")), parse_key({"N": "7"}, Template("{number}"))
    ({'name': 'ada'}, {'number': 7})
    """
    if "S" in attribute:
        return dict(template.parse(attribute["S"]) or {})
    if not template.is_number or not attribute:
        return {}
    (part,) = template.fields
    if part.key_format is None:
        return {part.name: from_attribute(attribute)}
    return {part.name: part.key_format.restore(attribute["N"])} if part.is_reversible else {}


def key_values(table: Table, key: KeyLayout, values: Mapping[str, Any]) -> Item | None:
    """Return all attributes of one key; None when the entity is not in that index: sparse, or a field is absent."""
    if key.sparse is not None and not key.sparse.holds(values):
        return None
    if key.index is not None and _lacks_source(key, values):
        return None
    return {attribute: key_value(table, attribute, template, values) for attribute, template in key.parts}


def key_of(table: Table, item: Item) -> Item:
    """Return the primary key of an item."""
    return {name: item[name] for name in table.key}


def is_key(table: Table, key: object) -> bool:
    """Return whether a value can be a primary key of a table: its attributes, each of the right type and size.

    >>> orders = Table("orders", key=("customer", "number"), types={"number": "N"})
    >>> is_key(orders, {"customer": {"S": "ada"}, "number": {"N": "7"}}), is_key(orders, {"customer": {"M": {}}})
    (True, False)
    """
    if not isinstance(key, Mapping) or key.keys() != set(table.key):
        return False
    return all(_is_key_value(table, name, key[name]) for name in table.key)


def _is_key_value(table: Table, attribute: str, value: object) -> bool:
    kind = table.type_of(attribute)
    if not isinstance(value, Mapping) or list(value) != [kind]:
        return False
    content = value[kind]
    size = len(content.encode() if isinstance(content, str) else content)
    return 0 < size <= (MAX_PARTITION_KEY if attribute == table.partition else MAX_SORT_KEY)


def has_key_format(layout: Layout, item: Item) -> bool:
    """Return whether the key of an item matches the key templates of a class."""
    return all(
        layout.table.type_of(attribute) != "S" or template.parse(item[attribute].get("S", "")) is not None
        for attribute, template in layout.primary.parts
    )


def describe_key(key: Item) -> str:
    """Format a key for messages.

    >>> describe_key({"PK": {"S": "USER#u1"}, "SK": {"N": "7"}})
    "PK = 'USER#u1', SK = '7'"
    """
    return ", ".join(f"{name} = {next(iter(value.values()))!r}" for name, value in key.items())


def _require_key(table: Table, attribute: str, template: Template, text: str) -> None:
    sources = ", ".join(dict.fromkeys(template.names)) or template.text
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise KeyValueError(
            f"{sources} has an unpaired surrogate, which is not valid Unicode; the key {attribute} cannot contain it"
        ) from None
    sorts = (table.sort, *(name for index in table.indexes for name in index.sort))
    longest = MAX_SORT_KEY if attribute in sorts else MAX_PARTITION_KEY
    if size > longest:
        raise KeyValueError(
            f"{sources} makes the key {attribute} {size} bytes long, and DynamoDB allows {longest}; shorten {sources}"
        )


def _lacks_source(key: KeyLayout, values: Mapping[str, Any]) -> bool:
    for _, template in key.parts:
        for name in template.names:
            if values.get(name) is None:
                return True
    return False
