"""Plan upsert: create an entity, or update the stored one.

The item is read first. When another writer creates or deletes the entity before the write, it is planned again.
"""

from typing import Any

from tablewright.access.calls.procedures import Procedure
from tablewright.access.items.footprint import require_whole
from tablewright.access.writes.changes.update_changes import changes_of
from tablewright.access.writes.plans.create_plan import plan_create
from tablewright.access.writes.plans.update_plan import plan_update
from tablewright.access.writes.plans.write_plan import Planner, WritePlan
from tablewright.access.writes.values import Update, Upsert
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Counter, Ttl, Version
from tablewright.errors import InvalidWrite


def plan_upsert(planner: Planner, write: Upsert[Any]) -> Procedure[WritePlan]:
    """Create the entity where none exists; otherwise apply the update to the stored one."""
    update = _update(planner, write)
    changes_of(update, planner.target)  # an invalid update is an error, whether the entity exists or not
    found = yield from planner.read()
    if found is None:
        require_whole(write.entity)
        return (yield from plan_create(planner, write.entity))
    return (yield from plan_update(planner, update, found))


def _update(planner: Planner, write: Upsert[Any]) -> Update[Any]:
    """The given update; without one, set the fields that the entity was given."""
    if write.changes or write.set or write.remove or write.add:
        return Update(
            planner.target,
            *write.changes,
            set=write.set,
            remove=write.remove,
            add=write.add,
            when=write.when,
        )
    given = given_fields(write.entity)
    if not given:
        raise InvalidWrite(
            f"the upsert of {type(write.entity).__name__} changes nothing if the entity exists; "
            "give changes, set, remove or add"
        )
    return Update(planner.target, set=given, when=write.when)


def given_fields(entity: Entity) -> dict[str, Any]:
    """Return the fields that an entity was given, without those that identify it or that the library sets."""
    layout = entity.layout
    touched = {field.name for field in layout.fields.values() if field.automatic == "touched"}
    left_out = {
        *layout.primary.names,
        *(field.name for field in layout.fields.values() if field.automatic),
        *(field.name for field, _ in (*layout.marked(Counter), *layout.marked(Version))),
        *(field.name for field, ttl in layout.marked(Ttl) if ttl.of in touched),
    }
    return {
        name: getattr(entity, name) for name in layout.fields if name in entity.model_fields_set - left_out
    }
