"""OAuth: asking a platform to let an account in, and what comes of it.

A state is random, bound to the user who asked, and works once: it is consumed by a conditional delete that also looks
at the clock, as TTL deletes hours late. The ids of source and connection are reserved when the state is made.
"""

import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import uuid4

from tablewright import Repository, writes
from tablewright_systems.api_errors import Conflict, Forbidden, Gone, Invalid, NotFound
from tablewright_systems.authentication import Caller
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
from tablewright_systems.listbackup.service.access import Access, Area, admit
from tablewright_systems.listbackup.service.accounts import limits
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.sources.oauth_tokens import confirm_candidate, resumed
from tablewright_systems.listbackup.service.sources.platforms import Platform, Refused, challenge
from tablewright_systems.listbackup.service.store_errors import refusing

REDIRECT_URIS = frozenset(
    {"https://api.listbackup.ai/oauth/callback", "http://localhost:8080/oauth/callback"}
)
RETURN_ORIGINS = frozenset({"https://app.listbackup.ai", "http://localhost:8080"})

SPENT = "the answer came too late, or was used already; begin anew"


@dataclass(frozen=True, slots=True)
class Question:
    """What the browser takes to the platform."""

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
) -> Question:
    """Begin to connect a platform: a new source, or anew one that there is."""
    admit(db, caller, account_id, Area.SOURCES, Right.CREATE)
    _require_safe(redirect_uri, return_url)
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
    return Question(state.state, platform, redirect_uri, challenge(verifier), state.metadata.source_id)


def consume(db: Repository, caller: Caller, state: str, redirect_uri: str) -> OAuthState:
    """Use a state up: for the user who began, at the address that was given, in time, and once."""
    found = db.run(OAuthStateOf(state=state))
    if found is None:
        raise Gone(SPENT)
    if found.user_id != caller.user_id:
        raise Forbidden("somebody else began this")
    if found.redirect_uri != redirect_uri:
        raise Invalid("that is not where the answer was to come to", "redirectUri")
    with refusing({OAuthState: Gone(SPENT)}):
        db.transact(writes.Delete(found, when=OAuthState.user_id == caller.user_id))
    return found


def callback(
    db: Repository, caller: Caller, platform: Platform, *, state: str, code: str, redirect_uri: str
) -> Source:
    """The platform's answer: change the code for tokens and keep them, with the source and the connection."""
    asked = consume(db, caller, state, redirect_uri)
    access = admit(db, caller, asked.account_id, Area.SOURCES, Right.CREATE)
    try:
        tokens = platform.exchange(code, asked.code_verifier, redirect_uri, db.now())
    except Refused as refusal:
        raise Invalid(str(refusal), "code") from None
    source = db.run(SourceOfAccount(account_id=asked.account_id, source_id=asked.metadata.source_id))
    if source is None:
        _connect(db, caller, access, asked, tokens)
    else:
        _reconnect(db, caller, platform, source, asked, tokens)
    connected = db.run(SourceOfAccount(account_id=asked.account_id, source_id=asked.metadata.source_id))
    if connected is None:
        raise NotFound(f"source {asked.metadata.source_id}")
    return connected


def _connect(db: Repository, caller: Caller, access: Access, asked: OAuthState, tokens: Tokens) -> None:
    """A source that was not there before: it, its connection and its tokens, within the account's limit."""
    source = Source(
        account_id=asked.account_id,
        source_id=asked.metadata.source_id,
        source_name=asked.platform,
        platform=asked.platform,
        connection_type=ConnectionType.OAUTH,
        connection_id=asked.metadata.connection_id,
        next_sync_at=db.now(),
        created_by=caller.user_id,
    )
    told = audit.record(
        caller,
        asked.account_id,
        ResourceType.SOURCE,
        source.source_id,
        Action.CONNECT,
        after=source,
    )
    with refusing(limits.refusal(db, asked.account_id, "sources")):
        db.transact(
            writes.Create(source),
            writes.Create(_connection(asked, tokens)),
            writes.Create(_token(asked, tokens)),
            limits.use(access.account, sources=1),
            told,
        )


def _reconnect(
    db: Repository, caller: Caller, platform: Platform, source: Source, asked: OAuthState, tokens: Tokens
) -> None:
    """Tokens for a source that is there: those that work are kept until the new ones have proved to."""
    told = audit.record(caller, asked.account_id, ResourceType.SOURCE, source.source_id, Action.CONNECT)
    connection = _connection(asked, tokens)
    changed = Conflict("the source was connected by somebody else just now")
    with refusing({OAuthToken: changed, Source: changed}):
        if db.run(OAuthTokenOf(source_id=source.source_id)) is None:
            again = resumed(source, connection.connection_id, db.now())
            stored = writes.Create(_token(asked, tokens))
            db.transact(stored, writes.Update(source, set=again), writes.Create(connection), told)
            return
        candidate = writes.Update(
            OAuthTokenOf(source_id=source.source_id),
            set={"candidate": tokens, "candidate_connection_id": connection.connection_id},
            when=OAuthToken.account_id == asked.account_id,
        )
        unproved = connection.changed(status=ConnectionStatus.ERROR)
        db.transact(candidate, writes.Create(unproved), told)
    if not confirm_candidate(db, platform, source.source_id):
        raise Conflict("the platform does not take the new tokens; the old ones stay in use", "code")


def _connection(asked: OAuthState, tokens: Tokens) -> Connection:
    return Connection(
        connection_id=asked.metadata.connection_id,
        account_id=asked.account_id,
        user_id=asked.user_id,
        platform=asked.platform,
        connection_type=ConnectionType.OAUTH,
        credentials=CredentialsReference(source_id=asked.metadata.source_id, scope=tokens.scope),
        metadata=ConnectionMetadata(),
        expires_at=tokens.expires_at,
    )


def _token(asked: OAuthState, tokens: Tokens) -> OAuthToken:
    return OAuthToken(
        source_id=asked.metadata.source_id,
        account_id=asked.account_id,
        platform=asked.platform,
        tokens=tokens,
        expires_at=tokens.expires_at,
        metadata=TokenMetadata(user_id=asked.user_id),
    )


def _require_safe(redirect_uri: str, return_url: str | None) -> None:
    """Codes and browsers go only where we said they would."""
    if redirect_uri not in REDIRECT_URIS:
        raise Invalid("answers do not come to that address", "redirectUri")
    if return_url is not None:
        parts = urlsplit(return_url)
        if f"{parts.scheme}://{parts.netloc}" not in RETURN_ORIGINS:
            raise Invalid("nobody is sent to that address", "returnUrl")


def _require_reconnectable(db: Repository, account_id: str, source_id: str, platform: str) -> None:
    source = db.run(SourceOfAccount(account_id=account_id, source_id=source_id))
    if source is None:
        raise NotFound(f"source {source_id}")
    if source.platform != platform or source.connection_type is not ConnectionType.OAUTH:
        raise Conflict("the source is of another kind", "platform")
