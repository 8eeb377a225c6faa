"""Result exports: items as CSV, as JSON lines and as DynamoDB's JSON, one page after the other.

Secret values are left out; in CSV their cells say so.
"""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import HIDDEN
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import AttributeValue, Item, base64_text

Format = Literal["csv", "jsonl", "dynamodb"]
MOST_ITEMS = 100_000
"""The most items of an export; for more, use `tablewright export`."""
OTHER = "other_attributes"
"""The last column of CSV: the attributes without a column, as DynamoDB's JSON."""
_HIDDEN_CELL = "(hidden)"
# A spreadsheet runs a cell that begins with one of these as a formula; some also accept the full-width forms.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def columns_of(opened: OpenDesign, table: Table) -> list[str]:
    """Return the columns of a table: its key attributes, its type, and the attributes of all its entities."""
    fields = (
        field.stored for entity in opened.design.entities_of(table) for field in entity.layout.fields.values()
    )
    return list(dict.fromkeys([*table.key, table.discriminator, *fields]))


def export_text(items: Iterable[Item], format: Format, columns: Sequence[str], *, header: bool) -> str:  # noqa: A002
    """Return the text of items; secret values are those that are hidden already."""
    match format:
        case "csv":
            return _csv(items, columns, header=header)
        case "jsonl":
            return "".join(f"{plain_json(_without_hidden(item))}\n" for item in items)
        case "dynamodb":
            lines = ({"Item": _without_hidden(item)} for item in items)
            return "".join(f"{json.dumps(line, ensure_ascii=False, default=_base64)}\n" for line in lines)


def _csv(items: Iterable[Item], columns: Sequence[str], *, header: bool) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    if header:
        writer.writerow([_safe(name) for name in (*columns, OTHER)])
    known = frozenset(columns)
    for item in items:
        others = {name: value for name, value in item.items() if name not in known and value != HIDDEN}
        cells = [_cell(item[name]) if name in item else "" for name in columns]
        writer.writerow([*cells, json.dumps(others, ensure_ascii=False, default=_base64) if others else ""])
    return text.getvalue()


def _cell(value: AttributeValue) -> str:
    """Return a value as text that a spreadsheet does not run.

    >>> _cell({"S": "=1+1"}), _cell({"N": "-5"}), _cell({"SS": ["a"]})
    ("'=1+1", '-5', '["a"]')
    """
    if value == HIDDEN:
        return _HIDDEN_CELL
    ((kind, content),) = value.items()
    if kind == "N":
        return str(content)
    if kind == "BOOL":
        return "true" if content else "false"
    if kind == "NULL":
        return ""
    if kind == "B":
        return _safe(_base64(content))
    return _safe(content if kind == "S" else _json(value))


def _safe(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def plain_json(item: Item) -> str:
    """Return an item as plain JSON; numbers keep all their digits.

    >>> plain_json({"id": {"S": "1"}, "n": {"N": "12345678901234567890.5"}, "tags": {"SS": ["a"]}})
    '{"id": "1", "n": 12345678901234567890.5, "tags": ["a"]}'
    """
    members = (f"{_text(name)}: {_json(value)}" for name, value in item.items())
    return "{" + ", ".join(members) + "}"


def _json(value: AttributeValue) -> str:
    ((kind, content),) = value.items()
    match kind:
        case "N":
            return str(content)
        case "BOOL":
            return "true" if content else "false"
        case "NULL":
            return "null"
        case "B":
            return _text(_base64(content))
        case "NS":
            return "[" + ", ".join(map(str, content)) + "]"
        case "SS" | "BS":
            return (
                "["
                + ", ".join(_text(_base64(element) if kind == "BS" else element) for element in content)
                + "]"
            )
        case "L":
            return "[" + ", ".join(map(_json, content)) + "]"
        case "M":
            return plain_json(content)
        case _:
            return _text(str(content))


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _base64(content: Any) -> str:
    return base64_text(content)


def _without_hidden(item: Item) -> Item:
    columns: dict[str, Any] = {}
    for name, value in item.items():
        if value == HIDDEN:
            continue
        inner = value.get("M")
        columns[name] = {"M": _without_hidden(inner)} if isinstance(inner, dict) else value
    return columns


def hidden_names(items: Iterable[Item]) -> list[str]:
    """Return the attributes that are hidden in some of the items."""
    return sorted({name for item in items for name, value in item.items() if value == HIDDEN})
