"""Authorization: permissions on a board come from stored data, never from the request.

The board itself names its owner. Other rights come from an item, a membership or a permission; the returned actions
make a transaction check that this item still exists.
"""

from tablewright import Repository, writes
from tablewright_systems.boards.design import (
    Board,
    BoardById,
    BoardMembership,
    DefaultService,
    Membership,
    ServicePermission,
)
from tablewright_systems.boards.values import APPROVE_JOIN, Role
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Forbidden, NotFound


def _lost() -> Forbidden:
    return Forbidden("your permission was revoked during this request")


def board_of(db: Repository, board_id: str) -> Board:
    """Return the board, unless it is being deleted."""
    board = db.run(BoardById(board_id=board_id))
    if board is None or board.deleting_at is not None:
        raise NotFound(f"board {board_id}")
    return board


def require_member(db: Repository, caller: Caller, board_id: str) -> BoardMembership:
    """Return the membership of the caller, or raise `Forbidden`."""
    board_of(db, board_id)
    membership = db.run(Membership(board_id=board_id, user_id=caller.user_id))
    if membership is None:
        raise Forbidden("only members of the board can do this")
    return membership


def require_owner(caller: Caller, board: Board) -> None:
    """Raise `Forbidden` unless the caller owns the board."""
    if board.owner_id != caller.user_id:
        raise Forbidden("only the owner of the board can do this")


def require_manager(db: Repository, caller: Caller, board: Board) -> tuple[writes.Write, ...]:
    """Return the checks that make the caller owner or manager, or raise `Forbidden`."""
    permitted = _as_manager(db, caller, board)
    if permitted is None:
        raise Forbidden("only the owner and managers of the board can do this")
    return permitted


def require_approver(db: Repository, caller: Caller, board: Board) -> tuple[writes.Write, ...]:
    """Return the checks that let the caller approve requests: owner, manager or permission holder (102-113)."""
    permitted = _as_manager(db, caller, board)
    if permitted is None:
        permitted = _as_holder(db, caller, board)
    if permitted is None:
        raise Forbidden("only the owner, managers and members with permission can do this")
    return permitted


def _as_manager(db: Repository, caller: Caller, board: Board) -> tuple[writes.Write, ...] | None:
    if board.owner_id == caller.user_id:
        return ()
    mine = db.run(Membership(board_id=board.board_id, user_id=caller.user_id))
    if mine is None or mine.role is not Role.MANAGER:
        return None
    return (writes.Check(mine, when=BoardMembership.role == Role.MANAGER, otherwise=_lost),)


def _as_holder(db: Repository, caller: Caller, board: Board) -> tuple[writes.Write, ...] | None:
    service = db.run(DefaultService(board_id=board.board_id, service_type=APPROVE_JOIN))
    if service is None:
        return None
    permission = ServicePermission(
        board_id=board.board_id, service_id=service.service_id, user_id=caller.user_id
    )
    return None if db.run(permission) is None else (writes.Check(permission, otherwise=_lost),)
