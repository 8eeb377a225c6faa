"""Connections: by whom an account was let in to which platform. The secrets are with the sources.

Whose a connection is, is told by its own `accountId`; that in its metadata is the platform's word for something else.
"""

from tablewright import Query, Repository, writes
from tablewright_systems.api_errors import Conflict, Forbidden, NotFound
from tablewright_systems.authentication import Caller
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
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.service.access import Area, active_user, admit, require_staff
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.store_errors import refusing


def read_connection(
    db: Repository, caller: Caller, connection_id: str, right: Right = Right.READ
) -> Connection:
    """A connection of an account that the caller is let in to."""
    found = db.run(ConnectionById(connection_id=connection_id))
    if found is None:
        raise NotFound(f"connection {connection_id}")
    try:
        admit(db, caller, found.account_id, Area.SOURCES, Right.READ)
    except Forbidden:
        raise NotFound(f"connection {connection_id}") from None
    admit(db, caller, found.account_id, Area.SOURCES, right)
    return found


def connections_of_account(
    db: Repository, caller: Caller, account_id: str, platform: str | None = None
) -> Query[Connection]:
    """The pattern that finds the connections of an account, or those to one platform: there may be several."""
    admit(db, caller, account_id, Area.SOURCES, Right.READ)
    if platform is None:
        return ConnectionsOfAccount(account_id=account_id)
    return ConnectionsOfAccountTo(account_id=account_id, platform=platform)


def connections_of_user(db: Repository, caller: Caller, platform: str | None = None) -> Query[Connection]:
    """The pattern that finds the connections that the caller made, in whatever account."""
    user_id = active_user(db, caller.user_id).user_id
    if platform is None:
        return ConnectionsOfUser(user_id=user_id)
    return ConnectionsOfUserTo(user_id=user_id, platform=platform)


def describe_connection(
    db: Repository, caller: Caller, connection_id: str, metadata: ConnectionMetadata
) -> Connection:
    """Write down what the platform says of its account."""
    before = read_connection(db, caller, connection_id, Right.UPDATE)
    after = before.changed(metadata=metadata)
    db.transact(
        writes.Update(ConnectionById(connection_id=connection_id), set={"metadata": metadata}),
        _told(caller, before, Action.UPDATE, after),
    )
    return after


def note_use(db: Repository, caller: Caller, connection_id: str) -> Connection:
    """Note that a connection was used. For workers; a connection that is not active is not used."""
    require_staff(caller, "worker")
    with refusing({Connection: Conflict("there is no such connection, or it is not active", "status")}):
        return db.update(
            ConnectionById(connection_id=connection_id),
            set={"last_used_at": db.now()},
            when=Connection.status == ConnectionStatus.ACTIVE,
        )


def note_error(db: Repository, caller: Caller, connection_id: str, reason: str) -> Connection:
    """Note that a platform did not let us in. For workers; what was revoked or has expired stays so."""
    require_staff(caller, "worker")
    before = db.run(ConnectionById(connection_id=connection_id))
    if before is None:
        raise NotFound(f"connection {connection_id}")
    after = before.changed(status=ConnectionStatus.ERROR)
    with refusing({Connection: Conflict(f"the connection is {before.status.value}", "status")}):
        db.transact(
            writes.Update(
                ConnectionById(connection_id=connection_id),
                set={"status": ConnectionStatus.ERROR},
                when=Connection.status == ConnectionStatus.ACTIVE,
            ),
            _told(None, before, Action.FAIL, after, reason),
        )
    return after


def _told(
    caller: Caller | None, before: Connection, action: Action, after: Connection, reason: str | None = None
) -> writes.Write:
    return audit.record(
        caller,
        before.account_id,
        ResourceType.CONNECTION,
        before.connection_id,
        action,
        before=before,
        after=after,
        metadata={"reason": reason[:500]} if reason else None,
    )
