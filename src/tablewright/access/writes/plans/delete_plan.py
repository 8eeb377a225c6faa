"""Plan delete: remove an entity with its copies and locks."""

from typing import Any

from tablewright.access.calls.procedures import Procedure
from tablewright.access.items.footprint import has_dependents
from tablewright.access.writes import actions
from tablewright.access.writes.changes.derived_changes import dependent_sources
from tablewright.access.writes.plans.write_plan import Planner, WritePlan
from tablewright.access.writes.values import Delete


def plan_delete(planner: Planner, write: Delete[Any]) -> Procedure[WritePlan]:
    """Remove the entity. With a condition, a version or an exception of the caller it must exist."""
    context, layout, table = planner.context, planner.layout, planner.table
    must_exist = any(each is not None for each in (planner.when, planner.version, write.otherwise))
    if not has_dependents(layout):
        return planner.plan([actions.delete(context, table, planner.key, planner.precondition(must_exist))])
    found = yield from planner.read()
    if found is None:
        if must_exist:
            raise planner.missing()
        return planner.plan([])
    planner.plans_again = not must_exist
    old = context.decoder(layout).make(found)
    before = planner.stored_footprint(found, old)
    followed: frozenset[str] = frozenset().union(*dependent_sources(layout))
    precondition = planner.precondition(present=True, read=planner.values_read(found, followed))
    main = actions.delete(context, table, planner.key, precondition)
    return planner.plan([main, *planner.dependent_actions(before, None)], old)
