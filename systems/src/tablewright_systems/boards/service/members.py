"""Members of a board and their roles (F9, F10).

A board has exactly one owner, stored in the board and in a membership. Both change in one transaction.
"""

from typing import Annotated

from pydantic import Field

from tablewright import Repository, reads, writes
from tablewright_systems.boards import design
from tablewright_systems.boards.design import Board, BoardMembership
from tablewright_systems.boards.index_fallback import read_page
from tablewright_systems.boards.service.authorization import (
    Checks,
    board_of,
    managed_board,
    member_of,
    owned_board,
    require_member,
    retrying,
    user_exists,
)
from tablewright_systems.boards.values import Role
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    Forbidden,
    Invalid,
    require_version,
    transact,
)
from tablewright_systems.web import CurrentCaller, Db, ExpectedVersion, PageRequest, Router, problems

router = Router("Members", "Members of a board, and their roles.")


UserId = Annotated[str, Field(min_length=1, max_length=255)]


@router.get("/me/boards", tags=["Users"], name="list_my_boards")
def my_boards(db: Db, caller: CurrentCaller, paging: PageRequest = FIRST_PAGE) -> reads.Page[BoardMembership]:
    """List the boards that you are a member of, latest joined first."""
    # The index can lag behind a recent join.
    return read_page(db, design.BoardsOfUser(user_id=caller.user_id), paging)


@router.get("/boards/{board_id}/members", responses=problems(403, 404), name="list_members")
def members(
    db: Db, caller: CurrentCaller, board_id: str, paging: PageRequest = FIRST_PAGE
) -> reads.Page[BoardMembership]:
    """List the members of a board."""
    require_member(db, caller, board_id)
    return paging.run(db, design.MembersOfBoard(board_id=board_id))


@router.get("/boards/{board_id}/members/{user_id}", responses=problems(403, 404), name="get_member")
def membership(db: Db, caller: CurrentCaller, board_id: str, user_id: str) -> BoardMembership:
    """Get the membership of a user, with its role."""
    if user_id != caller.user_id:
        require_member(db, caller, board_id)
    return member_of(db, board_of(db, board_id), user_id)


@retrying
def leave(db: Repository, caller: Caller, board_id: str) -> None:
    """Remove the caller from a board, with all permissions there."""
    board = board_of(db, board_id)
    mine = member_of(db, board, caller.user_id)
    if board.owner_id == caller.user_id:
        raise Conflict("the owner cannot leave; transfer the board first")
    _drop(db, board, mine)


@retrying
def kick(db: Repository, caller: Caller, board_id: str, user_id: str) -> None:
    """Remove a member. Managers can remove members; the owner can remove managers too."""
    board, permitted = managed_board(db, caller, board_id)
    theirs = member_of(db, board, user_id)
    if board.owner_id == user_id:
        raise Conflict("the owner cannot be removed; transfer the board first")
    if theirs.role is Role.MANAGER and board.owner_id != caller.user_id:
        raise Forbidden("only the owner of the board can remove a manager")
    _drop(db, board, theirs, permitted)


@router.patch("/boards/{board_id}/members/{user_id}")
@retrying
def change_role(db: Db, caller: CurrentCaller, board_id: str, user_id: str, role: Role) -> BoardMembership:
    """Change the role of a member."""
    # `transfer` changes the owner.
    board = owned_board(db, caller, board_id)
    theirs = member_of(db, board, user_id)
    if role is Role.OWNER or board.owner_id == user_id:
        raise Invalid("a board has one owner; transfer the board instead", field="role")
    transact(db, writes.Check(board), _role(theirs, role))
    return theirs.changed(role=role)


@router.put("/boards/{board_id}/owner", tags=["Boards"], name="transfer_board")
@retrying
def transfer(
    db: Db,
    caller: CurrentCaller,
    board_id: str,
    user_id: UserId,
    version: ExpectedVersion = None,
) -> Board:
    """Transfer a board to another member."""
    # With a version, only that version.
    board = owned_board(db, caller, board_id)
    require_version(board, version)
    mine, theirs = member_of(db, board, caller.user_id), member_of(db, board, user_id)
    if user_id == caller.user_id:
        raise Invalid("you already own this board", field="userId")
    transferred = writes.Update(board, set={"owner_id": user_id})
    transact(db, transferred, user_exists(user_id), _role(mine, Role.MANAGER), _role(theirs, Role.OWNER))
    return board_of(db, board_id)


def _role(before: BoardMembership, role: Role) -> writes.Write:
    return writes.Update(before, set={"role": role}, when=_unchanged(before), otherwise=_changed_role(before))


def _unchanged(before: BoardMembership) -> writes.When:
    """The condition that a member still has a role; None for a role that another program has made up."""
    return BoardMembership.role == before.role if isinstance(before.role, Role) else None


def _changed_role(before: BoardMembership) -> Conflict:
    return Conflict(f"user {before.user_id} no longer has the role {before.role}")


def _drop(db: Repository, board: Board, leaving: BoardMembership, permitted: Checks = ()) -> None:
    """Delete a membership with all permissions of that user, which are found service by service."""
    services = db.all(design.ServicesOfBoardNow(board_id=board.board_id))
    permissions = (
        design.ServicePermission(
            board_id=board.board_id, service_id=service.service_id, user_id=leaving.user_id
        )
        for service in services
    )
    transact(
        db,
        writes.Check(board),
        *permitted,
        writes.Delete(leaving, when=_unchanged(leaving), otherwise=_changed_role(leaving)),
        *map(writes.Delete, permissions),
    )


@router.delete("/boards/{board_id}/members/{user_id}", status_code=204)
def remove_member(db: Db, caller: CurrentCaller, board_id: str, user_id: str) -> None:
    """Leave a board, or remove another member."""
    if user_id == caller.user_id:
        leave(db, caller, board_id)
    else:
        kick(db, caller, board_id, user_id)
