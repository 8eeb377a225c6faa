"""Known attributes: every attribute that an item may have according to the design."""

from collections.abc import Iterable

from tablewright.design.layouts.layouts import Layout
from tablewright.design.layouts.reserved_attributes import SCHEMA_VERSION


def known_attributes(layouts: Iterable[Layout]) -> tuple[str, ...]:
    """Return the attributes that the main items of some entities may have, each once, in the order of the entities.

    They are the fields, the keys of the table and its indexes, the expiry, the type and the schema version.
    """
    found: dict[str, None] = {}
    for layout in layouts:
        table = layout.table
        found |= dict.fromkeys(field.stored for field in layout.fields.values())
        found |= dict.fromkeys((*table.key_attributes, table.discriminator, SCHEMA_VERSION))
        found |= {} if table.ttl is None else {table.ttl: None}
    return tuple(found)
