"""OAuth: authorizing an account at a platform, and storing the tokens.

A state is random and works once: it is consumed by a conditional delete that also checks its expiry, because TTL
deletes hours late. It is bound to the user who started the flow, and to that user's browser: a platform redirects the
browser without the user's token, so the browser shows a cookie instead. Otherwise an attacker's link could connect the
visitor's platform to the attacker's account. The ids of source and connection are reserved with the state.

1. POST /accounts/{id}/oauth returns `authorizationUrl` and sets a cookie; the browser goes there.
2. The platform redirects the browser to GET /oauth/callback, which connects the source and redirects to `returnUrl`.
   An application with its own redirect page sends what it received to POST /oauth/callback instead.
"""

import hashlib
import secrets
from typing import Annotated, Any
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

from fastapi import Depends, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import Field

from tablewright import Repository, writes
from tablewright_systems.listbackup.design.connections import (
    Connection,
    ConnectionMetadata,
    ConnectionStatus,
    CredentialsReference,
)
from tablewright_systems.listbackup.design.oauth import (
    STATE_LIFETIME,
    OAuthState,
    OAuthStateOf,
    OAuthToken,
    OAuthTokenOf,
    StateMetadata,
    TokenMetadata,
)
from tablewright_systems.listbackup.design.sources import Source, SourceOfAccount, SourceStatus
from tablewright_systems.listbackup.design.vocabulary import NOT_SHOWN, ConnectionType, Id, Platform, Right
from tablewright_systems.listbackup.platforms.oauth_client import Grant, OAuthClient, challenge
from tablewright_systems.listbackup.platforms.platforms import Platforms, ServerPlatforms
from tablewright_systems.listbackup.platforms.protocol import (
    CredentialsRejected,
    PlatformUnavailable,
    RateLimited,
)
from tablewright_systems.listbackup.service import audit, limits
from tablewright_systems.listbackup.service.access import Access, Area, has_second_factor, require_right
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.oauth_tokens import activate_candidate, reconnected
from tablewright_systems.listbackup.service.sources import get_source
from tablewright_systems.service import (
    ApiError,
    Caller,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    Unavailable,
    require_name,
    transact,
)
from tablewright_systems.web import CurrentCaller, Db, Router, View, problems

router = Router("OAuth", "Authorisation by platforms, and the tokens that they give.")

Unused = Annotated[str | None, Query(include_in_schema=False)]
State = Annotated[str, Query(min_length=32, max_length=128)]
STATE_NOT_USABLE = "the OAuth state has expired or was already used; start the flow again"


class AuthorizationRequest(View):
    """Where the browser goes to authorize ListBackup."""

    state: str
    platform: str
    authorization_url: str
    redirect_uri: str
    code_challenge: str
    source_id: str
    browser_key: Annotated[str, NOT_SHOWN, Field(repr=False)]
    """A cookie of the browser that started the flow."""


class ConnectedSource(View):
    """The connected source."""

    account_id: str
    source_id: str
    connection_id: str | None
    platform: str
    status: SourceStatus
    return_url: str | None
    """Where the flow was started with, for the browser to return to."""


def require_oauth(platforms: Platforms, platform: str) -> OAuthClient:
    """Return the OAuth client of a platform, or raise the error that says why there is none."""
    if platform not in platforms.settings:
        supported = ", ".join(platforms.settings)
        raise Invalid(f"platform {platform!r} is not supported; supported are {supported}", "platform")
    client = platforms.oauth(platform)
    if client is None:
        raise Unavailable(f"this server has no application at {platform}; use an API key instead", "platform")
    return client


@router.post("/accounts/{account_id}/oauth", status_code=201, name="start")
def start_in_browser(
    db: Db,
    caller: CurrentCaller,
    platforms: ServerPlatforms,
    request: Request,
    response: Response,
    account_id: str,
    platform: Platform,
    redirect_uri: Annotated[str, Field(examples=["https://api.listbackup.ai/oauth/callback"])],
    return_url: Annotated[str | None, Field(examples=["https://app.listbackup.ai/sources"])] = None,
    source_id: Annotated[Id | None, Field(examples=[None])] = None,
) -> AuthorizationRequest:
    """Start the authorization of a platform: send the browser to `authorizationUrl`."""
    flow: dict[str, Any] = {"redirect_uri": redirect_uri, "return_url": return_url, "source_id": source_id}
    authorization = start(db, caller, platforms, account_id, platform, **flow)
    response.set_cookie(
        _cookie(authorization.state),
        authorization.browser_key,
        max_age=int(STATE_LIFETIME.total_seconds()),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return authorization


def start(
    db: Repository,
    caller: Caller,
    platforms: Platforms,
    account_id: str,
    platform: str,
    *,
    redirect_uri: str,
    return_url: str | None = None,
    source_id: str | None = None,
) -> AuthorizationRequest:
    """Start connecting a platform, as a new source or for an existing one, which needs the right to change it."""
    require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE if source_id else Right.CREATE)
    client = require_oauth(platforms, platform)
    _require_allowed_urls(platforms, redirect_uri, return_url)
    if source_id is not None:
        _require_reconnectable(get_source(db, account_id, source_id), platform)
    verifier, browser_key = secrets.token_urlsafe(48), secrets.token_urlsafe(32)
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
            browser_hash=_hash(browser_key),
            second_factor=has_second_factor(caller),
        )
    )
    return AuthorizationRequest(
        state=state.state,
        platform=platform,
        authorization_url=client.authorization_url(state.state, redirect_uri, challenge(verifier)),
        redirect_uri=redirect_uri,
        code_challenge=challenge(verifier),
        source_id=state.metadata.source_id,
        browser_key=browser_key,
    )


def consume_state(db: Repository, caller: Caller, state: str, redirect_uri: str) -> OAuthState:
    """Consume a state: by the user who started the flow, with the same redirect URI, in time, and once."""
    stored = _get_state(db, state)
    if stored.user_id != caller.user_id:
        raise Forbidden("this OAuth flow was started by another user")
    if stored.redirect_uri != redirect_uri:
        raise Invalid("the redirect URI is not the one that the flow was started with", "redirectUri")
    used = Gone(STATE_NOT_USABLE)
    transact(db, writes.Delete(stored, when=OAuthState.user_id == caller.user_id, otherwise=used))
    return stored


@router.post("/oauth/callback", status_code=201, responses=problems(404, 410))
def callback(
    db: Db, caller: CurrentCaller, platforms: ServerPlatforms, *, state: str, code: str, redirect_uri: str
) -> ConnectedSource:
    """Complete the authorization with the platform's code."""
    authorization = consume_state(db, caller, state, redirect_uri)
    account_id, source_id = authorization.account_id, authorization.metadata.source_id
    source = db.run(SourceOfAccount(account_id=account_id, source_id=source_id))
    access = require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE if source else Right.CREATE)
    client = require_oauth(platforms, authorization.platform)
    try:
        grant = client.exchange(code, authorization.code_verifier, redirect_uri, db.now())
    except CredentialsRejected as error:
        raise Invalid(str(error), "code") from None
    except (PlatformUnavailable, RateLimited) as error:
        raise Unavailable(f"{error}; start the flow again") from None
    if source is None:
        _connect(db, caller, access, authorization, grant)
    else:
        _reconnect(db, caller, access, client, source, authorization, grant)
    connected = get_source(db, account_id, source_id)
    return ConnectedSource(
        account_id=account_id,
        source_id=source_id,
        connection_id=connected.connection_id,
        platform=connected.platform,
        status=connected.status,
        return_url=authorization.metadata.return_url,
    )


def _further_parameters(scope: Unused = None, iss: Unused = None, error_description: Unused = None) -> None:
    """Accept what platforms add to the callback, and ListBackup does not need."""


@router.get(
    "/oauth/callback",
    response_model=ConnectedSource,
    responses={303: {"description": "To `returnUrl`."}, **problems(401, 404, 409, 410)},
    name="callback_in_browser",
)
def redirect_browser(
    db: Db,
    platforms: ServerPlatforms,
    request: Request,
    state: State,
    code: str | None = None,
    error: str | None = None,
    more: Annotated[None, Depends(_further_parameters)] = None,
) -> Response | ConnectedSource:
    """Complete the authorization in the browser that started it, and redirect it to `returnUrl`.

    The return URL gets `sourceId`, or `error` and `message`. Without a return URL the source is returned.
    """
    cookie = _cookie(state)
    browser_key = request.cookies.get(cookie)
    result = callback_in_browser(db, platforms, state=state, browser_key=browser_key, code=code, error=error)
    if isinstance(result, ConnectedSource):
        return result
    response = RedirectResponse(result, 303)
    response.delete_cookie(cookie)
    return response


def callback_in_browser(
    db: Repository,
    platforms: Platforms,
    *,
    state: str,
    browser_key: str | None,
    code: str | None,
    error: str | None = None,
) -> str | ConnectedSource:
    """Complete a flow in the browser that started it; return the URL to go to, or the source if there is none.

    A failure is reported to the return URL as `error`, so that the user sees it in the application.
    """
    stored = _get_state(db, state)
    if browser_key is None or not secrets.compare_digest(_hash(browser_key), stored.browser_hash or ""):
        raise Forbidden("this OAuth flow was started in another browser; start it again in this one")
    # The browser has no token: the user has proved what the token that started the flow proved.
    claims = {"amr": ["mfa"]} if stored.second_factor else {}
    caller, return_url = Caller(stored.user_id, claims), stored.metadata.return_url
    try:
        if code is None:
            consume_state(db, caller, state, stored.redirect_uri)
            raise Invalid(
                f"the platform did not authorize ListBackup: {(error or 'no reason')[:100]}", "code"
            )
        connected = callback(db, caller, platforms, state=state, code=code, redirect_uri=stored.redirect_uri)
    except ApiError as problem:
        if return_url is None:
            raise
        return _with_query(return_url, error=problem.code, message=problem.message)
    if return_url is None:
        return connected
    return _with_query(return_url, sourceId=connected.source_id)


def _connect(db: Repository, caller: Caller, access: Access, authorization: OAuthState, grant: Grant) -> None:
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
    activity = audit.record(caller, source, Action.CONNECT, after=source)
    transact(
        db,
        writes.Create(source),
        writes.Create(_connection(authorization, grant)),
        writes.Create(_token(authorization, grant)),
        limits.use(access.account, sources=1),
        activity,
        *access.grounds,
    )


def _reconnect(
    db: Repository,
    caller: Caller,
    access: Access,
    client: OAuthClient,
    source: Source,
    authorization: OAuthState,
    grant: Grant,
) -> None:
    """Store tokens for an existing source: the old tokens stay in use until the new ones are confirmed."""
    activity = audit.record(caller, source, Action.CONNECT)
    connection = _connection(authorization, grant)
    changed = Conflict("the source was changed by another request; read it and try again")
    if db.run(OAuthTokenOf(source_id=source.source_id)) is None:
        again = reconnected(source, connection.connection_id, db.now())
        transact(
            db,
            writes.Create(_token(authorization, grant), otherwise=changed),
            writes.Update(source, set=again, otherwise=changed),
            writes.Create(connection),
            activity,
            *access.grounds,
        )
        return
    candidate = writes.Update(
        OAuthTokenOf(source_id=source.source_id),
        set={"candidate": grant.tokens, "candidate_connection_id": connection.connection_id},
        when=OAuthToken.account_id == authorization.account_id,
        otherwise=changed,
    )
    unconfirmed = connection.changed(status=ConnectionStatus.ERROR)
    transact(db, candidate, writes.Create(unconfirmed), activity, *access.grounds)
    try:
        is_accepted = activate_candidate(db, client, source.source_id)
    except (PlatformUnavailable, RateLimited) as error:
        raise Unavailable(f"{error}; the old tokens stay in use, connect again later") from None
    if not is_accepted:
        raise Conflict("the platform does not accept the new tokens; the old ones stay in use", "code")


def _connection(authorization: OAuthState, grant: Grant) -> Connection:
    return Connection(
        connection_id=authorization.metadata.connection_id,
        account_id=authorization.account_id,
        user_id=authorization.user_id,
        platform=authorization.platform,
        connection_type=ConnectionType.OAUTH,
        credentials=CredentialsReference(
            source_id=authorization.metadata.source_id, scope=grant.tokens.scope
        ),
        metadata=ConnectionMetadata(account_id=grant.account),
        expires_at=grant.tokens.expires_at,
    )


def _token(authorization: OAuthState, grant: Grant) -> OAuthToken:
    return OAuthToken(
        source_id=authorization.metadata.source_id,
        account_id=authorization.account_id,
        platform=authorization.platform,
        tokens=grant.tokens,
        expires_at=grant.tokens.expires_at,
        metadata=TokenMetadata(user_id=authorization.user_id, platform_account_id=grant.account),
    )


def _get_state(db: Repository, state: str) -> OAuthState:
    stored = db.run(OAuthStateOf(state=state))
    if stored is None:
        raise Gone(STATE_NOT_USABLE)
    return stored


def _require_allowed_urls(platforms: Platforms, redirect_uri: str, return_url: str | None) -> None:
    """Require a registered redirect URI and an allowed origin to return to."""
    if redirect_uri not in platforms.redirect_uris:
        raise Invalid("this redirect URI is not registered", "redirectUri")
    if return_url is not None:
        try:
            parts = urlsplit(require_name(return_url))
        except ValueError as error:
            raise Invalid(f"this return URL is not valid: {error}", "returnUrl") from None
        if f"{parts.scheme}://{parts.netloc}" not in platforms.return_origins:
            raise Invalid("this return URL has an origin that is not allowed", "returnUrl")


def _require_reconnectable(source: Source, platform: str) -> None:
    if source.platform != platform or source.connection_type is not ConnectionType.OAUTH:
        raise Conflict("the source belongs to another platform, or is not connected by OAuth", "platform")


def _with_query(url: str, **more: str) -> str:
    parts = urlsplit(url)
    return parts._replace(query="&".join(filter(None, [parts.query, urlencode(more)]))).geturl()


def _hash(browser_key: str) -> str:
    return hashlib.sha256(browser_key.encode()).hexdigest()


def _cookie(state: str) -> str:
    """Return the name of the cookie of a flow: a browser may have several."""
    return f"oauth-{hashlib.sha256(state.encode()).hexdigest()[:16]}"
