"""Connections: which user connected an account to which platform. The secrets are stored with the sources.

`accountId` is the tenant that owns a connection. `metadata.accountId` is the platform's own id, and no tenant.
"""

from tablewright import Query, Repository, writes
from tablewright_systems.listbackup.design.connections import (
    Connection,
    ConnectionById,
    ConnectionMetadata,
    ConnectionsOfAccount,
    ConnectionsOfAccountTo,
    ConnectionsOfUser,
    ConnectionsOfUserTo,
    ConnectionStatus,
)
from tablewright_systems.listbackup.design.vocabulary import Platform, Right
from tablewright_systems.listbackup.service import audit
from tablewright_systems.listbackup.service.access import (
    Access,
    Area,
    active_user,
    require_right,
    require_staff,
)
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.service import Caller, Conflict, Forbidden, NotFound, require_found, transact
from tablewright_systems.web import CurrentCaller, Db, Router

router = Router("Connections", "Connections to platforms.")

_IS_ACTIVE = Connection.status == ConnectionStatus.ACTIVE


def get_connection(db: Repository, connection_id: str) -> Connection:
    """Return a connection, or raise NotFound. The caller's rights are not checked."""
    connection = db.run(ConnectionById(connection_id=connection_id))
    return require_found(connection, f"connection {connection_id}")


@router.get("/connections/{connection_id}")
def read_connection(db: Db, caller: CurrentCaller, connection_id: str) -> Connection:
    """Get a connection."""
    return _find_for(db, caller, connection_id, Right.READ)[1]


def _find_for(db: Repository, caller: Caller, connection_id: str, right: Right) -> tuple[Access, Connection]:
    connection = get_connection(db, connection_id)
    try:
        require_right(db, caller, connection.account_id, Area.SOURCES, Right.READ)
    except Forbidden:
        raise NotFound(f"connection {connection_id}") from None
    return require_right(db, caller, connection.account_id, Area.SOURCES, right), connection


@router.get("/accounts/{account_id}/connections", name="of_account")
def connections_of_account(
    db: Db, caller: CurrentCaller, account_id: str, platform: Platform | None = None
) -> Query[Connection]:
    """List an account's connections, or those to one platform."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    if platform is None:
        return ConnectionsOfAccount(account_id=account_id)
    return ConnectionsOfAccountTo(account_id=account_id, platform=platform)


@router.get("/users/me/connections", name="of_user")
def connections_of_user(db: Db, caller: CurrentCaller, platform: Platform | None = None) -> Query[Connection]:
    """List the connections that the caller made, or those to one platform."""
    user_id = active_user(db, caller).user_id
    if platform is None:
        return ConnectionsOfUser(user_id=user_id)
    return ConnectionsOfUserTo(user_id=user_id, platform=platform)


@router.put("/connections/{connection_id}/metadata")
def describe_connection(
    db: Db, caller: CurrentCaller, connection_id: str, metadata: ConnectionMetadata
) -> Connection:
    """Store the platform's information about its account."""
    access, before = _find_for(db, caller, connection_id, Right.UPDATE)
    key = ConnectionById(connection_id=connection_id)
    return audit.change(db, caller, before, {"metadata": metadata}, key=key, access=access)


def record_use(db: Repository, caller: Caller, connection_id: str) -> Connection:
    """Record that an active connection was used. For workers."""
    require_staff(caller, "worker")
    return db.update(
        ConnectionById(connection_id=connection_id),
        set={"last_used_at": db.now()},
        when=_IS_ACTIVE,
        otherwise=Conflict(f"connection {connection_id} does not exist or is not active", "status"),
    )


def record_error(db: Repository, caller: Caller, connection_id: str, reason: str) -> Connection:
    """Record that a platform rejected an active connection; other statuses do not change. For workers."""
    require_staff(caller, "worker")
    before = get_connection(db, connection_id)
    after = before.changed(status=ConnectionStatus.ERROR)
    transact(
        db,
        writes.Update(
            ConnectionById(connection_id=connection_id),
            set={"status": ConnectionStatus.ERROR},
            when=_IS_ACTIVE,
            otherwise=Conflict(f"the connection is {before.status.value}", "status"),
        ),
        audit.record(
            None, before, Action.FAIL, before=before, after=after, metadata={"reason": reason[:500]}
        ),
    )
    return after
