"""The tokens that platforms gave: renewing them, taking a new connection's into use, giving them back.

Asking for new tokens spends the old refresh token, so that only one may ask at a time: a short lease in the row says
who. What comes back is written on the version that the lease made, or not at all.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from tablewright import Query, Repository, writes
from tablewright_systems.api_errors import Conflict, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.connections import (
    EXPIRY_SHARDS as CONNECTION_SHARDS,
)
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
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.service.access import Area, active_account, admit, require_staff
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.sources.platforms import Platform, Refused
from tablewright_systems.listbackup.service.sources.syncs import first_sync
from tablewright_systems.listbackup.service.store_errors import refusing

LEASE = timedelta(minutes=1)

_NO_CANDIDATE = {"candidate": None, "candidate_connection_id": None}


def refresh(db: Repository, caller: Caller, platform: Platform, source_id: str) -> OAuthToken:
    """Renew the tokens of a source. For the platform's workers."""
    require_staff(caller, "worker")
    active_account(db, found_token(db, source_id).account_id)
    held = _lease(db, source_id)
    try:
        tokens = platform.refresh(held.tokens.refresh_token or "", db.now())
    except Refused:
        _expire(db, held)
        raise Conflict("the platform lets us in no longer; connect anew") from None
    return _store(db, held, tokens, {"last_refreshed_at": db.now()})


def confirm_candidate(db: Repository, platform: Platform, source_id: str) -> bool:
    """Take the tokens of a new connection into use, if they work; whether they do."""
    held = found_token(db, source_id)
    if held.candidate is None:
        return True
    if not platform.accepts(held.candidate):
        db.update(held, set=_NO_CANDIDATE)
        return False
    _promote(db, held, held.candidate)
    return True


def disconnect(db: Repository, caller: Caller, account_id: str, source_id: str) -> None:
    """Forget the tokens or the key of a source; its backups stay, and no new ones are made."""
    admit(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    source = db.run(SourceOfAccount(account_id=account_id, source_id=source_id))
    if source is None:
        raise NotFound(f"source {source_id}")
    steps: list[writes.Write] = [
        writes.Update(source, set={**_stopped(SourceStatus.DISCONNECTED), "credentials": None}),
        audit.record(caller, account_id, ResourceType.SOURCE, source_id, Action.DISCONNECT),
    ]
    held = db.run(OAuthTokenOf(source_id=source_id))
    if held is not None:
        steps.append(writes.Delete(OAuthTokenOf(source_id=source_id), when=_of(account_id)))
    if source.connection_id is not None:
        target = ConnectionById(connection_id=source.connection_id)
        steps.append(writes.Update(target, set={"status": ConnectionStatus.REVOKED}))
    db.transact(*steps)


def held_tokens(
    db: Repository, caller: Caller, account_id: str, platform: str | None = None
) -> Query[OAuthToken]:
    """The pattern that finds the tokens of an account, perhaps those for one platform; to be shown without them."""
    admit(db, caller, account_id, Area.SOURCES, Right.READ)
    if platform is None:
        return OAuthTokensOfAccount(account_id=account_id)
    return OAuthTokensOfAccountFor(account_id=account_id, platform=platform)


def found_token(db: Repository, source_id: str) -> OAuthToken:
    """The tokens of a source."""
    found = db.run(OAuthTokenOf(source_id=source_id))
    if found is None:
        raise NotFound(f"tokens of source {source_id}")
    return found


def tokens_expiring(db: Repository, caller: Caller, before: datetime) -> Iterator[OAuthToken]:
    """All tokens that expire before a moment, each shard in its order. For the platform's workers."""
    require_staff(caller, "worker")
    return chain.from_iterable(
        db.iterate(OAuthTokensExpiring(shard=shard, before=before)) for shard in range(EXPIRY_SHARDS)
    )


def connections_expiring(db: Repository, caller: Caller, before: datetime) -> Iterator[Connection]:
    """All active connections that expire before a moment, each shard in its order. For the platform's workers."""
    require_staff(caller, "worker")
    return chain.from_iterable(
        db.iterate(ConnectionsExpiring(shard=shard, before=before)) for shard in range(CONNECTION_SHARDS)
    )


def _of(account_id: str) -> Any:
    """A token's key is its source alone, so every write also says whose it is."""
    return OAuthToken.account_id == account_id


def _lease(db: Repository, source_id: str) -> OAuthToken:
    free: Any = OAuthToken.refreshing_until == None  # noqa: E711 - a condition
    over: Any = OAuthToken.refreshing_until < db.now()  # type: ignore[operator]
    with refusing({OAuthToken: Conflict("somebody is renewing these tokens right now")}):
        return db.update(
            OAuthTokenOf(source_id=source_id),
            set={"refreshing_until": db.now() + LEASE},
            when=free | over,
        )


def _store(db: Repository, held: OAuthToken, tokens: Tokens, more: dict[str, Any]) -> OAuthToken:
    """Put tokens in the place of those that were read, and let the connection know."""
    values = {"tokens": tokens, "expires_at": tokens.expires_at, "refreshing_until": None, **more}
    steps: list[writes.Write] = [writes.Update(held, set=values, when=_of(held.account_id))]
    source = db.run(SourceOfAccount(account_id=held.account_id, source_id=held.source_id))
    if source is not None and source.connection_id is not None:
        renewed = {"status": ConnectionStatus.ACTIVE, "expires_at": tokens.expires_at}
        steps.append(writes.Update(ConnectionById(connection_id=source.connection_id), set=renewed))
    with refusing({OAuthToken: Conflict("others changed these tokens meanwhile")}):
        db.transact(*steps)
    return found_token(db, held.source_id)


def _promote(db: Repository, held: OAuthToken, tokens: Tokens) -> None:
    """Put the tokens of the new connection in the place of the old ones, and the new connection with them."""
    source = db.run(SourceOfAccount(account_id=held.account_id, source_id=held.source_id))
    if source is None or held.candidate_connection_id is None:
        raise NotFound(f"source {held.source_id}")
    values = {"tokens": tokens, "expires_at": tokens.expires_at, **_NO_CANDIDATE}
    new = ConnectionById(connection_id=held.candidate_connection_id)
    steps: list[writes.Write] = [
        writes.Update(held, set=values, when=_of(held.account_id)),
        writes.Update(source, set=resumed(source, held.candidate_connection_id, db.now())),
        writes.Update(new, set={"status": ConnectionStatus.ACTIVE}),
    ]
    if source.connection_id is not None:
        old = ConnectionById(connection_id=source.connection_id)
        steps.append(writes.Update(old, set={"status": ConnectionStatus.REVOKED}))
    changed = Conflict("others changed the source or its tokens meanwhile")
    with refusing({OAuthToken: changed, Source: changed}):
        db.transact(*steps)


def resumed(source: Source, connection_id: str, now: datetime) -> dict[str, Any]:
    """What a source is set to that is connected anew."""
    due = first_sync(source.config.sync_interval, source.last_sync_at, now)
    return {"connection_id": connection_id, "status": SourceStatus.ACTIVE, "next_sync_at": due}


def _expire(db: Repository, held: OAuthToken) -> None:
    """The platform lets us in no longer: the source stops, and its connection says why."""
    source = db.run(SourceOfAccount(account_id=held.account_id, source_id=held.source_id))
    steps: list[writes.Write] = [writes.Update(held, set={"refreshing_until": None})]
    if source is not None:
        steps.append(writes.Update(source, set=_stopped(SourceStatus.ERROR)))
        if source.connection_id is not None:
            expired = {"status": ConnectionStatus.EXPIRED}
            steps.append(writes.Update(ConnectionById(connection_id=source.connection_id), set=expired))
    told = audit.record(None, held.account_id, ResourceType.SOURCE, held.source_id, Action.FAIL)
    db.transact(*steps, told)


def _stopped(status: SourceStatus) -> dict[str, Any]:
    return {"status": status, "next_sync_at": None}
