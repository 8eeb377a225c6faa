"""Transactions: all writes or none, and the error of the first one that fails.

    board, *_ = transact(
        db,
        writes.Create(board, otherwise=Conflict("this board exists already")),
        writes.Check(owner, otherwise=Forbidden("this requires an active user")),
    )

Each write has its own error, `otherwise=`. A flow that reads before it writes runs again when another request changed
what it had read:

    @writes.retrying(otherwise=busy)
    def rename(db, caller, board_id, name): ...
"""

from typing import Any, TypeVar, overload

from tablewright import Entity, Repository, errors, writes
from tablewright_systems.service.errors import Conflict

E = TypeVar("E", bound=Entity)
A = TypeVar("A")
B = TypeVar("B")


@overload
def transact(
    db: Repository, a: writes.WriteOf[A], b: writes.WriteOf[B], /, *more: writes.Write
) -> tuple[A, B, *tuple[Entity | None, ...]]: ...
@overload
def transact(
    db: Repository, a: writes.WriteOf[A], /, *more: writes.Write
) -> tuple[A, *tuple[Entity | None, ...]]: ...
@overload
def transact(db: Repository, /, *actions: writes.Write) -> tuple[Entity | None, ...]: ...
def transact(db: Repository, /, *actions: Any) -> tuple[Any, ...]:
    """Execute all writes or none; return the written entities.

    Raise the error of the first failed write: its `otherwise`, or without one the error of the store, such as
    `errors.AlreadyExists`.
    """
    try:
        return db.transact(*actions)
    except errors.TransactionFailed as failed:
        raise next(failure for failure in failed.failures if failure is not None) from failed


@overload
def transact_as(
    db: Repository, permission: writes.Write, a: writes.WriteOf[A], /, *more: writes.Write
) -> tuple[A, *tuple[Entity | None, ...]]: ...
@overload
def transact_as(
    db: Repository, permission: writes.Write, /, *actions: writes.Write
) -> tuple[Entity | None, ...]: ...
def transact_as(db: Repository, permission: writes.Write, /, *actions: Any) -> tuple[Any, ...]:
    """As `transact`, if the caller still has the permission; return the entities that the actions wrote.

    `permission` is a check of the caller's user, membership or account. Its error is raised first, so that a caller
    without permission does not learn about other failures.
    """
    _, *written_entities = transact(db, permission, *actions)
    return tuple(written_entities)


def written(entities: tuple[Entity | None, ...], kind: type[E]) -> E:
    """Return the first entity of a class that a transaction wrote: `written(transact(db, *actions), Board)`."""
    return next(entity for entity in entities if isinstance(entity, kind))


def busy() -> Conflict:
    """Return the error of a flow whose last attempt failed because of other requests."""
    return Conflict("other requests are changing the same data; try again")


def is_conflict(error: errors.TablewrightError) -> bool:
    """Whether a write failed only because another writer was first."""
    failures = error.failures if isinstance(error, errors.TransactionFailed) else (error,)
    return all(
        isinstance(failure, errors.VersionConflict | errors.Contended) for failure in failures if failure
    )
