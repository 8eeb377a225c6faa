"""Choose how to plan a write by its kind."""

from dataclasses import replace

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.given_values import describe_given
from tablewright.access.reads.item_reads import item_at
from tablewright.access.writes.diff import dependent_state
from tablewright.access.writes.plans.check_plan import plan_absence_check, plan_check
from tablewright.access.writes.plans.create_plan import plan_create, plan_put
from tablewright.access.writes.plans.delete_plan import plan_delete
from tablewright.access.writes.plans.move_plan import plan_move
from tablewright.access.writes.plans.update_plan import plan_update
from tablewright.access.writes.plans.upsert_plan import plan_upsert
from tablewright.access.writes.plans.write_plan import Planner, WritePlan
from tablewright.access.writes.preconditions import DependentPrecondition
from tablewright.access.writes.targets import target_of
from tablewright.access.writes.values import (
    Check,
    CheckAbsent,
    Create,
    Delete,
    Move,
    Put,
    Update,
    Upsert,
    Write,
)
from tablewright.design.entities.entities import Entity
from tablewright.errors import InvalidWrite


def plan_write(context: Context, write: Write, *, is_retry: bool = False) -> Procedure[WritePlan]:
    """Return the plan of a write; it may read items. `is_retry`: an earlier plan of it failed."""
    planned = _planned(context, write, is_retry)
    return _without_foreign_removals(context, planned) if is_retry else planned


def _without_foreign_removals(context: Context, planned: Procedure[WritePlan]) -> Procedure[WritePlan]:
    """Leave the copies and locks that belong to another entity.

    Programs that write no locks can store a unique value twice. One of the entities has the lock; the other can be
    changed and deleted too.
    """
    plan = yield from planned
    kept = []
    for action in plan.actions:
        precondition = action.precondition
        if isinstance(precondition, DependentPrecondition) and precondition.is_removal:
            found = yield from item_at(context, action.table, action.key)
            owner = plan.target.key(context.vault)
            if (
                dependent_state(context, plan.target.layout, owner, precondition.dependent, found)
                == "foreign"
            ):
                continue
        kept.append(action)
    return replace(plan, actions=tuple(kept))


def _planned(context: Context, write: Write, is_retry: bool) -> Procedure[WritePlan]:
    match write:
        case Create(entity) | Put(entity) | Upsert(entity) if not isinstance(entity, Entity):
            raise InvalidWrite(f"{type(write).__name__} takes an entity, not {describe_given(entity)}")
        case Create(entity):
            return plan_create(Planner(context, write, target_of(entity)), entity)
        case Put(entity):
            return plan_put(Planner(context, write, target_of(entity)), entity)
        case Update(target):
            return plan_update(Planner(context, write, target_of(target), is_retry=is_retry), write)
        case Upsert(entity):
            unversioned = replace(target_of(entity), version=None)
            return plan_upsert(Planner(context, write, unversioned, is_retry=is_retry), write)
        case Delete(target):
            return plan_delete(Planner(context, write, target_of(target)), write)
        case Move(target):
            return plan_move(Planner(context, write, target_of(target)), write)
        case Check(target):
            return plan_check(Planner(context, write, target_of(target)))
        case CheckAbsent(target):
            return plan_absence_check(Planner(context, write, target_of(target)))
        case _:
            raise InvalidWrite(
                f"{describe_given(write)} is not a write; "
                "use Create, Put, Update, Add, Upsert, Delete, Move, Check or CheckAbsent"
            )
