"""Permissions to use a service of a board; the owner grants them to members (F13)."""

from tablewright import Repository, reads, writes
from tablewright_systems.boards import design
from tablewright_systems.boards.design import BoardServicePermission
from tablewright_systems.boards.service.authorization import managed_board, owned_board, retrying
from tablewright_systems.boards.service.members import UserId
from tablewright_systems.service import (
    FIRST_PAGE,
    Conflict,
    NotFound,
    erase_all,
    require_found,
    transact,
)
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, problems

router = Router("Permissions", "Who may use a service.")


@router.post(
    "/boards/{board_id}/services/{service_id}/permissions",
    status_code=201,
    name="grant_permission",
)
@retrying
def grant(
    db: Db,
    caller: CurrentCaller,
    board_id: str,
    service_id: str,
    user_id: UserId,
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


@router.delete(
    "/boards/{board_id}/services/{service_id}/permissions/{user_id}",
    status_code=204,
    name="revoke_permission",
)
@retrying
def revoke(db: Db, caller: CurrentCaller, board_id: str, service_id: str, user_id: str) -> None:
    """Revoke the permission of a user for a service."""
    board = owned_board(db, caller, board_id)
    target = design.ServicePermission(board_id=board_id, service_id=service_id, user_id=user_id)
    missing = NotFound(f"permission of user {user_id}")
    transact(db, writes.Delete(target, otherwise=missing), writes.Check(board))


def revoke_all(db: Repository, board_id: str, service_id: str) -> None:
    """Revoke all permissions for a service that is deleted or being deleted."""
    erase_all(db, design.UsersOfService(board_id=board_id, service_id=service_id))


@router.get(
    "/boards/{board_id}/services/{service_id}/permissions/{user_id}",
    responses=problems(403, 404),
    name="get_permission",
)
def permission(
    db: Db, caller: CurrentCaller, board_id: str, service_id: str, user_id: str
) -> BoardServicePermission:
    """Get the permission of a user for a service."""
    if user_id != caller.user_id:
        managed_board(db, caller, board_id)
    stored = db.run(design.ServicePermission(board_id=board_id, service_id=service_id, user_id=user_id))
    return require_found(stored, f"permission of user {user_id}")


@router.get(
    "/boards/{board_id}/services/{service_id}/permissions",
    responses=problems(403, 404),
    name="list_permissions",
)
def permitted_users(
    db: Db, caller: CurrentCaller, board_id: str, service_id: str, paging: PageRequest = FIRST_PAGE
) -> reads.Page[BoardServicePermission]:
    """List the users with permission to use a service."""
    managed_board(db, caller, board_id)
    return paging.run(db, design.UsersOfService(board_id=board_id, service_id=service_id))
