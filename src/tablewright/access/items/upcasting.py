"""Upcasting: convert items of older versions of a class to the current version as they are read."""

from tablewright.access.items.value_codec import from_attribute, to_attribute
from tablewright.design.layouts.layouts import Layout
from tablewright.design.layouts.reserved_attributes import SCHEMA_VERSION
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ValueNotStorable

FAILURES = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, ValueNotStorable)
"""What a user's function raises for attributes that it does not expect."""


class NotUpcast(Exception):
    """An item that the upcasts of its class cannot convert; the message says why."""


def version_of(item: Item) -> int:
    """Return the schema version of an item; 1 when it has none."""
    written = item.get(SCHEMA_VERSION, {}).get("N", "1")
    return int(written) if written.isdecimal() else 1


def is_outdated(layout: Layout, item: Item) -> bool:
    """Return whether an item must be upcast before the class can read it."""
    return bool(layout.upcasts) and version_of(item) < (layout.schema_version or 1)


def upcast(layout: Layout, item: Item) -> Item:
    """Return a decrypted item in the current version of its class; unchanged values are shared."""
    version = version_of(item)
    before = {name: from_attribute(value) for name, value in item.items()}
    after = before
    for start in sorted(layout.upcasts):
        if start < version:
            continue
        try:
            after = layout.upcasts[start](dict(after))
        except FAILURES as error:
            raise NotUpcast(f"cannot be upcast from version {start} to {start + 1}: {error}") from None
        if not isinstance(after, dict):
            raise NotUpcast(
                f"cannot be upcast from version {start} to {start + 1}: the upcast returned no dict"
            )
    try:
        made = {
            name: item[name] if name in item and before[name] == value else to_attribute(value)
            for name, value in after.items()
            if value is not None
        }
    except ValueNotStorable as error:
        raise NotUpcast(f"is upcast to a value that cannot be stored: {error}") from None
    return {**made, SCHEMA_VERSION: {"N": str(layout.schema_version)}}
