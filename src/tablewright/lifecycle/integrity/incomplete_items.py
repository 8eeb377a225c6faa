"""Incomplete items: what an UpdateItem call leaves when it comes after the entity was deleted.

UpdateItem creates an item that does not exist, with its key and the attributes that the update sets. Such an item lacks
the attributes that every entity has from its creation. An item that has an attribute which its class does not know, or
most of the attributes of a created entity, is data and not an incomplete item.
"""

from functools import cache

from tablewright.design.entities.entities import Entity
from tablewright.design.layouts.layouts import Layout
from tablewright.design.layouts.reserved_attributes import SCHEMA_VERSION
from tablewright.dynamodb.values.attributes import Item
from tablewright.lifecycle.traversal.item_entities import has_key_format


def is_incomplete(layout: Layout, item: Item) -> bool:
    """Return whether an item is what a late update left of an entity of that class."""
    if not has_key_format(layout, item) or not _declared(layout.entity).issuperset(item):
        return False
    required = _set_on_creation(layout.entity)
    missing = required - item.keys()
    if layout.type_name is not None:
        only_type = required == {layout.table.discriminator}
        return layout.table.discriminator in missing and (only_type or len(missing) > 1)
    return bool(missing) and 2 * len(required - missing) < len(required)


@cache
def _set_on_creation(entity: type[Entity]) -> frozenset[str]:
    """The attributes that every item of a class has from its creation, and that no update adds."""
    layout = entity.layout
    attributes = {
        field.stored
        for name, field in layout.fields.items()
        if name not in layout.primary.names
        and (entity.model_fields[name].is_required() or field.automatic == "created")
    }
    attributes |= {layout.table.discriminator} if layout.type_name is not None else set()
    return frozenset(attributes | ({SCHEMA_VERSION} if layout.schema_version is not None else set()))


@cache
def _declared(entity: type[Entity]) -> frozenset[str]:
    layout = entity.layout
    fields = (field.stored for field in layout.fields.values())
    return frozenset((*fields, *layout.table.key_attributes, layout.table.discriminator, SCHEMA_VERSION))
