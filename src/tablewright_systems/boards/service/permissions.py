"""Permissions: who may use a service of a board; the owner grants them, to members (F13)."""

from tablewright import Repository, writes
from tablewright_systems.api_errors import Conflict, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.boards.design import (
    BoardServicePermission,
    Membership,
    ServicePermission,
    ServiceSetting,
    UsersOfService,
)
from tablewright_systems.boards.lists import listed
from tablewright_systems.boards.service.rights import board_of, managing, require_owner
from tablewright_systems.boards.service.settling import made, settle, taking_turns, unchanged
from tablewright_systems.pagination import ResultPage


@taking_turns
def grant(
    db: Repository, caller: Caller, board_id: str, service_id: str, user_id: str
) -> BoardServicePermission:
    """Permit a member to use a service."""
    board = board_of(db, board_id)
    require_owner(caller, board)
    permission = BoardServicePermission(
        board_id=board_id, service_id=service_id, user_id=user_id, granted_by=caller.user_id
    )
    setting = ServiceSetting(board_id=board_id, service_id=service_id)
    member = Membership(board_id=board_id, user_id=user_id)
    written = settle(
        db,
        unchanged(board),
        (writes.Check(setting), NotFound(f"service {service_id} on the board")),
        (writes.Check(member), Conflict(f"{user_id} is no member of the board", field="userId")),
        (writes.Create(permission), Conflict(f"{user_id} has this permission already", field="userId")),
    )
    return made(written, BoardServicePermission)


def revoke(db: Repository, caller: Caller, board_id: str, service_id: str, user_id: str) -> None:
    """Permit it no longer."""
    require_owner(caller, board_of(db, board_id))
    if not db.delete(ServicePermission(board_id=board_id, service_id=service_id, user_id=user_id)):
        raise NotFound(f"permission of {user_id}")


def revoke_all(db: Repository, board_id: str, service_id: str) -> None:
    """Take away every permission on a service that is gone, or going."""
    db.batch(map(writes.Delete, db.all(UsersOfService(board_id=board_id, service_id=service_id))))


def permission(
    db: Repository, caller: Caller, board_id: str, service_id: str, user_id: str
) -> BoardServicePermission:
    """Somebody's permission, by whom and since when; for the owner and managers, and for everybody about themselves."""
    if user_id != caller.user_id:
        managing(db, caller, board_of(db, board_id))
    found = db.run(ServicePermission(board_id=board_id, service_id=service_id, user_id=user_id))
    if found is None:
        raise NotFound(f"permission of {user_id}")
    return found


def permitted_users(
    db: Repository,
    caller: Caller,
    board_id: str,
    service_id: str,
    limit: int | None = None,
    cursor: str | None = None,
) -> ResultPage[BoardServicePermission]:
    """Who may use a service; for the owner and managers."""
    managing(db, caller, board_of(db, board_id))
    return listed(db, UsersOfService(board_id=board_id, service_id=service_id), limit, cursor)
