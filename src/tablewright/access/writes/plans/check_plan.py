"""Plan checks: write nothing, but let the transaction fail unless an entity exists, or is absent."""

from tablewright.access.calls.procedures import Procedure
from tablewright.access.writes import actions
from tablewright.access.writes.plans.write_plan import Planner, WritePlan
from tablewright.access.writes.preconditions import MainPrecondition


def plan_check(planner: Planner) -> Procedure[WritePlan]:
    """Require that the entity exists and its condition holds."""
    yield from ()
    present = planner.precondition(present=True)
    return planner.plan([actions.check(planner.context, planner.table, planner.key, present)])


def plan_absence_check(planner: Planner) -> Procedure[WritePlan]:
    """Require that the entity does not exist."""
    yield from ()
    absent = MainPrecondition(planner.target, planner.now, "absent")
    return planner.plan([actions.check(planner.context, planner.table, planner.key, absent)])
