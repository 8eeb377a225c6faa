"""Writes of entities: each kind of write is planned here, and executed alone or with others in one transaction.

- Create and put write an entity as a whole.
- Upsert creates an entity, or updates the stored one. The item is read first. When another writer creates or deletes
  the entity before the write, it is planned again.
- Move writes an entity under a new primary key and deletes it under the old one, with its copies and locks.
- Delete removes an entity with its copies and locks.
- Checks write nothing, but let the transaction fail unless an entity exists, or is absent.
- Updates are planned in `update_plan`.

A write of one item is one call. A write that also touches copies or locks is one transaction. A transaction is never
split.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn, TypeVar

from tablewright.access.context import Context
from tablewright.access.items.footprint import has_dependents, require_whole
from tablewright.access.items.vault import compute_with_keys, run_with_keys
from tablewright.access.otherwise import FAILED_PRECONDITIONS, Otherwise, replacement
from tablewright.access.procedures import Call, Procedure, Reply
from tablewright.access.reads.item_reads import item_at
from tablewright.access.writes import actions, automatic_fields, execute
from tablewright.access.writes.actions import DependentPrecondition, MainPrecondition, WriteAction
from tablewright.access.writes.automatic_fields import dependent_sources
from tablewright.access.writes.diff import dependent_state
from tablewright.access.writes.execute import ItemsKeepChanging, OutcomeInDoubt, WritesFailed
from tablewright.access.writes.update_changes import Changes, changes_of
from tablewright.access.writes.update_plan import plan_replacement, plan_update
from tablewright.access.writes.values import (
    Check,
    CheckAbsent,
    Create,
    Delete,
    Move,
    Put,
    Target,
    Update,
    Upsert,
    Write,
    field_value,
    target_of,
)
from tablewright.access.writes.write_plan import Planner, WritePlan, contended, outcome_unknown
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.descriptions import describe_argument
from tablewright.design.fields.field_changes import Append, Prepend
from tablewright.design.fields.markers import Counter, Ttl, Version
from tablewright.design.layouts.layouts import Layout
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InvalidWrite, ServiceError, TablewrightError, TransactionFailed, UnknownItem


def plan_create(planner: Planner, whole: Entity) -> Procedure[WritePlan]:
    """Write the entity, a validated copy of the given one, where none exists."""
    yield from ()
    require_whole(whole)
    automatic_fields.complete_on_create(whole)
    absent = MainPrecondition(planner.target, planner.now, "absent", was_read=planner.plans_again)
    return planner.plan(_new_items(planner, whole, absent), whole)


def plan_put(planner: Planner, whole: Entity) -> Procedure[WritePlan]:
    """Write the entity, a validated copy of the given one, over the stored one, if there is one.

    If it has a version, that is a condition.
    """
    require_whole(whole)
    automatic_fields.complete_on_put(whole)
    if not (has_dependents(planner.layout) or planner.layout.marked(Counter)):
        precondition = planner.precondition(present=bool(planner.version))
        return planner.plan(_new_items(planner, whole, precondition), whole)
    stored = yield from planner.read()
    if stored is not None:
        return plan_replacement(planner, stored, whole)
    if planner.version:
        raise planner.missing()
    absent = MainPrecondition(planner.target, planner.now, "absent", was_read=True)
    return planner.plan(_new_items(planner, whole, absent), whole)


def _new_items(planner: Planner, entity: Entity, precondition: MainPrecondition) -> list[WriteAction]:
    """The actions that write all items of an entity."""
    after = planner.footprint(entity)
    main = actions.put(planner.context, planner.table, planner.encrypted(after.main), precondition)
    return [main, *planner.dependent_actions(None, after)]


def plan_upsert(planner: Planner, write: Upsert[Any], entity: Entity) -> Procedure[WritePlan]:
    """Create the entity, a validated copy of the given one, where none exists; otherwise update the stored one."""
    update = _update(planner, write, entity)
    # An invalid update is an error, whether the entity exists or not.
    changes = changes_of(update, planner.target)
    _require_first_values(entity, changes)
    stored = yield from planner.read()
    if stored is None:
        return (yield from plan_create(planner, _with_first_values(entity, changes)))
    return (yield from plan_update(planner, update, stored))


def _require_repeatable_key(entity: Entity) -> None:
    """Reject an upsert whose key is new in every call, so that it never finds a stored entity."""
    layout, given = entity.layout, entity.model_fields_set
    for name in sorted(layout.stored_sources(layout.primary.names)):
        if name not in given and type(entity).model_fields[name].default_factory is not None:
            kind = type(entity).__name__
            raise InvalidWrite(
                f"the upsert of {kind} has no {name}, and its default is new in every call, so that no stored {kind} "
                f"would ever be updated; give {kind}(..., {name}=...), or use create"
            )


def _with_first_values(entity: Entity, changes: Changes) -> Entity:
    """The entity to create: fields that it was not given have the values that the update sets."""
    first = {
        name: value
        for name, value in changes.set.items()
        if value is not None and name not in entity.model_fields_set
    }
    return Changes(changes.layout, first, {}).applied(entity) if first else entity


def _require_first_values(entity: Entity, changes: Changes) -> None:
    """Reject additions to a field that the new entity was not given: the first addition would be lost."""
    joined = (
        change.name
        for change in changes.inside
        if isinstance(change.change, Append | Prepend) and not change.place.is_nested
    )
    for name in (*changes.add, *joined):
        if name not in entity.model_fields_set:
            kind = type(entity).__name__
            raise InvalidWrite(
                f"the upsert of {kind} adds to {name}, but creates a {kind} without it, and the first addition would "
                f"be lost; give the value that {name} has in a new {kind}: {kind}(..., {name}=...)"
            )


def _update(planner: Planner, write: Upsert[Any], entity: Entity) -> Update[Any]:
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
    values = set_fields(entity)
    if not values:
        raise InvalidWrite(
            f"the upsert of {type(entity).__name__} changes nothing if the entity exists; "
            "give changes, set, remove or add"
        )
    return Update(planner.target, set=values, when=write.when)


def set_fields(entity: Entity) -> dict[str, Any]:
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


def plan_move(planner: Planner, write: Move[Any]) -> Procedure[WritePlan]:
    """Give new values to fields of the primary key."""
    context, layout, table = planner.context, planner.layout, planner.table
    changes = _new_key(layout, write)
    stored = yield from planner.read_existing()
    old = context.decoder(layout).make(stored)
    new = changes.with_automatic_fields(planner.timestamp, old.__dict__).applied(old)
    before, after = planner.stored_footprint(stored, old), planner.footprint(new)
    if before.key == after.key:
        raise InvalidWrite(f"move does not change the key of {layout.entity.__name__}; give another key")
    read = {**planner.values_read(stored, layout.fields), **_undeclared(layout, stored)}
    absent = MainPrecondition(target_of(new), planner.now, "absent")
    return planner.plan(
        [
            actions.delete(context, table, planner.key, planner.precondition(present=True, read=read)),
            actions.put(context, table, planner.encrypted(after.main), absent),
            *planner.dependent_actions(before, after),
        ],
        new,
    )


def _new_key(layout: Layout, write: Move[Any]) -> Changes:
    entity = layout.entity
    names = sorted(layout.stored_sources(layout.primary.names), key=list(layout.fields).index)
    stray = [name for name in write.to if name not in names]
    if stray or not write.to:
        raise InvalidWrite(
            f"move gives new values to the primary key of {entity.__name__}, which is made of "
            f"{', '.join(names)}; {', '.join(stray) or 'nothing'} was given"
        )
    return Changes(layout, {name: field_value(entity, name, value) for name, value in write.to.items()}, {})


def _undeclared(layout: Layout, item: Item) -> Item:
    """The attributes of an item that are neither fields nor its key."""
    stored = {field.stored for field in layout.fields.values()} | set(layout.table.key)
    return {name: value for name, value in item.items() if name not in stored}


def plan_delete(planner: Planner, write: Delete[Any]) -> Procedure[WritePlan]:
    """Remove the entity. With a condition, a version or an exception of the caller it must exist."""
    context, layout, table = planner.context, planner.layout, planner.table
    must_exist = planner.when is not None or planner.version is not None or write.otherwise is not None
    if not has_dependents(layout):
        return planner.plan([actions.delete(context, table, planner.key, planner.precondition(must_exist))])
    stored = yield from planner.read()
    if stored is None:
        if must_exist:
            raise planner.missing()
        return planner.plan([])
    planner.plans_again = not must_exist
    old: Entity | None = None
    try:
        old = context.decoder(layout).make(stored)
        before = planner.stored_footprint(stored, old)
    except UnknownItem:  # values that the class does not accept do not matter to a deletion
        before = planner.unreadable_footprint(stored)
    followed: frozenset[str] = frozenset().union(*dependent_sources(layout))
    precondition = planner.precondition(present=True, read=planner.values_read(stored, followed))
    main = actions.delete(context, table, planner.key, precondition)
    return planner.plan([main, *planner.dependent_actions(before, None)], old)


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
            stored = yield from item_at(context, action.table, action.key)
            owner = plan.target.key(context.vault)
            if (
                dependent_state(context, plan.target.layout, owner, precondition.dependent, stored)
                == "foreign"
            ):
                continue
        kept.append(action)
    return replace(plan, actions=tuple(kept))


def _planned(context: Context, write: Write, is_retry: bool) -> Procedure[WritePlan]:
    match write:
        case Create(entity) | Put(entity) | Upsert(entity) if not isinstance(entity, Entity):
            raise InvalidWrite(f"{type(write).__name__} takes an entity, not {describe_argument(entity)}")
        case Create(entity):
            whole = automatic_fields.validated_on_create(entity, context.timestamp)
            return (yield from plan_create(Planner(context, write, target_of(whole)), whole))
        case Put(entity):
            whole = automatic_fields.validated_on_put(entity, context.timestamp)
            planner = yield from _planner(context, write, target_of(whole), is_retry)
            return (yield from plan_put(planner, whole))
        case Update(target):
            planner = yield from _planner(context, write, target_of(target), is_retry)
            return (yield from plan_update(planner, write))
        case Upsert(entity):
            _require_repeatable_key(entity)
            whole = automatic_fields.validated_on_create(entity, context.timestamp)
            unversioned = replace(target_of(whole), version=None)
            planner = yield from _planner(context, write, unversioned, is_retry)
            return (yield from plan_upsert(planner, write, whole))
        case Delete(target):
            planner = yield from _planner(context, write, target_of(target), is_retry)
            return (yield from plan_delete(planner, write))
        case Move(target):
            planner = yield from _planner(context, write, target_of(target), is_retry)
            return (yield from plan_move(planner, write))
        case Check(target):
            planner = yield from _planner(context, write, target_of(target), is_retry)
            return (yield from plan_check(planner))
        case CheckAbsent(target):
            return (yield from plan_absence_check(Planner(context, write, target_of(target))))
        case _:
            raise InvalidWrite(
                f"{describe_argument(write)} is not a write; "
                "use Create, Put, Update, Add, Upsert, Delete, Move, Check or CheckAbsent"
            )


def _planner(context: Context, write: Write, target: Target[Any], is_retry: bool) -> Procedure[Planner]:
    planner = Planner(context, write, target, is_retry=is_retry)
    return (yield from planner.with_stored_forms()) if is_retry else planner


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
    return plan.entity is not None or "Attributes" in reply or len(plan.actions) > 1


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


def transact(context: Context, *writes: Write) -> Procedure[tuple[Entity | None, ...]]:
    """Execute all writes or none; return for each the entity as it is now, where that is known.

    Raise the `otherwise` of the first failed write that has one; without one, `TransactionFailed`.
    """
    if not writes:
        return ()
    if len(writes) == 1 and isinstance(writes[0], Iterable) and not isinstance(writes[0], Entity):
        raise InvalidWrite(
            f"transact takes writes, not {describe_argument(writes[0])}; pass each as an argument: transact(*writes)"
        )
    try:
        plans, _ = yield from execute.execute(partial(_plan_all, context, writes), together=True)
    except WritesFailed as failed:
        _raise_failed(writes, failed.errors, failed.first)
    except OutcomeInDoubt as doubt:
        raise outcome_unknown(writes[0]) from doubt.cause
    except ItemsKeepChanging:
        raise contended(writes[0]) from None
    return tuple(None if isinstance(plan.write, Delete) else plan.entity for plan in plans)


def _plan_all(context: Context, writes: Sequence[Write], is_retry: bool) -> Procedure[Sequence[WritePlan]]:
    plans = []
    for position, write in enumerate(writes):
        try:
            plans.append((yield from run_with_keys(partial(plan_write, context, write, is_retry=is_retry))))
        except ServiceError:
            raise
        except TablewrightError as error:
            failures = [error if other == position else None for other in range(len(writes))]
            _raise_failed(writes, failures, error)
    _require_distinct(plans)
    return plans


def _require_distinct(plans: Sequence[WritePlan]) -> None:
    """Raise when two writes touch one item: DynamoDB takes each item once in a transaction."""
    seen: dict[Any, WritePlan] = {}
    for plan in plans:
        for action in plan.actions:
            other = seen.setdefault(action.identity, plan)
            if other is not plan:
                raise InvalidWrite(
                    f"two writes of the transaction touch one item: {_text(other)} and {_text(plan)}; "
                    "make them one write"
                )


def _raise_failed(
    writes: Sequence[Write], failures: Sequence[TablewrightError | None], first: TablewrightError
) -> NoReturn:
    """Raise the exception of the first failed write that has one, from `TransactionFailed`."""
    failed = TransactionFailed(failures, [type(write).__name__ for write in writes])
    failed.__cause__ = first
    for write, failure in zip(writes, failures, strict=True):
        if isinstance(failure, FAILED_PRECONDITIONS) and write.otherwise is not None:
            reason = replacement(write.otherwise, failed, failure)
            if reason is not failed:
                raise reason
    raise failed


def _text(plan: WritePlan) -> str:
    return f"{type(plan.write).__name__} of {plan.target.entity.__name__}"
