"""Labels: the attributes that the library writes into items besides fields and keys.

The discriminator (`Table.discriminator`) tells the type of an item, where a class has one. The others are here.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tablewright.design.tables.tables import Table
from tablewright.errors import DesignError

if TYPE_CHECKING:
    from tablewright.design.entities.entities import Entity
    from tablewright.design.layouts.layouts import FieldLayout

SCHEMA_VERSION = "schemaVersion"
"""The attribute that tells which version of its class wrote an item."""

OWNER = "_of"
"""The attribute by which a copy or a lock names its entity: the primary key of the main item, as a map."""

KEPT = "_kept"
"""The attribute of a copy with those fields that would put it in an index where it does not belong, as a map."""


def check_labels(
    entity: "type[Entity]",
    table: Table,
    fields: "Iterable[FieldLayout]",
    type_name: str | None,
    schema_version: int | None,
) -> None:
    """Refuse fields that are stored where a label goes; one that always says the type may be the discriminator."""
    labels = {OWNER: "the owner of copies and locks", KEPT: "what a copy keeps"}
    if type_name is not None:
        labels[table.discriminator] = f"the type, {type_name!r}"
    if schema_version is not None:
        labels[SCHEMA_VERSION] = "the schema version"
    for field in fields:
        says_type = (
            field.stored == table.discriminator and entity.model_fields[field.name].default == type_name
        )
        if field.stored in labels and not says_type:
            raise DesignError(
                f"{entity.__name__} stores the field {field.name} as {field.stored}, where {labels[field.stored]} is "
                f"written; give the field an alias of its own"
            )
