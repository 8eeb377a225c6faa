"""Authorization: permissions on a board come from stored data, never from the request.

The board itself names its owner. Other rights come from an item, a membership or a permission; the returned actions
make a transaction check that this item still exists. `writes.Check(board)` in a transaction checks that the board
still has the version that was read; if it has changed, the flow runs again (`retrying`).
"""

from typing import TypeVar

from tablewright import Repository, fields, writes
from tablewright_systems.boards import design
from tablewright_systems.boards.design import Board, BoardMembership, UserProfile
from tablewright_systems.boards.values import APPROVE_JOIN, Role
from tablewright_systems.service import Caller, Forbidden, NotFound, busy, require_found
from tablewright_systems.web import AUTHENTICATED, Db, Router

router = Router("Boards")

retrying = writes.retrying(attempts=30, otherwise=busy)
"""Runs a flow again if another request changed the board that it had read."""

UserOrBoard = TypeVar("UserOrBoard", UserProfile, Board)

Checks = tuple[writes.Write, ...]

not_deleting = fields.of(UserProfile.deleting_at).is_absent()


def _lost() -> Forbidden:
    return Forbidden("your permission was revoked during this request")


def user_exists(user_id: str) -> writes.Write:
    """Check that a user exists and is not being deleted."""
    profile = design.ProfileById(user_id=user_id)
    return writes.Check(profile, when=not_deleting, otherwise=NotFound(f"user {user_id}"))


def existing(entity: UserOrBoard | None, resource: str) -> UserOrBoard:
    """Return a user or board, or raise `NotFound` if there is none, or if it is being deleted."""
    return require_found(None if entity is None or entity.deleting_at else entity, resource)


@router.get("/boards/{board_id}", dependencies=[AUTHENTICATED], name="get_board")
def board_of(db: Db, board_id: str) -> Board:
    """Get a board."""
    return existing(db.run(design.BoardById(board_id=board_id)), f"board {board_id}")


def member_of(db: Repository, board: Board, user_id: str) -> BoardMembership:
    """Return the membership of a user."""
    membership = db.run(design.Membership(board_id=board.board_id, user_id=user_id))
    return require_found(membership, f"member {user_id} of the board")


def require_member(db: Repository, caller: Caller, board_id: str) -> Board:
    """Return the board, or raise `Forbidden` unless the caller is a member of it."""
    board = board_of(db, board_id)
    if db.run(design.Membership(board_id=board_id, user_id=caller.user_id)) is None:
        raise Forbidden("only members of the board can do this")
    return board


def owned_board(db: Repository, caller: Caller, board_id: str) -> Board:
    """Return the board, or raise `Forbidden` unless the caller owns it."""
    board = board_of(db, board_id)
    require_owner(caller, board)
    return board


def require_owner(caller: Caller, board: Board) -> None:
    """Raise `Forbidden` unless the caller owns the board."""
    if board.owner_id != caller.user_id:
        raise Forbidden("only the owner of the board can do this")


def managed_board(db: Repository, caller: Caller, board_id: str) -> tuple[Board, Checks]:
    """Return the board with the checks that make the caller its owner or a manager, or raise `Forbidden`."""
    board = board_of(db, board_id)
    permitted = _as_manager(db, caller, board)
    if permitted is None:
        raise Forbidden("only the owner and managers of the board can do this")
    return board, permitted


def board_for_approver(db: Repository, caller: Caller, board_id: str) -> tuple[Board, Checks]:
    """Return the board with the checks that let the caller approve requests, or raise `Forbidden`.

    The owner, managers and members with permission on the board's approval approve requests (F5).
    """
    board = board_of(db, board_id)
    permitted = _as_manager(db, caller, board)
    if permitted is None:
        permitted = _as_holder(db, caller, board)
    if permitted is None:
        raise Forbidden("only the owner, managers and members with permission can do this")
    return board, permitted


def _as_manager(db: Repository, caller: Caller, board: Board) -> Checks | None:
    if board.owner_id == caller.user_id:
        return ()
    mine = db.run(design.Membership(board_id=board.board_id, user_id=caller.user_id))
    if mine is None or mine.role is not Role.MANAGER:
        return None
    return (writes.Check(mine, when=BoardMembership.role == Role.MANAGER, otherwise=_lost),)


def _as_holder(db: Repository, caller: Caller, board: Board) -> Checks | None:
    service = db.run(design.DefaultService(board_id=board.board_id, service_type=APPROVE_JOIN))
    if service is None:
        return None
    permission = design.ServicePermission(
        board_id=board.board_id, service_id=service.service_id, user_id=caller.user_id
    )
    return None if db.run(permission) is None else (writes.Check(permission, otherwise=_lost),)
