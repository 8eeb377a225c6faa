"""Sources: connecting them by a key, pausing, resuming, deleting. OAuth connects its own (`oauth`), `syncs` runs them.

The secret of an API key or a webhook lies sealed in the source and nowhere else; the connection says that it is there.
A source has a date for its next backup exactly while it is active, unless it is backed up in real time.
"""

from typing import Any
from uuid import uuid4

from tablewright import Query, Repository, writes
from tablewright_systems.api_errors import Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.connections import (
    Connection,
    ConnectionById,
    ConnectionMetadata,
    ConnectionStatus,
    CredentialsReference,
)
from tablewright_systems.listbackup.design.oauth import OAuthTokenOf
from tablewright_systems.listbackup.design.sources import (
    Credentials,
    Source,
    SourceById,
    SourceConfig,
    SourceMetadata,
    SourceOfAccount,
    SourcesByPlatform,
    SourcesByStatus,
    SourcesOfAccount,
    SourceStatus,
)
from tablewright_systems.listbackup.design.vocabulary import ConnectionType, ResourceType, Right
from tablewright_systems.listbackup.service.access import Area, admit, found_account
from tablewright_systems.listbackup.service.accounts import limits
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.retries import settled
from tablewright_systems.listbackup.service.sources.syncs import first_sync
from tablewright_systems.listbackup.service.store_errors import refusing
from tablewright_systems.listbackup.service.tags import tags


def create_source(
    db: Repository,
    caller: Caller,
    account_id: str,
    *,
    source_name: str,
    platform: str,
    connection_type: ConnectionType,
    credentials: Credentials,
    config: SourceConfig | None = None,
    metadata: SourceMetadata | None = None,
    platform_account: ConnectionMetadata | None = None,
) -> Source:
    """A source that is let in by an API key or a webhook's secret, with its connection, within the account's limit."""
    access = admit(db, caller, account_id, Area.SOURCES, Right.CREATE)
    if connection_type is ConnectionType.OAUTH:
        raise Invalid("a source by OAuth begins at the platform", "connectionType")
    config = config or SourceConfig()
    connection_id = str(uuid4())
    source = Source(
        account_id=account_id,
        source_name=source_name,
        platform=platform,
        connection_type=connection_type,
        connection_id=connection_id,
        credentials=credentials,
        config=config,
        next_sync_at=first_sync(config.sync_interval, None, db.now()),
        metadata=metadata or SourceMetadata(),
        created_by=caller.user_id,
    )
    connection = Connection(
        connection_id=connection_id,
        account_id=account_id,
        user_id=caller.user_id,
        platform=platform,
        connection_type=connection_type,
        credentials=CredentialsReference(source_id=source.source_id),
        metadata=platform_account or ConnectionMetadata(),
    )
    with refusing(limits.refusal(db, account_id, "sources")):
        db.transact(
            writes.Create(source),
            writes.Create(connection),
            limits.use(access.account, sources=1),
            _told(caller, source, Action.CREATE, after=source),
        )
    return found_source(db, account_id, source.source_id)


def read_source(db: Repository, caller: Caller, account_id: str, source_id: str) -> Source:
    """A source of an account."""
    admit(db, caller, account_id, Area.SOURCES, Right.READ)
    return found_source(db, account_id, source_id)


def source_by_id(db: Repository, caller: Caller, source_id: str) -> Source:
    """A source whose account the caller need not know, but be let in to. The index finds it, the table tells of it."""
    found = db.run(SourceById(source_id=source_id))
    if found is None:
        raise NotFound(f"source {source_id}")
    try:
        return read_source(db, caller, found.account_id, source_id)
    except Forbidden:
        raise NotFound(f"source {source_id}") from None


def sources_of_account(
    db: Repository,
    caller: Caller,
    account_id: str,
    *,
    platform: str | None = None,
    status: SourceStatus | None = None,
) -> Query[Source]:
    """The pattern that finds the sources of an account: all, those of a platform, or those of a status."""
    admit(db, caller, account_id, Area.SOURCES, Right.READ)
    if platform is not None and status is not None:
        raise Invalid("sources are listed by platform or by status", "status")
    if platform is not None:
        return SourcesByPlatform(account_id=account_id, platform=platform)
    if status is not None:
        return SourcesByStatus(account_id=account_id, status=status)
    return SourcesOfAccount(account_id=account_id)


def change_source(
    db: Repository,
    caller: Caller,
    account_id: str,
    source_id: str,
    *,
    source_name: str | None = None,
    config: SourceConfig | None = None,
    metadata: SourceMetadata | None = None,
    version: int | None = None,
) -> Source:
    """Change what a source is called, or what is backed up and how often; on that version only, if one is given."""

    def change() -> Source:
        before = _changeable(db, caller, account_id, source_id)
        if version is not None and version != before.version:
            raise Conflict(f"the source is at version {before.version}; look at it again", "version")
        given = {"source_name": source_name, "config": config, "metadata": metadata}
        values: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if config is not None and config.sync_interval is not before.config.sync_interval:
            values["next_sync_at"] = _schedule(db, before.changed(config=config))
        return _change(db, caller, before, values) if values else before

    return settled(change)


def replace_credentials(
    db: Repository, caller: Caller, account_id: str, source_id: str, credentials: Credentials
) -> Source:
    """Give a source another key; one that had stopped for want of a good key goes on, unless it was paused."""

    def replace() -> Source:
        before = _changeable(db, caller, account_id, source_id)
        if before.connection_type is ConnectionType.OAUTH:
            raise Conflict("the source is connected by OAuth", "credentials")
        is_paused = before.status is SourceStatus.PAUSED
        values = {"credentials": credentials, **({} if is_paused else _active(db, before))}
        connected = _connection_becomes(before, ConnectionStatus.ACTIVE)
        return _change(db, caller, before, values, *connected, action=Action.CONNECT)

    return settled(replace)


def pause_source(db: Repository, caller: Caller, account_id: str, source_id: str) -> Source:
    """Back a source up no more, for now."""

    def pause() -> Source:
        before = _changeable(db, caller, account_id, source_id)
        if before.status is SourceStatus.PAUSED:
            return before
        if before.status is SourceStatus.DISCONNECTED:
            raise Conflict("the source is disconnected", "status")
        return _change(db, caller, before, {"status": SourceStatus.PAUSED, "next_sync_at": None})

    return settled(pause)


def resume_source(db: Repository, caller: Caller, account_id: str, source_id: str) -> Source:
    """Back a source up again that was paused, or had stopped by an error."""

    def resume() -> Source:
        before = _changeable(db, caller, account_id, source_id)
        if before.status is SourceStatus.ACTIVE:
            return before
        if before.status is SourceStatus.DISCONNECTED:
            raise Conflict("the source is disconnected; connect it anew", "status")
        return _change(db, caller, before, _active(db, before))

    return settled(resume)


def delete_source(db: Repository, caller: Caller, account_id: str, source_id: str) -> None:
    """Delete a source with its secrets, revoke its connection, and take its tags off.

    Its jobs stay, as history; one that waits is cancelled when its turn comes. Called again after an interruption, it
    takes off what tags are left.
    """

    def delete() -> bool:
        admit(db, caller, account_id, Area.SOURCES, Right.DELETE)
        source = db.run(SourceOfAccount(account_id=account_id, source_id=source_id))
        if source is None:
            return False
        db.transact(
            writes.Delete(source),
            writes.Delete(OAuthTokenOf(source_id=source_id)),
            *_connection_becomes(source, ConnectionStatus.REVOKED),
            limits.use(found_account(db, account_id), sources=-1),
            _told(caller, source, Action.DELETE, before=source),
        )
        return True

    was_there = settled(delete)
    tags.detach_all(db, account_id, ResourceType.SOURCE, source_id)
    if not was_there:
        raise NotFound(f"source {source_id}")


def found_source(db: Repository, account_id: str, source_id: str) -> Source:
    """A source of an account, for who was let in."""
    source = db.run(SourceOfAccount(account_id=account_id, source_id=source_id))
    if source is None:
        raise NotFound(f"source {source_id}")
    return source


def _changeable(db: Repository, caller: Caller, account_id: str, source_id: str) -> Source:
    admit(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    return found_source(db, account_id, source_id)


def _schedule(db: Repository, source: Source) -> Any:
    """When a source is next backed up, by its own interval; never while it is not active."""
    if source.status is not SourceStatus.ACTIVE:
        return None
    return first_sync(source.config.sync_interval, source.last_sync_at, db.now())


def _active(db: Repository, source: Source) -> dict[str, Any]:
    """What makes a source active again."""
    active = source.changed(status=SourceStatus.ACTIVE)
    return {"status": SourceStatus.ACTIVE, "next_sync_at": _schedule(db, active)}


def _connection_becomes(source: Source, status: ConnectionStatus) -> list[writes.Write]:
    if source.connection_id is None:
        return []
    return [writes.Update(ConnectionById(connection_id=source.connection_id), set={"status": status})]


def _change(
    db: Repository,
    caller: Caller,
    before: Source,
    values: dict[str, Any],
    *more: writes.Write,
    action: Action = Action.UPDATE,
) -> Source:
    told = _told(caller, before, action, before=before, after=before.changed(**values))
    db.transact(writes.Update(before, set=values), *more, told)
    return found_source(db, before.account_id, before.source_id)


def _told(
    caller: Caller,
    source: Source,
    action: Action,
    *,
    before: Source | None = None,
    after: Source | None = None,
) -> writes.Write:
    return audit.record(
        caller,
        source.account_id,
        ResourceType.SOURCE,
        source.source_id,
        action,
        before=before,
        after=after,
    )
