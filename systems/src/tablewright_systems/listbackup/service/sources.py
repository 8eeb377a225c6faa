"""Sources with an API key or a webhook: creating, pausing, deleting. See `oauth` for others, `syncs` for their jobs.

The secret of an API key or a webhook is stored encrypted in the source and nowhere else; its connection refers to it.
A source has a time for its next backup exactly while it is active, unless it is backed up in real time.
"""

from collections.abc import Iterable
from typing import Annotated, Any
from uuid import uuid4

from pydantic import Field

from tablewright import Query, Repository, writes
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
from tablewright_systems.listbackup.design.vocabulary import (
    ConnectionType,
    Name,
    Platform,
    ResourceType,
    Right,
)
from tablewright_systems.listbackup.platforms.platforms import APIS
from tablewright_systems.listbackup.service import audit, limits, tags
from tablewright_systems.listbackup.service.access import Access, Area, get_account, require_right
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.options import require_filters
from tablewright_systems.listbackup.service.syncs import first_sync
from tablewright_systems.service import (
    Caller,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    busy,
    require_found,
    require_version,
    transact,
)
from tablewright_systems.web import CurrentCaller, Db, ExpectedVersion, Router

router = Router("Sources", "Sources of an account, and when they are synchronised.")


@router.post("/accounts/{account_id}/sources", status_code=201)
def create_source(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    *,
    source_name: Name,
    platform: Platform,
    connection_type: Annotated[ConnectionType, Field(examples=["apikey"])],
    credentials: Credentials,
    config: SourceConfig | None = None,
    metadata: SourceMetadata | None = None,
    platform_account: ConnectionMetadata | None = None,
) -> Source:
    """Create a source with an API key. A source with OAuth is created by the OAuth flow."""
    access = require_right(db, caller, account_id, Area.SOURCES, Right.CREATE)
    config = config or SourceConfig()
    if connection_type is ConnectionType.OAUTH:
        raise Invalid("a source with OAuth is created by the OAuth flow, not with a key", "connectionType")
    if connection_type is ConnectionType.WEBHOOK:
        raise Invalid("webhooks report changes only; send an API key, then configure them", "connectionType")
    _require_supported(platform, config)
    about = platform_account or ConnectionMetadata()
    if APIS[platform].needs_account and not about.account_id:
        raise Invalid(f"{platform} needs the id of the connected location", "platformAccount.accountId")
    source = Source(
        account_id=account_id,
        source_name=source_name,
        platform=platform,
        connection_type=connection_type,
        connection_id=str(uuid4()),
        credentials=credentials,
        config=config,
        next_sync_at=first_sync(config.sync_interval, None, db.now()),
        metadata=metadata or SourceMetadata(),
        created_by=caller.user_id,
    )
    connection = Connection(
        connection_id=source.connection_id or "",
        account_id=account_id,
        user_id=caller.user_id,
        platform=platform,
        connection_type=connection_type,
        credentials=CredentialsReference(source_id=source.source_id),
        metadata=about,
    )
    created, *_ = transact(
        db,
        writes.Create(source),
        writes.Create(connection),
        limits.use(access.account, sources=1),
        audit.record(caller, source, Action.CREATE, after=source),
        *access.grounds,
    )
    return created


@router.get("/accounts/{account_id}/sources/{source_id}")
def read_source(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> Source:
    """Get a source of an account."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    return get_source(db, account_id, source_id)


@router.get("/sources/{source_id}")
def source_by_id(db: Db, caller: CurrentCaller, source_id: str) -> Source:
    """Get a source by its id alone. A source created just now may not be found yet."""
    source = require_found(db.run(SourceById(source_id=source_id)), f"source {source_id}")
    try:
        return read_source(db, caller, source.account_id, source_id)
    except Forbidden:
        raise NotFound(f"source {source_id}") from None


@router.get("/accounts/{account_id}/sources", name="read_sources")
def sources_of_account(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    *,
    platform: Platform | None = None,
    status: SourceStatus | None = None,
) -> Query[Source]:
    """List the sources of an account: all, by platform, or by status."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    if platform is not None and status is not None:
        raise Invalid("sources are listed by platform or by status, not by both", "status")
    if platform is not None:
        return SourcesByPlatform(account_id=account_id, platform=platform)
    if status is not None:
        return SourcesByStatus(account_id=account_id, status=status)
    return SourcesOfAccount(account_id=account_id)


@router.patch("/accounts/{account_id}/sources/{source_id}")
@writes.retrying(otherwise=busy)
def change_source(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    source_id: str,
    *,
    source_name: Name | None = None,
    config: SourceConfig | None = None,
    metadata: SourceMetadata | None = None,
    version: ExpectedVersion = None,
) -> Source:
    """Change what is backed up, and how often."""
    access, before = _get_for_update(db, caller, account_id, source_id)
    require_version(before, version)
    values = audit.present(source_name=source_name, config=config, metadata=metadata)
    if config is not None:
        _require_supported(before.platform, config)
        if config.sync_interval is not before.config.sync_interval:
            values["next_sync_at"] = _schedule(db, before.changed(config=config))
    return audit.change(db, caller, before, values, key=_key(before), access=access)


@router.put("/accounts/{account_id}/sources/{source_id}/credentials")
@writes.retrying(otherwise=busy)
def replace_credentials(
    db: Db, caller: CurrentCaller, account_id: str, source_id: str, credentials: Credentials
) -> Source:
    """Replace the credentials of a source."""
    # A source stopped by a rejected key becomes active again, unless it was paused.
    access, before = _get_for_update(db, caller, account_id, source_id)
    if before.connection_type is ConnectionType.OAUTH:
        raise Conflict("the source is connected by OAuth; reconnect it instead", "credentials")
    is_paused = before.status is SourceStatus.PAUSED
    values = {"credentials": credentials, **({} if is_paused else _active(db, before))}
    connected = _set_connection_status(before, ConnectionStatus.ACTIVE)
    return audit.change(
        db, caller, before, values, *connected, key=_key(before), access=access, action=Action.CONNECT
    )


@router.post("/accounts/{account_id}/sources/{source_id}/pause")
@writes.retrying(otherwise=busy)
def pause_source(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> Source:
    """Pause the backups of a source."""
    access, before = _get_connected(db, caller, account_id, source_id)
    if before.status is SourceStatus.PAUSED:
        return before
    paused = {"status": SourceStatus.PAUSED, "next_sync_at": None}
    return audit.change(db, caller, before, paused, key=_key(before), access=access)


@router.delete("/accounts/{account_id}/sources/{source_id}/pause")
@writes.retrying(otherwise=busy)
def resume_source(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> Source:
    """Resume the backups of a source that was paused or stopped by an error."""
    access, before = _get_connected(db, caller, account_id, source_id)
    if before.status is SourceStatus.ACTIVE:
        return before
    connected = _set_connection_status(before, ConnectionStatus.ACTIVE)
    return audit.change(db, caller, before, _active(db, before), *connected, key=_key(before), access=access)


@router.delete("/accounts/{account_id}/sources/{source_id}", status_code=204)
def delete_source(
    db: Db, caller: CurrentCaller, account_id: str, source_id: str, version: ExpectedVersion = None
) -> None:
    """Delete a source with all its secrets."""
    # Its jobs are kept as history; a waiting job is cancelled when a worker would take it. Call it again after an
    # interruption: it detaches the remaining tags. With a version, only that version is deleted.

    @writes.retrying(otherwise=busy)
    def delete() -> bool:
        access = require_right(db, caller, account_id, Area.SOURCES, Right.DELETE)
        source = db.run(SourceOfAccount(account_id=account_id, source_id=source_id))
        if source is None:
            return False
        require_version(source, version)
        transact(
            db,
            writes.Delete(source),
            writes.Delete(OAuthTokenOf(source_id=source_id)),
            *_set_connection_status(source, ConnectionStatus.REVOKED),
            limits.use(get_account(db, account_id), sources=-1),
            audit.record(caller, source, Action.DELETE, before=source),
            *access.grounds,
        )
        return True

    existed = delete()
    tags.detach_all(db, account_id, ResourceType.SOURCE, source_id)
    if not existed:
        raise NotFound(f"source {source_id}")


def get_source(db: Repository, account_id: str, source_id: str) -> Source:
    """Return a source of an account, or raise NotFound. The caller's rights are not checked."""
    source = db.run(SourceOfAccount(account_id=account_id, source_id=source_id))
    return require_found(source, f"source {source_id}")


def require_data_types(platform: str, data_types: Iterable[str], field: str = "config.dataTypes") -> None:
    """Require data types that a supported platform has."""
    known = APIS[platform].data_types
    if unknown := sorted(set(data_types) - set(known)):
        raise Invalid(f"{platform} has no {', '.join(unknown)}; it has {', '.join(known)}", field)


def _require_supported(platform: str, config: SourceConfig) -> None:
    """Require a platform that can be read, data types that it has, and filters that records can match."""
    if platform not in APIS:
        raise Invalid(f"platform {platform!r} is not supported; supported are {', '.join(APIS)}", "platform")
    require_data_types(platform, config.data_types)
    require_filters(config.filters)


def _get_connected(db: Repository, caller: Caller, account_id: str, source_id: str) -> tuple[Access, Source]:
    access, source = _get_for_update(db, caller, account_id, source_id)
    if source.status is SourceStatus.DISCONNECTED:
        raise Conflict("the source is disconnected; reconnect it first", "status")
    return access, source


def _get_for_update(db: Repository, caller: Caller, account_id: str, source_id: str) -> tuple[Access, Source]:
    access = require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    return access, get_source(db, account_id, source_id)


def _schedule(db: Repository, source: Source) -> Any:
    """Return the time of the next backup, or None while the source is not active."""
    if source.status is not SourceStatus.ACTIVE:
        return None
    return first_sync(source.config.sync_interval, source.last_sync_at, db.now())


def _active(db: Repository, source: Source) -> dict[str, Any]:
    """Return the values that make a source active again."""
    active = source.changed(status=SourceStatus.ACTIVE)
    return {"status": SourceStatus.ACTIVE, "next_sync_at": _schedule(db, active)}


def _set_connection_status(source: Source, status: ConnectionStatus) -> list[writes.Write]:
    if source.connection_id is None:
        return []
    return [writes.Update(ConnectionById(connection_id=source.connection_id), set={"status": status})]


def _key(source: Source) -> SourceOfAccount:
    return SourceOfAccount(account_id=source.account_id, source_id=source.source_id)
