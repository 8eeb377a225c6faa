"""Define entities and patterns at run time, to test the rules that are applied when a class is defined."""

from types import new_class
from typing import Any

from tablewright import Entity, Table
from tablewright.design.patterns import Pattern


def define_entity(table: Table, annotations: dict[str, Any], **members: Any) -> type[Entity]:
    """Define the entity `Thing` with these fields and members, such as `keys`."""
    body = {"__annotations__": annotations, "__module__": __name__, **members}
    made = new_class("Thing", (Entity,), {"table": table, "type": "THING"}, lambda names: names.update(body))
    assert issubclass(made, Entity)
    return made


def define_pattern(
    base: Any, entity: type[Entity], parameters: dict[str, Any], **settings: Any
) -> type[Pattern[Any]]:
    """Define the pattern `Things` with these parameters and settings."""
    body = {"__annotations__": parameters, "__module__": __name__, **settings}
    made = new_class("Things", (base[entity],), {}, lambda names: names.update(body))
    assert issubclass(made, Pattern)
    return made
