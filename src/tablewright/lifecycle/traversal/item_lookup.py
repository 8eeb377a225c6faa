"""Which entity of a design an item belongs to."""

from tablewright.access.context import Context
from tablewright.access.items.footprint import is_dependent
from tablewright.access.items.vault import NoVault
from tablewright.design.designs import Design
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables.tables import Table
from tablewright.values.attributes import Item


def layouts_for(design: Design, table: Table, item: Item) -> list[Layout]:
    """The entities that an item says it is, by its type, or by its key where it tells none."""
    layouts = [entity.layout for entity in design.entities_of(table)]
    said = item.get(table.discriminator, {}).get("S")
    typed = [layout for layout in layouts if layout.type_name is not None and layout.type_name == said]
    return typed or [layout for layout in layouts if layout.type_name is None and has_key_of(layout, item)]


def is_of(design: Design, layout: Layout, item: Item) -> bool:
    """Whether an item is the main item of an entity of that class, as far as it says so itself."""
    return not is_dependent(item) and layout in layouts_for(design, layout.table, item)


def has_key_of(layout: Layout, item: Item) -> bool:
    """Whether an item's key could have been made by the class."""
    return all(
        layout.table.type_of(attribute) != "S" or template.parse(item[attribute].get("S", "")) is not None
        for attribute, template in layout.primary.parts
    )


def require_keys(context: Context, layout: Layout) -> None:
    """Refuse at once to go over items whose secrets cannot be opened, as there are no keys at all."""
    if layout.secrets and isinstance(context.vault, NoVault):
        context.vault.decrypt(layout, {})
