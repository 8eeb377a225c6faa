"""Rights: who may do what on a board, by what is stored there and never by what a caller says.

Who owns a board is told by the board itself. Other rights come from an item, a membership or a permission; what is
returned here makes a transaction check that it is still there.
"""

from tablewright import Repository, writes
from tablewright_systems.api_errors import Forbidden, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.boards.design import (
    Board,
    BoardById,
    BoardMembership,
    DefaultService,
    Membership,
    ServicePermission,
)
from tablewright_systems.boards.service.settling import Step
from tablewright_systems.boards.values import APPROVE_JOIN, Role

_LOST = Forbidden("you had the right to do this, and have lost it meanwhile")


def board_of(db: Repository, board_id: str) -> Board:
    """The board, unless it is being deleted."""
    board = db.run(BoardById(board_id=board_id))
    if board is None or board.deleting_at is not None:
        raise NotFound(f"board {board_id}")
    return board


def require_member(db: Repository, caller: Caller, board_id: str) -> BoardMembership:
    """The caller's membership; whoever has none may not look inside."""
    board_of(db, board_id)
    membership = db.run(Membership(board_id=board_id, user_id=caller.user_id))
    if membership is None:
        raise Forbidden("only members of the board may do this")
    return membership


def require_owner(caller: Caller, board: Board) -> None:
    """Only the owner may go on."""
    if board.owner_id != caller.user_id:
        raise Forbidden("only the owner of the board may do this")


def managing(db: Repository, caller: Caller, board: Board) -> tuple[Step, ...]:
    """What makes the caller owner or manager."""
    entitled = _as_manager(db, caller, board)
    if entitled is None:
        raise Forbidden("only the owner and managers of the board may do this")
    return entitled


def approving(db: Repository, caller: Caller, board: Board) -> tuple[Step, ...]:
    """What makes the caller one who lets others in: owner, manager, or holder of the permission (102-113)."""
    entitled = _as_manager(db, caller, board)
    if entitled is None:
        entitled = _as_holder(db, caller, board)
    if entitled is None:
        raise Forbidden("only the owner, managers and those with permission may do this")
    return entitled


def _as_manager(db: Repository, caller: Caller, board: Board) -> tuple[Step, ...] | None:
    if board.owner_id == caller.user_id:
        return ()
    mine = db.run(Membership(board_id=board.board_id, user_id=caller.user_id))
    if mine is None or mine.role is not Role.MANAGER:
        return None
    return ((writes.Check(mine, when=BoardMembership.role == Role.MANAGER), _LOST),)


def _as_holder(db: Repository, caller: Caller, board: Board) -> tuple[Step, ...] | None:
    service = db.run(DefaultService(board_id=board.board_id, service_type=APPROVE_JOIN))
    if service is None:
        return None
    permission = ServicePermission(
        board_id=board.board_id, service_id=service.service_id, user_id=caller.user_id
    )
    return None if db.run(permission) is None else ((writes.Check(permission), _LOST),)
