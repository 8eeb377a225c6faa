"""Members of a board and their roles (F9, F10).

A board has exactly one owner, stored in the board and in a membership. Both change in one transaction.
"""

from tablewright import Repository, reads, writes
from tablewright_systems.boards.design import (
    Board,
    BoardMembership,
    BoardsOfUser,
    Membership,
    MembersOfBoard,
    ServicePermission,
    ServicesOfBoardNow,
)
from tablewright_systems.boards.index_fallback import read_page
from tablewright_systems.boards.service.authorization import (
    board_of,
    require_manager,
    require_member,
    require_owner,
)
from tablewright_systems.boards.service.transactions import (
    board_unchanged,
    retry_on_version_conflict,
    transact,
    user_exists,
)
from tablewright_systems.boards.values import Role
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging


def my_boards(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[BoardMembership]:
    """Return the boards of the caller, latest joined first; the index can lag behind a recent join."""
    return read_page(db, BoardsOfUser(user_id=caller.user_id), paging)


def members(
    db: Repository, caller: Caller, board_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[BoardMembership]:
    """Return the members of a board, to its members."""
    require_member(db, caller, board_id)
    return read_page(db, MembersOfBoard(board_id=board_id), paging)


def membership(db: Repository, caller: Caller, board_id: str, user_id: str) -> BoardMembership:
    """Return the membership of a user, to members of the board and to the user."""
    if user_id != caller.user_id:
        require_member(db, caller, board_id)
    return _member(db, board_of(db, board_id), user_id)


@retry_on_version_conflict
def leave(db: Repository, caller: Caller, board_id: str) -> None:
    """Remove the caller from a board, with all permissions there."""
    board = board_of(db, board_id)
    mine = _member(db, board, caller.user_id)
    if board.owner_id == caller.user_id:
        raise Conflict("the owner cannot leave; transfer the board first")
    _drop(db, board, mine)


@retry_on_version_conflict
def kick(db: Repository, caller: Caller, board_id: str, user_id: str) -> None:
    """Remove a member. Managers can remove members; the owner can remove managers too."""
    board = board_of(db, board_id)
    permitted = require_manager(db, caller, board)
    theirs = _member(db, board, user_id)
    if board.owner_id == user_id:
        raise Conflict("the owner cannot be removed; transfer the board first")
    if theirs.role is Role.MANAGER and board.owner_id != caller.user_id:
        raise Forbidden("only the owner of the board can remove a manager")
    _drop(db, board, theirs, permitted)


@retry_on_version_conflict
def change_role(db: Repository, caller: Caller, board_id: str, user_id: str, role: Role) -> BoardMembership:
    """Change the role of a member to manager or back; `transfer` changes the owner."""
    board = board_of(db, board_id)
    require_owner(caller, board)
    theirs = _member(db, board, user_id)
    if role is Role.OWNER or board.owner_id == user_id:
        raise Invalid("a board has one owner; transfer the board instead", field="role")
    transact(db, board_unchanged(board), _role(theirs, role))
    return theirs.changed(role=role)


@retry_on_version_conflict
def transfer(db: Repository, caller: Caller, board_id: str, user_id: str) -> Board:
    """Transfer the board to another member; the old owner becomes a manager."""
    board = board_of(db, board_id)
    require_owner(caller, board)
    mine, theirs = _member(db, board, caller.user_id), _member(db, board, user_id)
    if user_id == caller.user_id:
        raise Invalid("you already own this board", field="userId")
    given = writes.Update(board, set={"owner_id": user_id})
    transact(db, given, user_exists(user_id), _role(mine, Role.MANAGER), _role(theirs, Role.OWNER))
    return board_of(db, board_id)


def _member(db: Repository, board: Board, user_id: str) -> BoardMembership:
    found = db.run(Membership(board_id=board.board_id, user_id=user_id))
    if found is None:
        raise NotFound(f"member {user_id} of the board")
    return found


def _role(before: BoardMembership, role: Role) -> writes.Write:
    return writes.Update(
        before,
        set={"role": role},
        when=BoardMembership.role == before.role,
        otherwise=_changed_role(before),
    )


def _changed_role(before: BoardMembership) -> Conflict:
    return Conflict(f"user {before.user_id} no longer has the role {before.role}")


def _drop(
    db: Repository, board: Board, leaving: BoardMembership, permitted: tuple[writes.Write, ...] = ()
) -> None:
    """Delete a membership with all permissions of that user, which are found service by service (105)."""
    services = db.all(ServicesOfBoardNow(board_id=board.board_id))
    permissions = (
        ServicePermission(board_id=board.board_id, service_id=service.service_id, user_id=leaving.user_id)
        for service in services
    )
    transact(
        db,
        board_unchanged(board),
        *permitted,
        writes.Delete(leaving, when=BoardMembership.role == leaving.role, otherwise=_changed_role(leaving)),
        *(writes.Delete(permission) for permission in permissions),
    )
