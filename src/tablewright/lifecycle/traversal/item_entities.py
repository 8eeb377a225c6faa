"""Item entities: which entity of a design an item belongs to."""

from tablewright.access.context import Context
from tablewright.access.items.footprint import is_dependent
from tablewright.access.items.item_values import has_key_format
from tablewright.access.items.vault import NoVault
from tablewright.design.designs import Design
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item


def layouts_for(design: Design, table: Table, item: Item) -> list[Layout]:
    """Return the entities that an item may be, by its type, or by its key if it has none."""
    layouts = [entity.layout for entity in design.entities_of(table)]
    type_name = item.get(table.discriminator, {}).get("S")
    typed = [layout for layout in layouts if layout.type_name is not None and layout.type_name == type_name]
    return typed or [
        layout for layout in layouts if layout.type_name is None and has_key_format(layout, item)
    ]


def is_main_item(design: Design, layout: Layout, item: Item) -> bool:
    """Whether an item is the main item of an entity of this class, by its type or its key."""
    if is_dependent(item):
        return False
    if layout.type_name is None:
        return layout in layouts_for(design, layout.table, item)
    type_name = item.get(layout.table.discriminator, {}).get("S")
    return type_name == layout.type_name and layout.entity in design.entities


def require_keys(context: Context, layout: Layout) -> None:
    """Raise `SecretError` before a pass over items with secrets, if the repository has no keys."""
    if layout.secrets and isinstance(context.vault, NoVault):
        context.vault.decrypt(layout, {})
