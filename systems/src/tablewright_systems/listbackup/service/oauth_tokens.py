"""OAuth tokens of platforms: renewing them, activating those of a new connection, deleting them.

Renewing tokens invalidates the old refresh token, so only one worker may do it at a time: the item holds a short lease.
The new tokens are written only if the item still has the version that the lease created.
"""

import logging
from datetime import datetime, timedelta
from typing import Any

from tablewright import Query, Repository, errors, reads, writes
from tablewright_systems.listbackup.design.connections import EXPIRY_SHARDS as CONNECTION_SHARDS
from tablewright_systems.listbackup.design.connections import (
    Connection,
    ConnectionById,
    ConnectionsExpiring,
    ConnectionStatus,
)
from tablewright_systems.listbackup.design.oauth import (
    EXPIRY_SHARDS,
    OAuthToken,
    OAuthTokenOf,
    OAuthTokensExpiring,
    OAuthTokensOfAccount,
    OAuthTokensOfAccountFor,
    Tokens,
)
from tablewright_systems.listbackup.design.sources import Source, SourceOfAccount, SourceStatus
from tablewright_systems.listbackup.design.vocabulary import Platform, Right
from tablewright_systems.listbackup.platforms.oauth_client import Grant, OAuthClient
from tablewright_systems.listbackup.platforms.platforms import Platforms
from tablewright_systems.listbackup.platforms.protocol import (
    CredentialsRejected,
    PlatformUnavailable,
    RateLimited,
)
from tablewright_systems.listbackup.service import alerts, audit
from tablewright_systems.listbackup.service.access import Area, active_account, require_right, require_staff
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.syncs import first_sync
from tablewright_systems.service import (
    ApiError,
    Caller,
    Conflict,
    Lease,
    NotFound,
    Unavailable,
    require_found,
    transact,
)
from tablewright_systems.web import CurrentCaller, Db, Router

log = logging.getLogger(__name__)

router = Router("OAuth")

LEASE = Lease(timedelta(minutes=1), id_field="refresh_id", until_field="refreshing_until")
RENEW_AHEAD = timedelta(hours=1)
"""How long before their end tokens are renewed by the background job."""

_NO_CANDIDATE = {"candidate": None, "candidate_connection_id": None}


def refresh(db: Repository, caller: Caller, platforms: Platforms, source_id: str) -> OAuthToken:
    """Renew the tokens of a source. For the platform's workers."""
    require_staff(caller, "worker")
    try:
        return renew(db, platforms, source_id)
    except CredentialsRejected as error:
        raise Conflict(str(error)) from None
    except (PlatformUnavailable, RateLimited) as error:
        raise Unavailable(str(error)) from None


def renew(db: Repository, platforms: Platforms, source_id: str) -> OAuthToken:
    """Renew the tokens of a source, one worker at a time, or raise the platform's error. Rights are not checked.

    If the platform rejects the refresh token, the source stops until a user reconnects it.
    """
    before = get_token(db, source_id)
    active_account(db, before.account_id)
    client = platforms.oauth(before.platform)
    if client is None:
        raise PlatformUnavailable(f"this server has no application at {before.platform}")
    stored = LEASE.take(db, before)
    if stored is None:
        raise Conflict("another worker is renewing these tokens; try again later")
    try:
        grant = client.refresh(stored.tokens.refresh_token or "", db.now())
    except CredentialsRejected:
        _expire(db, stored)
        raise CredentialsRejected("the platform rejected the refresh token; reconnect the source") from None
    except (PlatformUnavailable, RateLimited):
        LEASE.end(db, stored)
        raise
    return _store_tokens(db, stored, grant.tokens, {"last_refreshed_at": db.now()})


def renew_expiring(
    db: Repository, caller: Caller, platforms: Platforms, *, ahead: timedelta = RENEW_AHEAD
) -> int:
    """Renew the tokens of each connection that expires soon; return how many were renewed. For workers.

    A connection without tokens to renew expires: its source, or the key of its account, was deleted.
    """
    renewed = 0
    for connection in db.iterate(connections_expiring(caller, db.now() + ahead), unknown="skip"):
        reference = connection.credentials
        try:
            if reference is None:
                raise NotFound(f"tokens of connection {connection.connection_id}")
            refresh(db, caller, platforms, reference.source_id)
            renewed += 1
        except (NotFound, errors.SecretError):
            target = ConnectionById(connection_id=connection.connection_id)
            db.update(target, set={"status": ConnectionStatus.EXPIRED})
        except (ApiError, errors.TablewrightError) as error:
            # Another worker renews it, its account is suspended, or its platform is unavailable.
            log.info("connection %s was not renewed: %s", connection.connection_id, error)
    return renewed


def activate_candidate(db: Repository, client: OAuthClient, source_id: str) -> bool:
    """Activate the tokens of a new connection if the platform accepts them; return whether it does."""
    stored = get_token(db, source_id)
    if stored.candidate is None:
        return True
    if not client.accepts(Grant(stored.candidate, _candidate_account(db, stored))):
        db.update(stored, set=_NO_CANDIDATE)
        return False
    _promote(db, stored, stored.candidate)
    return True


def _candidate_account(db: Repository, stored: OAuthToken) -> str | None:
    """Return the platform's id of the account of a new connection."""
    connection = db.run(ConnectionById(connection_id=stored.candidate_connection_id or ""))
    return connection.metadata.account_id if connection is not None else None


@router.delete("/accounts/{account_id}/sources/{source_id}/credentials", status_code=204)
def disconnect(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> None:
    """Delete the tokens or the key of a source."""
    # Its backups stay, and no new ones are made.
    access = require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    stored_source = db.run(SourceOfAccount(account_id=account_id, source_id=source_id))
    source = require_found(stored_source, f"source {source_id}")
    actions: list[writes.Write] = [
        writes.Update(source, set={**_stopped(SourceStatus.DISCONNECTED), "credentials": None}),
        audit.record(caller, source, Action.DISCONNECT),
        *access.grounds,
    ]
    stored = db.run(OAuthTokenOf(source_id=source_id))
    if stored is not None:
        actions.append(writes.Delete(OAuthTokenOf(source_id=source_id), when=_belongs_to(account_id)))
    if source.connection_id is not None:
        target = ConnectionById(connection_id=source.connection_id)
        actions.append(writes.Update(target, set={"status": ConnectionStatus.REVOKED}))
    transact(db, *actions)


@router.get("/accounts/{account_id}/oauth-tokens")
def tokens_of_account(
    db: Db, caller: CurrentCaller, account_id: str, platform: Platform | None = None
) -> Query[OAuthToken]:
    """List an account's tokens, or those for one platform, without the token values."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    if platform is None:
        return OAuthTokensOfAccount(account_id=account_id)
    return OAuthTokensOfAccountFor(account_id=account_id, platform=platform)


def get_token(db: Repository, source_id: str) -> OAuthToken:
    """Return the tokens of a source, or raise NotFound."""
    return require_found(db.run(OAuthTokenOf(source_id=source_id)), f"tokens of source {source_id}")


def tokens_expiring(caller: Caller, before: datetime) -> reads.Merged[OAuthToken]:
    """Return the read of all tokens that expire before a time, the earliest first. For workers.

    Tokens of an account whose keys were deleted are unknown items: one closed account does not keep workers from the
    others.
    """
    require_staff(caller, "worker")
    shards = [OAuthTokensExpiring(shard=shard, before=before) for shard in range(EXPIRY_SHARDS)]
    return reads.Merged(shards)


def connections_expiring(caller: Caller, before: datetime) -> reads.Merged[Connection]:
    """Return the read of all active connections that expire before a time, the earliest first. For workers."""
    require_staff(caller, "worker")
    shards = [ConnectionsExpiring(shard=shard, before=before) for shard in range(CONNECTION_SHARDS)]
    return reads.Merged(shards)


def _belongs_to(account_id: str) -> Any:
    """The condition that a token belongs to an account: its key is the source alone, so each write checks it."""
    return OAuthToken.account_id == account_id


def _store_tokens(db: Repository, stored: OAuthToken, tokens: Tokens, more: dict[str, Any]) -> OAuthToken:
    """Replace the tokens that were read, and update the connection."""
    values = {"tokens": tokens, "expires_at": tokens.expires_at, **LEASE.ended(), **more}
    changed = Conflict("the tokens were changed by another request; try again")
    actions: list[writes.Write] = [
        writes.Update(stored, set=values, when=_belongs_to(stored.account_id), otherwise=changed)
    ]
    source = db.run(SourceOfAccount(account_id=stored.account_id, source_id=stored.source_id))
    if source is not None and source.connection_id is not None:
        renewed = {"status": ConnectionStatus.ACTIVE, "expires_at": tokens.expires_at}
        actions.append(writes.Update(ConnectionById(connection_id=source.connection_id), set=renewed))
    transact(db, *actions)
    return get_token(db, stored.source_id)


def _promote(db: Repository, stored: OAuthToken, tokens: Tokens) -> None:
    """Replace the tokens and the connection by the new ones."""
    source = db.run(SourceOfAccount(account_id=stored.account_id, source_id=stored.source_id))
    if source is None or stored.candidate_connection_id is None:
        raise NotFound(f"source {stored.source_id}")
    changed = Conflict("the source or its tokens were changed by another request; try again")
    values = {"tokens": tokens, "expires_at": tokens.expires_at, **_NO_CANDIDATE}
    new = ConnectionById(connection_id=stored.candidate_connection_id)
    actions: list[writes.Write] = [
        writes.Update(stored, set=values, when=_belongs_to(stored.account_id), otherwise=changed),
        writes.Update(
            source, set=reconnected(source, stored.candidate_connection_id, db.now()), otherwise=changed
        ),
        writes.Update(new, set={"status": ConnectionStatus.ACTIVE}),
    ]
    if source.connection_id is not None:
        old = ConnectionById(connection_id=source.connection_id)
        actions.append(writes.Update(old, set={"status": ConnectionStatus.REVOKED}))
    transact(db, *actions)


def reconnected(source: Source, connection_id: str, now: datetime) -> dict[str, Any]:
    """Return the values of a source that is connected again."""
    due = first_sync(source.config.sync_interval, source.last_sync_at, now)
    return {"connection_id": connection_id, "status": SourceStatus.ACTIVE, "next_sync_at": due}


def _expire(db: Repository, stored: OAuthToken) -> None:
    """Stop the source and mark its connection as expired, because the platform rejected the refresh token."""
    source = db.run(SourceOfAccount(account_id=stored.account_id, source_id=stored.source_id))
    actions: list[writes.Write] = [writes.Update(stored, set=LEASE.ended())]
    if source is not None:
        reason = "the platform does not accept its tokens any more; reconnect it"
        actions += [
            writes.Update(source, set=_stopped(SourceStatus.ERROR)),
            *alerts.source_failed(source.account_id, source.source_id, source.source_name, reason),
        ]
        if source.connection_id is not None:
            expired = {"status": ConnectionStatus.EXPIRED}
            actions.append(writes.Update(ConnectionById(connection_id=source.connection_id), set=expired))
    activity = audit.record(None, stored, Action.FAIL)
    transact(db, *actions, activity)


def _stopped(status: SourceStatus) -> dict[str, Any]:
    return {"status": status, "next_sync_at": None}
