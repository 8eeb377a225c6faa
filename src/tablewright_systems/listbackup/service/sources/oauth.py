"""OAuth: authorizing an account at a platform, and storing the tokens.

A state is random, bound to the user who started the flow, and works once: it is consumed by a conditional delete that
also checks its expiry, because TTL deletes hours late. The ids of source and connection are reserved with the state.
"""

import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import uuid4

from tablewright import Repository, writes
from tablewright_systems.listbackup.design.connections import (
    Connection,
    ConnectionMetadata,
    ConnectionStatus,
    CredentialsReference,
)
from tablewright_systems.listbackup.design.oauth import (
    OAuthState,
    OAuthStateOf,
    OAuthToken,
    OAuthTokenOf,
    StateMetadata,
    TokenMetadata,
    Tokens,
)
from tablewright_systems.listbackup.design.sources import Source, SourceOfAccount
from tablewright_systems.listbackup.design.vocabulary import ConnectionType, ResourceType, Right
from tablewright_systems.listbackup.service.access import Access, Area, require_right
from tablewright_systems.listbackup.service.accounts import limits
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.sources.oauth_tokens import activate_candidate, reconnected
from tablewright_systems.listbackup.service.sources.platforms import Platform, Rejected, challenge
from tablewright_systems.listbackup.service.store_errors import translate_errors
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, Gone, Invalid, NotFound

REDIRECT_URIS = frozenset(
    {"https://api.listbackup.ai/oauth/callback", "http://localhost:8080/oauth/callback"}
)
RETURN_ORIGINS = frozenset({"https://app.listbackup.ai", "http://localhost:8080"})

STATE_NOT_USABLE = "the OAuth state has expired or was already used; start the flow again"


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """What the browser sends to the platform."""

    state: str
    platform: str
    redirect_uri: str
    code_challenge: str
    source_id: str


def start(
    db: Repository,
    caller: Caller,
    account_id: str,
    platform: str,
    *,
    redirect_uri: str,
    return_url: str | None = None,
    source_id: str | None = None,
) -> AuthorizationRequest:
    """Start connecting a platform, as a new source or for an existing one."""
    require_right(db, caller, account_id, Area.SOURCES, Right.CREATE)
    _require_allowed_urls(redirect_uri, return_url)
    if source_id is not None:
        _require_reconnectable(db, account_id, source_id, platform)
    verifier = secrets.token_urlsafe(48)
    state = db.create(
        OAuthState(
            state=secrets.token_urlsafe(32),
            account_id=account_id,
            user_id=caller.user_id,
            platform=platform,
            redirect_uri=redirect_uri,
            metadata=StateMetadata(
                source_id=source_id or str(uuid4()), connection_id=str(uuid4()), return_url=return_url
            ),
            code_verifier=verifier,
        )
    )
    return AuthorizationRequest(
        state.state, platform, redirect_uri, challenge(verifier), state.metadata.source_id
    )


def consume_state(db: Repository, caller: Caller, state: str, redirect_uri: str) -> OAuthState:
    """Consume a state: by the user who started the flow, with the same redirect URI, in time, and once."""
    found = db.run(OAuthStateOf(state=state))
    if found is None:
        raise Gone(STATE_NOT_USABLE)
    if found.user_id != caller.user_id:
        raise Forbidden("this OAuth flow was started by another user")
    if found.redirect_uri != redirect_uri:
        raise Invalid("the redirect URI is not the one that the flow was started with", "redirectUri")
    with translate_errors({OAuthState: Gone(STATE_NOT_USABLE)}):
        db.transact(writes.Delete(found, when=OAuthState.user_id == caller.user_id))
    return found


def callback(
    db: Repository, caller: Caller, platform: Platform, *, state: str, code: str, redirect_uri: str
) -> Source:
    """Exchange the platform's code for tokens, and store them with the source and the connection."""
    authorization = consume_state(db, caller, state, redirect_uri)
    access = require_right(db, caller, authorization.account_id, Area.SOURCES, Right.CREATE)
    try:
        tokens = platform.exchange(code, authorization.code_verifier, redirect_uri, db.now())
    except Rejected as error:
        raise Invalid(str(error), "code") from None
    source = db.run(
        SourceOfAccount(account_id=authorization.account_id, source_id=authorization.metadata.source_id)
    )
    if source is None:
        _connect(db, caller, access, authorization, tokens)
    else:
        _reconnect(db, caller, platform, source, authorization, tokens)
    connected = db.run(
        SourceOfAccount(account_id=authorization.account_id, source_id=authorization.metadata.source_id)
    )
    if connected is None:
        raise NotFound(f"source {authorization.metadata.source_id}")
    return connected


def _connect(
    db: Repository, caller: Caller, access: Access, authorization: OAuthState, tokens: Tokens
) -> None:
    """Create the source, its connection and its tokens, within the account's limit."""
    source = Source(
        account_id=authorization.account_id,
        source_id=authorization.metadata.source_id,
        source_name=authorization.platform,
        platform=authorization.platform,
        connection_type=ConnectionType.OAUTH,
        connection_id=authorization.metadata.connection_id,
        next_sync_at=db.now(),
        created_by=caller.user_id,
    )
    activity = audit.record(
        caller,
        authorization.account_id,
        ResourceType.SOURCE,
        source.source_id,
        Action.CONNECT,
        after=source,
    )
    with translate_errors(limits.limit_error(db, authorization.account_id, "sources")):
        db.transact(
            writes.Create(source),
            writes.Create(_connection(authorization, tokens)),
            writes.Create(_token(authorization, tokens)),
            limits.use(access.account, sources=1),
            activity,
        )


def _reconnect(
    db: Repository,
    caller: Caller,
    platform: Platform,
    source: Source,
    authorization: OAuthState,
    tokens: Tokens,
) -> None:
    """Store tokens for an existing source: the old tokens stay in use until the new ones are confirmed."""
    activity = audit.record(
        caller, authorization.account_id, ResourceType.SOURCE, source.source_id, Action.CONNECT
    )
    connection = _connection(authorization, tokens)
    changed = Conflict("the source was changed by another request; read it and try again")
    with translate_errors({OAuthToken: changed, Source: changed}):
        if db.run(OAuthTokenOf(source_id=source.source_id)) is None:
            again = reconnected(source, connection.connection_id, db.now())
            stored = writes.Create(_token(authorization, tokens))
            db.transact(stored, writes.Update(source, set=again), writes.Create(connection), activity)
            return
        candidate = writes.Update(
            OAuthTokenOf(source_id=source.source_id),
            set={"candidate": tokens, "candidate_connection_id": connection.connection_id},
            when=OAuthToken.account_id == authorization.account_id,
        )
        unconfirmed = connection.changed(status=ConnectionStatus.ERROR)
        db.transact(candidate, writes.Create(unconfirmed), activity)
    if not activate_candidate(db, platform, source.source_id):
        raise Conflict("the platform does not accept the new tokens; the old ones stay in use", "code")


def _connection(authorization: OAuthState, tokens: Tokens) -> Connection:
    return Connection(
        connection_id=authorization.metadata.connection_id,
        account_id=authorization.account_id,
        user_id=authorization.user_id,
        platform=authorization.platform,
        connection_type=ConnectionType.OAUTH,
        credentials=CredentialsReference(source_id=authorization.metadata.source_id, scope=tokens.scope),
        metadata=ConnectionMetadata(),
        expires_at=tokens.expires_at,
    )


def _token(authorization: OAuthState, tokens: Tokens) -> OAuthToken:
    return OAuthToken(
        source_id=authorization.metadata.source_id,
        account_id=authorization.account_id,
        platform=authorization.platform,
        tokens=tokens,
        expires_at=tokens.expires_at,
        metadata=TokenMetadata(user_id=authorization.user_id),
    )


def _require_allowed_urls(redirect_uri: str, return_url: str | None) -> None:
    """Require a registered redirect URI and an allowed origin to return to."""
    if redirect_uri not in REDIRECT_URIS:
        raise Invalid("this redirect URI is not registered", "redirectUri")
    if return_url is not None:
        parts = urlsplit(return_url)
        if f"{parts.scheme}://{parts.netloc}" not in RETURN_ORIGINS:
            raise Invalid("this return URL has an origin that is not allowed", "returnUrl")


def _require_reconnectable(db: Repository, account_id: str, source_id: str, platform: str) -> None:
    source = db.run(SourceOfAccount(account_id=account_id, source_id=source_id))
    if source is None:
        raise NotFound(f"source {source_id}")
    if source.platform != platform or source.connection_type is not ConnectionType.OAUTH:
        raise Conflict("the source belongs to another platform, or is not connected by OAuth", "platform")
