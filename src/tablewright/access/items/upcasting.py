"""Upcasting: items of older versions of a class become what the class is now, as they are read."""

from tablewright.access.items.value_codec import from_attribute, to_attribute
from tablewright.design.layouts.layouts import Layout
from tablewright.design.layouts.reserved_attributes import SCHEMA_VERSION
from tablewright.errors import ValueNotStorable
from tablewright.values.attributes import Item

FAILURES = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, ValueNotStorable)
"""What a function over attributes raises when these are not what it takes them for."""


class NotUpcast(Exception):
    """An item that its class's upcasts cannot bring to the present; the message says why."""


def version_of(item: Item) -> int:
    """The version of the class that wrote an item; the first, when it does not say."""
    written = item.get(SCHEMA_VERSION, {}).get("N", "1")
    return int(written) if written.isdecimal() else 1


def is_outdated(layout: Layout, item: Item) -> bool:
    """Whether an item must be upcast before it is what the class reads."""
    return bool(layout.upcasts) and version_of(item) < (layout.schema_version or 1)


def upcast(layout: Layout, item: Item) -> Item:
    """The item, secrets open, as the newest version of its class would have written it; values that stay are shared."""
    version = version_of(item)
    before = {name: from_attribute(value) for name, value in item.items()}
    after = before
    for start in sorted(layout.upcasts):
        if start < version:
            continue
        try:
            after = layout.upcasts[start](dict(after))
        except FAILURES as refusal:
            raise NotUpcast(f"does not go from version {start} to {start + 1}: {refusal}") from None
        if not isinstance(after, dict):
            raise NotUpcast(f"does not go from version {start} to {start + 1}: the upcast returned no dict")
    try:
        made = {
            name: item[name] if name in item and before[name] == value else to_attribute(value)
            for name, value in after.items()
            if value is not None
        }
    except ValueNotStorable as refusal:
        raise NotUpcast(f"is upcast to what cannot be stored: {refusal}") from None
    return {**made, SCHEMA_VERSION: {"N": str(layout.schema_version)}}
