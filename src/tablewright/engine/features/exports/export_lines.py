"""Export lines: one item, or one change of an item, as a line of an export's data file."""

from collections.abc import Callable
from typing import NamedTuple

from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.stored_items import StoredItem, encode
from tablewright.engine.features.exports.ion_writer import MARKER, write_item, write_number


class ItemChange(NamedTuple):
    """The change of an item in a period; `old` and `new` are None if it was created and deleted in it."""

    keys: Item
    micros: int
    old: StoredItem | None
    new: StoredItem | None


def _json_item(item: StoredItem) -> bytes:
    return b'{"Item":%b}\n' % item.raw


def _ion_item(item: StoredItem) -> bytes:
    return f"{MARKER} {{Item:{write_item(item.attributes)}}}\n".encode()


def _json_change(change: ItemChange) -> bytes:
    line = b'{"Metadata":{"WriteTimestampMicros":{"N":"%d"}},"Keys":%b' % (change.micros, encode(change.keys))
    if change.old is not None:
        line += b',"OldImage":' + change.old.raw
    if change.new is not None:
        line += b',"NewImage":' + change.new.raw
    return line + b"}\n"


def _ion_change(change: ItemChange) -> bytes:
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
CHANGE_LINES: dict[str, Callable[[ItemChange], bytes]] = {"DYNAMODB_JSON": _json_change, "ION": _ion_change}
