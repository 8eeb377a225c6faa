"""Expiries: TTL is in seconds since 1970. Milliseconds would be tens of thousands of years ahead: nothing expires."""

from typing import Any

from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InvalidWrite

LATEST = 100_000_000_000
"""The year 5138 in seconds, and the year 1973 in milliseconds: no expiry that is meant is later."""


def check_expiry(table: Table, item: Item, layout: Layout | None = None) -> None:
    """Raise `InvalidWrite` if the attributes of an item contain a TTL in milliseconds."""
    if table.ttl is None:
        return
    stored = item.get(table.ttl)
    numeral = stored.get("N") if stored else None
    if numeral is not None and float(numeral) >= LATEST:
        field = layout.field_stored_as(table.ttl) if layout else None
        name = f"{layout.entity.__name__}.{field.name}" if layout and field else f"{table.name}.{table.ttl}"
        raise InvalidWrite(milliseconds_problem(name, numeral))


def milliseconds_problem(name: str, value: Any) -> str:
    """The message for a time that is too late to be meant in seconds."""
    return (
        f"{name} = {value} is after the year 5138: TTL is in seconds since 1970, and this seems to be milliseconds; "
        "divide it by 1000"
    )
