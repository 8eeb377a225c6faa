"""Settling: several writes as one, each with what it means to the caller when it cannot be done.

    settle(
        db,
        unchanged(board),
        (writes.Create(membership), Conflict("you are a member already")),
    )

Boards have a version. Whatever depends on a board checks that it is as it was read; when it is not, the flow is begun
anew (`taking_turns`), and decides by what is there now.
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

Step: TypeAlias = tuple[writes.Write, ApiError | None]
"""A write, and the refusal it stands for; without one, what the store says is told."""

TURNS = 30
PAUSE = 0.002
_CLAIMS = {"UserProfile": "userName", "Board": "boardName"}


def settle(db: Repository, *steps: Step) -> tuple[Entity | None, ...]:
    """Do all writes or none; the refusal of the first that cannot be done is raised."""
    try:
        return db.transact(*(write for write, _ in steps))
    except errors.TransactionFailed as failed:
        raise _refusal(steps, failed) from failed


def _refusal(steps: tuple[Step, ...], failed: errors.TransactionFailed) -> Exception:
    failures = [
        (failure, problem)
        for (_, problem), failure in zip(steps, failed.failures, strict=True)
        if failure is not None
    ]
    for failure, _ in failures:
        if isinstance(failure, errors.VersionConflict):
            return failure
    failure, problem = failures[0]
    match failure:
        case errors.CopyBlocked(entity=entity):
            return Conflict("this name is taken", field=_CLAIMS[entity])
        case errors.UniqueViolation():
            return failure
        case _:
            return problem or failure


def made(written: tuple[Entity | None, ...], kind: type[E]) -> E:
    """The first entity of a class among those that were written."""
    return next(entity for entity in written if isinstance(entity, kind))


def unchanged(board: Board) -> Step:
    """The board is as it was read."""
    return writes.Check(board), None


def registered(user_id: str) -> Step:
    """There is such a user, who is not about to be deleted."""
    alive = UserProfile.deleting_at == None  # noqa: E711 - a condition: it is absent
    return writes.Check(ProfileById(user_id=user_id), when=alive), NotFound(f"user {user_id}")


def taking_turns(flow: Callable[P, T]) -> Callable[P, T]:
    """Begin a flow anew when a board that it read was changed by somebody else meanwhile."""

    @wraps(flow)
    def again(*given: P.args, **named: P.kwargs) -> T:
        for turn in range(TURNS):
            try:
                return flow(*given, **named)
            except errors.VersionConflict:
                time.sleep(random.uniform(0, PAUSE * turn))
        raise Conflict("others are changing this board at the same time; try again")

    return again
