"""Cut values: an item in a list has only the beginning of long texts, binaries, lists and maps.

A list of items stays small, whatever the items contain. The details of one item have every value in full.
"""

from collections.abc import Collection
from typing import Any

from tablewright.dynamodb.values.attributes import AttributeValue, Item

MOST_CHARACTERS = 256
MOST_BYTES = 96
MOST_MEMBERS = 12
MOST_DEPTH = 3


def cut_item(item: Item, whole: Collection[str] = ()) -> tuple[Item, list[str]]:
    """Return an item with cut values, and the names of the attributes that were cut; those in `whole` are not.

    >>> cut_item({"id": {"S": "1"}, "text": {"S": "x" * 1000}})[1]
    ['text']
    """
    found: Item = {}
    cut: list[str] = []
    for name, value in item.items():
        found[name], is_cut = (value, False) if name in whole else _cut(value, MOST_DEPTH)
        if is_cut:
            cut.append(name)
    return found, cut


def _cut(value: AttributeValue, depth: int) -> tuple[AttributeValue, bool]:
    ((kind, content),) = value.items()
    match kind:
        case "S" if len(content) > MOST_CHARACTERS:
            return {"S": content[:MOST_CHARACTERS]}, True
        case "B" if len(content) > MOST_BYTES:
            return {"B": content[:MOST_BYTES]}, True
        case "SS" | "NS" | "BS":
            return _cut_set(kind, content)
        case "L":
            return _cut_members("L", list(enumerate(content)), depth)
        case "M":
            return _cut_members("M", list(content.items()), depth)
        case _:
            return value, False


def _cut_set(kind: str, content: list[Any]) -> tuple[AttributeValue, bool]:
    cut = [_cut({kind[0]: each}, 0) for each in content[:MOST_MEMBERS]]
    is_cut = len(content) > MOST_MEMBERS or any(each for _, each in cut)
    return {kind: [value[kind[0]] for value, _ in cut]}, is_cut


def _cut_members(kind: str, members: list[tuple[Any, Any]], depth: int) -> tuple[AttributeValue, bool]:
    if depth == 0:
        return {kind: [] if kind == "L" else {}}, bool(members)
    cut = [(name, _cut(value, depth - 1)) for name, value in members[:MOST_MEMBERS]]
    is_cut = len(members) > MOST_MEMBERS or any(each for _, (_, each) in cut)
    if kind == "L":
        return {"L": [value for _, (value, _) in cut]}, is_cut
    return {"M": {name: value for name, (value, _) in cut}}, is_cut
