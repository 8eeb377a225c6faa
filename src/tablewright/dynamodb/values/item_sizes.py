"""Item sizes in bytes, for the 400 KB limit, capacity units and storage.

A name counts its UTF-8 bytes; a value as below. Lists and maps count 3 bytes, and 1 more for each element.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
"""

from collections.abc import Iterable, Mapping
from typing import Any

from tablewright.dynamodb.values.numbers import number_size

CONTAINER = 3
ELEMENT = 1


def text_size(text: str) -> int:
    """The UTF-8 bytes of a string."""
    return len(text) if text.isascii() else len(text.encode())


def binary_size(content: str | bytes) -> int:
    """The bytes of a binary, from its canonical base64 text, or from bytes as connections return them.

    >>> binary_size("YWI="), binary_size(b"ab")
    (2, 2)
    """
    if isinstance(content, str):
        return len(content) // 4 * 3 - content.count("=", -2)
    return len(content)


def item_size(item: Mapping[str, dict[str, Any]]) -> int:
    """The bytes of a whole item.

    >>> item_size({"pk": {"S": "a"}, "n": {"N": "12"}})
    6
    """
    return sum(text_size(name) + value_size(value) for name, value in item.items())


def changed_size(
    before: Mapping[str, dict[str, Any]], after: Mapping[str, dict[str, Any]], names: Iterable[str]
) -> int:
    """The bytes by which an item grew, when at most these attributes changed.

    >>> changed_size({"pk": {"S": "a"}, "n": {"N": "12"}}, {"pk": {"S": "a"}, "n": {"N": "1234"}}, ["n"])
    1
    """
    gained = 0
    for name in names:
        old, new = before.get(name), after.get(name)
        if old is not None:
            gained -= text_size(name) + value_size(old)
        if new is not None:
            gained += text_size(name) + value_size(new)
    return gained


def value_size(value: Mapping[str, Any]) -> int:
    """The bytes of one attribute value, without its name."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return text_size(content)
        case "N":
            return number_size(content)
        case "B":
            return binary_size(content)
        case "BOOL" | "NULL":
            return 1
        case "SS":
            return sum(map(text_size, content))
        case "NS":
            return sum(map(number_size, content))
        case "BS":
            return sum(map(binary_size, content))
        case "L":
            return CONTAINER + sum(ELEMENT + value_size(element) for element in content)
        case _:
            return CONTAINER + len(content) * ELEMENT + item_size(content)
