"""Write one entity: create, put, update, upsert, delete, move.

A write of one item is one call. A write that also touches copies or locks is one transaction.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn, TypeVar

from tablewright.access.calls.procedures import Call, Procedure, Reply
from tablewright.access.context import Context
from tablewright.access.items.vault import compute_with_keys, run_with_keys
from tablewright.access.otherwise import FAILED_PRECONDITIONS, Otherwise, replacement
from tablewright.access.writes import execute
from tablewright.access.writes.execute import ItemsKeepChanging, OutcomeInDoubt, WritesFailed
from tablewright.access.writes.plans.plan_write import plan_write
from tablewright.access.writes.plans.write_plan import WritePlan, contended, outcome_unknown
from tablewright.access.writes.values import Create, Delete, Move, Put, Update, Upsert, Write
from tablewright.design.entities.entities import Entity
from tablewright.errors import TablewrightError

E = TypeVar("E", bound=Entity)


def create(context: Context, entity: E, otherwise: Otherwise | None = None) -> Procedure[E]:
    """Write an entity that must not exist yet; return it as it was written."""
    plan, _ = yield from _execute(context, Create(entity, otherwise=otherwise))
    return plan.entity  # type: ignore[return-value]


def put(context: Context, entity: E, otherwise: Otherwise | None = None) -> Procedure[E]:
    """Write an entity, whether it exists or not; return it as it was written."""
    plan, reply = yield from _execute(context, Put(entity, otherwise=otherwise))
    return (yield from _written(context, plan, reply))  # type: ignore[return-value]


def update(context: Context, write: Update[E]) -> Procedure[E]:
    """Change some fields of an entity that exists; return it as it is now."""
    plan, reply = yield from _execute(context, write)
    return (yield from _written(context, plan, reply))  # type: ignore[return-value]


def upsert(context: Context, write: Upsert[E]) -> Procedure[E]:
    """Create an entity, or update the stored one; return it as it is now."""
    plan, reply = yield from _execute(context, write)
    return (yield from _written(context, plan, reply))  # type: ignore[return-value]


def delete(context: Context, write: Delete[Any]) -> Procedure[bool]:
    """Delete an entity; return whether it existed."""
    plan, reply = yield from _execute(context, write)
    return plan.entity is not None or "Attributes" in reply


def move(context: Context, write: Move[E]) -> Procedure[E]:
    """Change the primary key of an entity; return it as it is now."""
    plan, _ = yield from _execute(context, write)
    return plan.entity  # type: ignore[return-value]


def request(context: Context, write: Write) -> Procedure[Call]:
    """Return the call that would execute a write, without making it. Planning may read items."""
    return execute.request(execute.joined((yield from _plan(context, write, False))))


def _execute(context: Context, write: Write) -> Procedure[tuple[WritePlan, Reply]]:
    try:
        (plan,), reply = yield from execute.execute(partial(_plan, context, write))
    except WritesFailed as failed:
        _raise(write, failed.first)
    except FAILED_PRECONDITIONS as error:  # found when the write was planned
        _raise(write, error)
    except OutcomeInDoubt as doubt:
        raise outcome_unknown(write) from doubt.cause
    except ItemsKeepChanging:
        raise contended(write) from None
    return plan, reply


def _raise(write: Write, error: TablewrightError) -> NoReturn:
    """Raise the error of a failed precondition, or the caller's exception."""
    if write.otherwise is None:
        raise error from None
    raise replacement(write.otherwise, error)


def _plan(context: Context, write: Write, is_retry: bool) -> Procedure[Sequence[WritePlan]]:
    return ((yield from run_with_keys(partial(plan_write, context, write, is_retry=is_retry))),)


def _written(context: Context, plan: WritePlan, reply: Reply) -> Procedure[Entity | None]:
    """Return the entity as it is now: from DynamoDB's reply, or as it was written."""
    if "Attributes" in reply:
        decoder = context.decoder(plan.target.layout)
        return (yield from compute_with_keys(lambda: decoder.make(reply["Attributes"])))
    return plan.entity
