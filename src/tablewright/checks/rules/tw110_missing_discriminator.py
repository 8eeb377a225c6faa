"""Entities share a table, and their items cannot be distinguished.

To read an item back, the library must know its entity. Give each entity of a shared table its own `type`: it is stored
in the discriminator attribute of the table and checked on every read.

    class User(Entity, table=main, type="USER"): ...
    class Startup(Entity, table=main, type="STARTUP"): ...
"""

from collections import defaultdict
from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity

CODE = "TW110"
TITLE = "Entities without a type of their own"


def check(design: Design) -> Iterator[Finding]:
    """Entities of a shared table without a type, or with the type of another entity."""
    for table in design.tables:
        entities = design.entities_of(table)
        kinds: dict[str | None, list[type[Entity]]] = defaultdict(list)
        for entity in entities:
            kinds[entity.layout.type_name].append(entity)
        for kind, alike in kinds.items():
            if len(entities) > 1 and (kind is None or len(alike) > 1):
                yield from (_finding(entity, kind, entities) for entity in alike)


def _finding(entity: type[Entity], kind: str | None, entities: tuple[type[Entity], ...]) -> Finding:
    others = ", ".join(other.__name__ for other in entities if other is not entity)
    table = entity.layout.table
    has = f"the type {kind!r}, which another entity has too" if kind else "no type"
    return Finding(
        CODE,
        "error",
        entity.__name__,
        f"{entity.__name__} shares {table.name} with {others}, but has {has}",
        f'class {entity.__name__}(Entity, table=..., type="{entity.__name__.upper()}")',
        entity,
    )
