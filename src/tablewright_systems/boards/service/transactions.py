"""Transactions: several writes as one, each with the error to raise if it fails.

    transact(
        db,
        board_unchanged(board),
        (writes.Create(membership), Conflict("you are a member already")),
    )

Boards have a version. A flow that depends on a board checks that the board is unchanged since it was read. If it has
changed, the flow runs again on the current state (`retry_on_version_conflict`).
"""

import random
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeAlias, TypeVar

from tablewright import Entity, Repository, errors, writes
from tablewright_systems.api_errors import ApiError, Conflict, NotFound
from tablewright_systems.boards.design import Board, ProfileById, UserProfile

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Entity)

Action: TypeAlias = tuple[writes.Write, ApiError | None]
"""A write, and the error to raise if it fails; None raises the error of the store."""

MAX_ATTEMPTS = 30
BACKOFF = 0.002
_CLAIMS = {"UserProfile": "userName", "Board": "boardName"}


def transact(db: Repository, *actions: Action) -> tuple[Entity | None, ...]:
    """Execute all writes or none; raise the error of the first write that fails."""
    try:
        return db.transact(*(write for write, _ in actions))
    except errors.TransactionFailed as failed:
        raise _error_for(actions, failed) from failed


def _error_for(actions: tuple[Action, ...], failed: errors.TransactionFailed) -> Exception:
    failures = [
        (failure, error)
        for (_, error), failure in zip(actions, failed.failures, strict=True)
        if failure is not None
    ]
    for failure, _ in failures:
        if isinstance(failure, errors.VersionConflict):
            return failure
    failure, error = failures[0]
    match failure:
        case errors.CopyBlocked(entity=entity):
            return Conflict("this name is already taken", field=_CLAIMS[entity])
        case errors.UniqueViolation():
            return failure
        case _:
            return error or failure


def first_written(written: tuple[Entity | None, ...], kind: type[E]) -> E:
    """Return the first written entity of a class."""
    return next(entity for entity in written if isinstance(entity, kind))


def board_unchanged(board: Board) -> Action:
    """Check that the board is unchanged since it was read."""
    return writes.Check(board), None


def user_exists(user_id: str) -> Action:
    """Check that a user exists and is not being deleted."""
    alive = UserProfile.deleting_at == None  # noqa: E711 - a condition: it is absent
    return writes.Check(ProfileById(user_id=user_id), when=alive), NotFound(f"user {user_id}")


def retry_on_version_conflict(flow: Callable[P, T]) -> Callable[P, T]:
    """Run a flow again if another request changed the board that it had read."""

    @wraps(flow)
    def retrying(*given: P.args, **named: P.kwargs) -> T:
        for attempt in range(MAX_ATTEMPTS):
            try:
                return flow(*given, **named)
            except errors.VersionConflict:
                time.sleep(random.uniform(0, BACKOFF * attempt))
        raise Conflict("other requests are changing this board; try again")

    return retrying
