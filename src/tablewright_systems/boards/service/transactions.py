"""Transactions: several writes as one, each with the error to raise if it fails.

    transact(
        db,
        board_unchanged(board),
        writes.Create(membership, otherwise=Conflict("you are a member already")),
    )

Boards have a version. A flow that depends on a board checks that the board is unchanged since it was read. If it has
changed, the flow runs again on the current state (`retry_on_version_conflict`).
"""

from typing import TypeVar

from tablewright import Entity, Repository, errors, fields, writes
from tablewright_systems.boards.design import Board, ProfileById, UserProfile
from tablewright_systems.service.errors import Conflict, NotFound

E = TypeVar("E", bound=Entity)


def _busy() -> Conflict:
    return Conflict("other requests are changing this board; try again")


retry_on_version_conflict = writes.retrying(attempts=30, otherwise=_busy)
"""Runs a flow again if another request changed the board that it had read."""


def transact(db: Repository, *actions: writes.Write) -> tuple[Entity | None, ...]:
    """Execute all writes or none; raise the error of the first write that fails."""
    try:
        return db.transact(*actions)
    except errors.TransactionFailed as failed:
        raise next(failure for failure in failed.failures if failure is not None) from failed


def first_written(written: tuple[Entity | None, ...], kind: type[E]) -> E:
    """Return the first written entity of a class."""
    return next(entity for entity in written if isinstance(entity, kind))


def name_taken(field: str) -> dict[type[errors.TablewrightError], Conflict]:
    """The error of a write whose unique name has another owner; other errors stay as they are."""
    return {errors.UniqueViolation: Conflict("this name is already taken", field=field)}


def board_unchanged(board: Board) -> writes.Write:
    """Check that the board is unchanged since it was read."""
    return writes.Check(board)


def user_exists(user_id: str) -> writes.Write:
    """Check that a user exists and is not being deleted."""
    alive = fields.of(UserProfile.deleting_at).is_absent()
    return writes.Check(ProfileById(user_id=user_id), when=alive, otherwise=NotFound(f"user {user_id}"))
