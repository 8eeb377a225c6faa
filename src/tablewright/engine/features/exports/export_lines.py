"""Export lines: one item, or one change of an item, as a line of an export's data file.

Ion writer: items as Amazon Ion text, in the form that DynamoDB's exports have.

    S string   N decimal   B blob   BOOL bool   NULL null   L list   M struct
    SS, NS, BS  lists, annotated $dynamodb_SS, $dynamodb_NS, $dynamodb_BS

Not the writer of amazon.ion: AWS exports whole numbers as `103.`, and amazon.ion writes `103d0`. This one is also 2.5
times as fast. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.dynamodb.values.stored_items import StoredItem, encode

MARKER = "$ion_1_0"

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*").fullmatch
_KEYWORDS = {"null", "true", "false", "nan"}
# `$10` is a symbol by its number. Readers differ on "$10"; in single quotes it is always the text.
_SYMBOL_NUMBER = re.compile(r"\$[0-9]+").fullmatch


def write_item(item: Item) -> str:
    """An item as an Ion struct.

    >>> write_item({"Id": {"N": "103"}, "Tags": {"SS": ["a", "b"]}, "to be": {"B": "YWJj"}})
    '{Id:103.,Tags:$dynamodb_SS::["a","b"],"to be":{{YWJj}}}'
    """
    return "{" + ",".join(f"{_field(name)}:{_write(value)}" for name, value in item.items()) + "}"


def _field(name: str) -> str:
    if _SYMBOL_NUMBER(name):
        return f"'{name}'"
    return name if _IDENTIFIER(name) and name not in _KEYWORDS else _text(name)


def _text(text: str) -> str:
    return encode(text).decode()


def _write(value: AttributeValue) -> str:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return _text(content)
        case "N":
            return write_number(content)
        case "B":
            return f"{{{{{content}}}}}"
        case "BOOL":
            return "true" if content else "false"
        case "NULL":
            return "null"
        case "M":
            return write_item(content)
        case "L":
            return "[" + ",".join(map(_write, content)) + "]"
        case _:
            members = ",".join(_write({kind[0]: member}) for member in content)
            return f"$dynamodb_{kind}::[{members}]"


def write_number(numeral: str) -> str:
    """A canonical number as an Ion decimal; without a point it would be an integer.

    >>> write_number("600"), write_number("-0.5")
    ('600.', '-0.5')
    """
    return numeral if "." in numeral else f"{numeral}."


class ExportedChange(NamedTuple):
    """The change of an item in a period; `old` and `new` are None if it was created and deleted in it."""

    keys: Item
    micros: int
    old: StoredItem | None
    new: StoredItem | None


def _json_item(item: StoredItem) -> bytes:
    return b'{"Item":%b}\n' % item.raw


def _ion_item(item: StoredItem) -> bytes:
    return f"{MARKER} {{Item:{write_item(item.attributes)}}}\n".encode()


def _json_change(change: ExportedChange) -> bytes:
    line = b'{"Metadata":{"WriteTimestampMicros":{"N":"%d"}},"Keys":%b' % (change.micros, encode(change.keys))
    if change.old is not None:
        line += b',"OldImage":' + change.old.raw
    if change.new is not None:
        line += b',"NewImage":' + change.new.raw
    return line + b"}\n"


def _ion_change(change: ExportedChange) -> bytes:
    parts = [
        f"Keys:{write_item(change.keys)}",
        f"Metadata:{{WriteTimestampMicros:{write_number(str(change.micros))}}}",
    ]
    if change.old is not None:
        parts.append(f"OldImage:{write_item(change.old.attributes)}")
    if change.new is not None:
        parts.append(f"NewImage:{write_item(change.new.attributes)}")
    return f"{MARKER} {{Record:{{{','.join(parts)}}}}}\n".encode()


ITEM_LINES: dict[str, Callable[[StoredItem], bytes]] = {"DYNAMODB_JSON": _json_item, "ION": _ion_item}
CHANGE_LINES: dict[str, Callable[[ExportedChange], bytes]] = {
    "DYNAMODB_JSON": _json_change,
    "ION": _ion_change,
}
