"""Plan create and put: write an entity as a whole."""

from tablewright.access.calls.procedures import Procedure
from tablewright.access.items.footprint import has_dependents, require_whole
from tablewright.access.writes import actions
from tablewright.access.writes.actions import Action
from tablewright.access.writes.changes import automatic_fields
from tablewright.access.writes.plans.update_plan import plan_replacement
from tablewright.access.writes.plans.write_plan import Planner, WritePlan
from tablewright.access.writes.preconditions import MainPrecondition
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Counter


def plan_create(planner: Planner, entity: Entity) -> Procedure[WritePlan]:
    """Write the entity where none exists."""
    yield from ()
    whole = automatic_fields.with_values(entity, automatic_fields.on_create(entity, planner.timestamp))
    absent = MainPrecondition(planner.target, planner.now, "absent", was_read=planner.plans_again)
    return planner.plan(_new_items(planner, whole, absent), whole)


def plan_put(planner: Planner, entity: Entity) -> Procedure[WritePlan]:
    """Write the entity over the stored one, if there is one; with a condition on the version if it has one."""
    require_whole(entity)
    whole = automatic_fields.with_values(entity, automatic_fields.on_put(entity, planner.timestamp))
    if not (has_dependents(planner.layout) or planner.layout.marked(Counter)):
        precondition = planner.precondition(present=bool(planner.version))
        return planner.plan(_new_items(planner, whole, precondition), whole)
    found = yield from planner.read()
    if found is not None:
        return plan_replacement(planner, found, whole)
    if planner.version:
        raise planner.missing()
    absent = MainPrecondition(planner.target, planner.now, "absent", was_read=True)
    return planner.plan(_new_items(planner, whole, absent), whole)


def _new_items(planner: Planner, entity: Entity, precondition: MainPrecondition) -> list[Action]:
    """The actions that write all items of an entity."""
    after = planner.footprint(entity)
    main = actions.put(planner.context, planner.table, planner.encrypted(after.main), precondition)
    return [main, *planner.dependent_actions(None, after)]
