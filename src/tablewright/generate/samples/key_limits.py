"""Key limits: the numbers that fit the key formats of a field, as limits of its sample values."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from tablewright.design.keys.key_formats import Descending
from tablewright.design.keys.number_formats import Width
from tablewright.design.layouts.layouts import Layout


@dataclass(frozen=True, slots=True)
class KeyLimit:
    """The least and the greatest number, and the number of decimals; named as the limits of pydantic."""

    ge: Decimal
    le: Decimal
    decimal_places: int


def key_limits(layout: Layout, name: str) -> Iterator[KeyLimit]:
    """The limits of each key format that a field has in the keys of its entity."""
    keys = (layout.primary, *layout.indexes, *(key for copy in layout.copies for key in copy.keys))
    for template in {template for key in keys for _, template in key.parts}:
        for part in template.fields:
            base = part.key_format.base if isinstance(part.key_format, Descending) else part.key_format
            if part.name == name and isinstance(base, Width):
                yield KeyLimit(base.lowest, base.highest, base.decimals)
