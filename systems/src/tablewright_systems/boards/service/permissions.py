"""Permissions to use a service of a board; the owner grants them to members (F13)."""

from tablewright import Repository, reads, writes
from tablewright_systems.boards import design
from tablewright_systems.boards.design import BoardServicePermission
from tablewright_systems.boards.service.authorization import managed_board, owned_board, retrying
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    NotFound,
    Paging,
    erase_all,
    require_found,
    transact,
)


@retrying
def grant(
    db: Repository, caller: Caller, board_id: str, service_id: str, user_id: str
) -> BoardServicePermission:
    """Give a member permission to use a service."""
    board = owned_board(db, caller, board_id)
    permission = BoardServicePermission(
        board_id=board_id, service_id=service_id, user_id=user_id, granted_by=caller.user_id
    )
    setting = design.ServiceSetting(board_id=board_id, service_id=service_id)
    member = design.Membership(board_id=board_id, user_id=user_id)
    no_member = Conflict(f"user {user_id} is not a member of the board", field="userId")
    granted = Conflict(f"user {user_id} already has this permission", field="userId")
    created, *_ = transact(
        db,
        writes.Create(permission, otherwise=granted),
        writes.Check(board),
        writes.Check(setting, otherwise=NotFound(f"service {service_id} on the board")),
        writes.Check(member, otherwise=no_member),
    )
    return created


@retrying
def revoke(db: Repository, caller: Caller, board_id: str, service_id: str, user_id: str) -> None:
    """Revoke the permission of a user for a service."""
    board = owned_board(db, caller, board_id)
    target = design.ServicePermission(board_id=board_id, service_id=service_id, user_id=user_id)
    missing = NotFound(f"permission of user {user_id}")
    transact(db, writes.Delete(target, otherwise=missing), writes.Check(board))


def revoke_all(db: Repository, board_id: str, service_id: str) -> None:
    """Revoke all permissions for a service that is deleted or being deleted."""
    erase_all(db, design.UsersOfService(board_id=board_id, service_id=service_id))


def permission(
    db: Repository, caller: Caller, board_id: str, service_id: str, user_id: str
) -> BoardServicePermission:
    """Return the permission of a user, to the owner, to managers and to the user."""
    if user_id != caller.user_id:
        managed_board(db, caller, board_id)
    found = db.run(design.ServicePermission(board_id=board_id, service_id=service_id, user_id=user_id))
    return require_found(found, f"permission of user {user_id}")


def permitted_users(
    db: Repository, caller: Caller, board_id: str, service_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[BoardServicePermission]:
    """Return the permissions for a service, to the owner and managers."""
    managed_board(db, caller, board_id)
    return paging.run(db, design.UsersOfService(board_id=board_id, service_id=service_id))
