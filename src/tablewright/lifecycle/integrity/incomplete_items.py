"""Ghosts: what is left when an update, sent to DynamoDB as it is, comes after a delete.

UpdateItem makes an item that is not there: with its key, and with nothing but what the update sets. Such an item lacks
what every entity is born with. Whatever has an attribute that its class does not know, or has most of what an entity is
born with, is somebody's data, and no ghost.
"""

from functools import cache

from tablewright.design.entities.entities import Entity
from tablewright.design.layouts.layouts import Layout
from tablewright.design.layouts.reserved_attributes import SCHEMA_VERSION
from tablewright.lifecycle.traversal.item_entities import has_key_format
from tablewright.values.attributes import Item


def is_incomplete(layout: Layout, item: Item) -> bool:
    """Whether an item is nothing but the remains of an entity of that class."""
    if not has_key_format(layout, item) or not _declared(layout.entity).issuperset(item):
        return False
    marks = _birthmarks(layout.entity)
    missing = marks - item.keys()
    if layout.type_name is not None:
        only_type = marks == {layout.table.discriminator}
        return layout.table.discriminator in missing and (only_type or len(missing) > 1)
    return bool(missing) and 2 * len(marks - missing) < len(marks)


@cache
def _birthmarks(entity: type[Entity]) -> frozenset[str]:
    """The attributes that every item of a class has from its first write on, and that no later write brings."""
    layout = entity.layout
    marks = {
        field.stored
        for name, field in layout.fields.items()
        if name not in layout.primary.names
        and (entity.model_fields[name].is_required() or field.automatic == "created")
    }
    marks |= {layout.table.discriminator} if layout.type_name is not None else set()
    return frozenset(marks | ({SCHEMA_VERSION} if layout.schema_version is not None else set()))


@cache
def _declared(entity: type[Entity]) -> frozenset[str]:
    layout = entity.layout
    fields = (field.stored for field in layout.fields.values())
    return frozenset((*fields, *layout.table.key_attributes, layout.table.discriminator, SCHEMA_VERSION))
