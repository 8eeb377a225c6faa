"""Attribute values in the plain notation of the case files.

Texts, numbers, booleans, null, lists and maps are written as JSON writes them. What JSON has no word for is written
as DynamoDB does: {"SS": [...]}, {"NS": [...]}, {"BS": [...]}, {"B": "base64"}, and {"N": "..."} for long numbers.
"""

from decimal import Decimal
from typing import Any

import orjson

from tablewright.dynamodb.values.attributes import AttributeValue, Item, normalise

_TYPED = ("SS", "NS", "BS", "B", "N")


def attribute(plain: Any) -> AttributeValue:
    """A plain value as the engine keeps it.

    >>> attribute({"tags": {"SS": ["a"]}, "n": 1})
    {'M': {'tags': {'SS': ['a']}, 'n': {'N': '1'}}}
    """
    match plain:
        case bool():
            return {"BOOL": plain}
        case None:
            return {"NULL": True}
        case str():
            return {"S": plain}
        case int() | float():
            return normalise({"N": str(Decimal(str(plain)))})
        case list():
            return {"L": [attribute(element) for element in plain]}
        case dict() if len(plain) == 1 and next(iter(plain)) in _TYPED:
            ((kind, content),) = plain.items()
            return normalise(
                {kind: [str(each) for each in content] if isinstance(content, list) else content}
            )
        case dict():
            return {"M": item(plain)}
        case _:
            raise TypeError(f"not plain: {plain!r}")


def item(plain: dict[str, Any]) -> Item:
    """A plain item as the engine keeps it."""
    return {name: attribute(value) for name, value in plain.items()}


def plain_item(given: Item) -> str:
    """An item in plain notation, names in order and sets sorted, so that equal items read the same."""
    return (
        orjson.dumps(_plain({"M": given}), option=orjson.OPT_SORT_KEYS)
        .decode()
        .replace('":', '": ')
        .replace(",", ", ")
    )


def _plain(value: AttributeValue) -> Any:
    ((kind, content),) = value.items()
    match kind:
        case "S" | "BOOL":
            return content
        case "NULL":
            return None
        case "N":
            return _plain_number(content)
        case "L":
            return [_plain(element) for element in content]
        case "M":
            return {name: _plain(member) for name, member in content.items()}
        case "NS":
            return {"NS": sorted(content, key=Decimal)}
        case "SS" | "BS":
            return {kind: sorted(content)}
        case _:
            return value


def _plain_number(content: str) -> Any:
    number = float(content)
    if Decimal(number) != Decimal(content) and normalise({"N": repr(number)}) != {"N": content}:
        return {"N": content}
    return int(number) if number.is_integer() else number
