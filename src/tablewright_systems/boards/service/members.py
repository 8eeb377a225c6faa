"""Members: who belongs to a board, and as what (F9, F10).

A board has exactly one owner, who is told twice: by the board and by the membership. Both change in one transaction.
"""

from tablewright import Repository, writes
from tablewright_systems.api_errors import Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.boards.design import (
    Board,
    BoardMembership,
    BoardsOfUser,
    Membership,
    MembersOfBoard,
    ServicePermission,
    ServicesOfBoardNow,
)
from tablewright_systems.boards.lists import listed
from tablewright_systems.boards.service.rights import board_of, managing, require_member, require_owner
from tablewright_systems.boards.service.settling import Step, registered, settle, taking_turns, unchanged
from tablewright_systems.boards.values import Role
from tablewright_systems.pagination import ResultPage


def my_boards(
    db: Repository, caller: Caller, limit: int | None = None, cursor: str | None = None
) -> ResultPage[BoardMembership]:
    """The boards that the caller belongs to, the latest joined first; one just joined may be missing for a moment."""
    return listed(db, BoardsOfUser(user_id=caller.user_id), limit, cursor)


def members(
    db: Repository, caller: Caller, board_id: str, limit: int | None = None, cursor: str | None = None
) -> ResultPage[BoardMembership]:
    """The members of a board, for its members."""
    require_member(db, caller, board_id)
    return listed(db, MembersOfBoard(board_id=board_id), limit, cursor)


def membership(db: Repository, caller: Caller, board_id: str, user_id: str) -> BoardMembership:
    """Whether somebody is a member, and as what; for members, and for everybody about themselves."""
    if user_id != caller.user_id:
        require_member(db, caller, board_id)
    return _member(db, board_of(db, board_id), user_id)


@taking_turns
def leave(db: Repository, caller: Caller, board_id: str) -> None:
    """Leave a board, and lose all permissions there."""
    board = board_of(db, board_id)
    mine = _member(db, board, caller.user_id)
    if board.owner_id == caller.user_id:
        raise Conflict("the owner cannot leave; transfer the board first")
    _drop(db, board, mine)


@taking_turns
def kick(db: Repository, caller: Caller, board_id: str, user_id: str) -> None:
    """Make somebody leave: managers members, the owner also managers."""
    board = board_of(db, board_id)
    entitled = managing(db, caller, board)
    theirs = _member(db, board, user_id)
    if board.owner_id == user_id:
        raise Conflict("the owner cannot be removed; transfer the board first")
    if theirs.role is Role.MANAGER and board.owner_id != caller.user_id:
        raise Forbidden("only the owner of the board may remove a manager")
    _drop(db, board, theirs, entitled)


@taking_turns
def change_role(db: Repository, caller: Caller, board_id: str, user_id: str, role: Role) -> BoardMembership:
    """Make a member a manager, or a manager a member; owners are made by `transfer`."""
    board = board_of(db, board_id)
    require_owner(caller, board)
    theirs = _member(db, board, user_id)
    if role is Role.OWNER or board.owner_id == user_id:
        raise Invalid("a board has one owner; transfer it", field="role")
    settle(db, unchanged(board), _role(theirs, role))
    return theirs.changed(role=role)


@taking_turns
def transfer(db: Repository, caller: Caller, board_id: str, user_id: str) -> Board:
    """Give the board to another member; who had it becomes a manager."""
    board = board_of(db, board_id)
    require_owner(caller, board)
    mine, theirs = _member(db, board, caller.user_id), _member(db, board, user_id)
    if user_id == caller.user_id:
        raise Invalid("the board is yours already", field="userId")
    given = (writes.Update(board, set={"owner_id": user_id}), None)
    settle(db, given, registered(user_id), _role(mine, Role.MANAGER), _role(theirs, Role.OWNER))
    return board_of(db, board_id)


def _member(db: Repository, board: Board, user_id: str) -> BoardMembership:
    found = db.run(Membership(board_id=board.board_id, user_id=user_id))
    if found is None:
        raise NotFound(f"member {user_id} of the board")
    return found


def _role(before: BoardMembership, role: Role) -> Step:
    write = writes.Update(before, set={"role": role}, when=BoardMembership.role == before.role)
    return write, Conflict(f"{before.user_id} is no longer {before.role}")


def _drop(db: Repository, board: Board, leaving: BoardMembership, entitled: tuple[Step, ...] = ()) -> None:
    """Remove a membership with all permissions of that user: they can only be found service by service (105)."""
    services = db.all(ServicesOfBoardNow(board_id=board.board_id))
    permissions = (
        ServicePermission(board_id=board.board_id, service_id=service.service_id, user_id=leaving.user_id)
        for service in services
    )
    settle(
        db,
        unchanged(board),
        *entitled,
        (
            writes.Delete(leaving, when=BoardMembership.role == leaving.role),
            Conflict(f"{leaving.user_id} is no longer {leaving.role}"),
        ),
        *((writes.Delete(permission), None) for permission in permissions),
    )
