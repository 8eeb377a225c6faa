"""Permissions to use a service of a board; the owner grants them to members (F13)."""

from tablewright import Repository, reads, writes
from tablewright_systems.boards.design import (
    BoardServicePermission,
    Membership,
    ServicePermission,
    ServiceSetting,
    UsersOfService,
)
from tablewright_systems.boards.index_fallback import read_page
from tablewright_systems.boards.service.authorization import board_of, require_manager, require_owner
from tablewright_systems.boards.service.transactions import (
    board_unchanged,
    first_written,
    retry_on_version_conflict,
    transact,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging


@retry_on_version_conflict
def grant(
    db: Repository, caller: Caller, board_id: str, service_id: str, user_id: str
) -> BoardServicePermission:
    """Give a member permission to use a service."""
    board = board_of(db, board_id)
    require_owner(caller, board)
    permission = BoardServicePermission(
        board_id=board_id, service_id=service_id, user_id=user_id, granted_by=caller.user_id
    )
    setting = ServiceSetting(board_id=board_id, service_id=service_id)
    member = Membership(board_id=board_id, user_id=user_id)
    written = transact(
        db,
        board_unchanged(board),
        writes.Check(setting, otherwise=NotFound(f"service {service_id} on the board")),
        writes.Check(
            member, otherwise=Conflict(f"user {user_id} is not a member of the board", field="userId")
        ),
        writes.Create(
            permission, otherwise=Conflict(f"user {user_id} already has this permission", field="userId")
        ),
    )
    return first_written(written, BoardServicePermission)


def revoke(db: Repository, caller: Caller, board_id: str, service_id: str, user_id: str) -> None:
    """Revoke the permission of a user for a service."""
    require_owner(caller, board_of(db, board_id))
    if not db.delete(ServicePermission(board_id=board_id, service_id=service_id, user_id=user_id)):
        raise NotFound(f"permission of user {user_id}")


def revoke_all(db: Repository, board_id: str, service_id: str) -> None:
    """Revoke all permissions for a service that is deleted or being deleted."""
    db.batch(map(writes.Delete, db.all(UsersOfService(board_id=board_id, service_id=service_id))))


def permission(
    db: Repository, caller: Caller, board_id: str, service_id: str, user_id: str
) -> BoardServicePermission:
    """Return the permission of a user, to the owner, to managers and to the user."""
    if user_id != caller.user_id:
        require_manager(db, caller, board_of(db, board_id))
    found = db.run(ServicePermission(board_id=board_id, service_id=service_id, user_id=user_id))
    if found is None:
        raise NotFound(f"permission of user {user_id}")
    return found


def permitted_users(
    db: Repository, caller: Caller, board_id: str, service_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[BoardServicePermission]:
    """Return the permissions for a service, to the owner and managers."""
    require_manager(db, caller, board_of(db, board_id))
    return read_page(db, UsersOfService(board_id=board_id, service_id=service_id), paging)
