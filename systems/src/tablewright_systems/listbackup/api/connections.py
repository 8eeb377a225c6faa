"""Connections to platforms, and OAuth, which makes them. Token values are never returned.

1. POST /accounts/{id}/oauth returns `authorizationUrl` and sets a cookie; the browser goes there.
2. The platform redirects the browser to GET /oauth/callback, which connects the source and redirects to `returnUrl`.
   An application with its own redirect page sends what it received to POST /oauth/callback instead.

`build` gives the API its platforms.
"""

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import Field

from tablewright import fields
from tablewright_systems.listbackup.design.connections import Connection, ConnectionMetadata
from tablewright_systems.listbackup.design.oauth import STATE_LIFETIME, TokenMetadata
from tablewright_systems.listbackup.design.sources import SourceStatus
from tablewright_systems.listbackup.design.vocabulary import Id, Platform
from tablewright_systems.listbackup.platforms.platforms import Platforms
from tablewright_systems.listbackup.service import connections, oauth, oauth_tokens
from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router, View, problems

PlatformsAt = Callable[[str], Platforms]
"""Returns the platforms for a request to an API at a URL."""


def configured_platforms() -> PlatformsAt:
    """Return the platforms that environment variables configure, the same at every URL."""
    platforms = Platforms.from_environment()
    return lambda url: platforms


def api_url(request: Request) -> str:
    """Return the URL of this API as the client sees it, with the path at which a host has mounted it."""
    return f"{request.url.scheme}://{request.url.netloc}{request.scope.get('root_path', '')}"


def _platforms(request: Request) -> Platforms:
    platforms_at: PlatformsAt = request.app.state.platforms_at
    return platforms_at(api_url(request))


ServerPlatforms = Annotated[Platforms, Depends(_platforms)]
"""The platforms that this server can use."""


oauth_router = Router("OAuth", "Authorisation by platforms, and the tokens that they give.")

Unused = Annotated[str | None, Query(include_in_schema=False)]
State = Annotated[str, Query(min_length=32, max_length=128)]


class NewAuthorization(Body):
    """The platform to connect, and the URLs that the browser returns to."""

    platform: Platform
    redirect_uri: str = Field(examples=["https://api.listbackup.ai/oauth/callback"])
    return_url: str | None = Field(default=None, examples=["https://app.listbackup.ai/sources"])
    source_id: Id | None = Field(default=None, examples=[None])


class AuthorizationView(View):
    """Where the browser goes to authorize ListBackup."""

    state: str
    platform: str
    authorization_url: str
    redirect_uri: str
    code_challenge: str
    source_id: str


class AuthorizationCode(Body):
    """What the browser brings back from the platform."""

    state: str
    code: str
    redirect_uri: str


class Connected(View):
    """The connected source."""

    account_id: str
    source_id: str
    connection_id: str | None
    platform: str
    status: SourceStatus
    return_url: str | None
    """Where the flow was started with, for the browser to return to."""

    @classmethod
    def of(cls, connected: oauth.ConnectedSource) -> "Connected":
        """Build the view of a connected source."""
        source = connected.source
        return cls(
            account_id=source.account_id,
            source_id=source.source_id,
            connection_id=source.connection_id,
            platform=source.platform,
            status=source.status,
            return_url=connected.return_url,
        )


class TokenView(View):
    """The owner and expiry of tokens, without the tokens."""

    source_id: str
    account_id: str
    platform: str
    metadata: TokenMetadata
    expires_at: fields.Timestamp
    created_at: fields.Timestamp
    updated_at: fields.Timestamp
    last_refreshed_at: fields.Timestamp | None


@oauth_router.post("/accounts/{account_id}/oauth", status_code=201)
def start(
    db: Db,
    caller: CurrentCaller,
    platforms: ServerPlatforms,
    account_id: str,
    body: NewAuthorization,
    request: Request,
    response: Response,
) -> AuthorizationView:
    """Start the authorization of a platform: send the browser to `authorizationUrl`."""
    authorization = oauth.start(db, caller, platforms, account_id, **dict(body))
    response.set_cookie(
        _cookie(authorization.state),
        authorization.browser_key,
        max_age=int(STATE_LIFETIME.total_seconds()),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return AuthorizationView.model_validate(authorization)


@oauth_router.post("/oauth/callback", status_code=201, responses=problems(404, 410))
def callback(db: Db, caller: CurrentCaller, platforms: ServerPlatforms, body: AuthorizationCode) -> Connected:
    """Complete the authorization with the platform's code."""
    return Connected.of(oauth.callback(db, caller, platforms, **dict(body)))


def _further_parameters(scope: Unused = None, iss: Unused = None, error_description: Unused = None) -> None:
    """Accept what platforms add to the callback, and ListBackup does not need."""


@oauth_router.get(
    "/oauth/callback",
    response_model=Connected,
    responses={303: {"description": "To `returnUrl`."}, **problems(401, 404, 409, 410)},
)
def callback_in_browser(
    db: Db,
    platforms: ServerPlatforms,
    request: Request,
    state: State,
    code: str | None = None,
    error: str | None = None,
    more: Annotated[None, Depends(_further_parameters)] = None,
) -> Response | Connected:
    """Complete the authorization in the browser that started it, and redirect it to `returnUrl`.

    The return URL gets `sourceId`, or `error` and `message`. Without a return URL the source is returned.
    """
    result = oauth.callback_in_browser(
        db,
        platforms,
        state=state,
        browser_key=request.cookies.get(_cookie(state)),
        code=code,
        error=error,
    )
    if isinstance(result, oauth.ConnectedSource):
        return Connected.of(result)
    response = RedirectResponse(result, 303)
    response.delete_cookie(_cookie(state))
    return response


@oauth_router.get("/accounts/{account_id}/oauth-tokens")
def tokens_of_account(
    db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest, platform: Platform | None = None
) -> PageReply[TokenView]:
    """List an account's tokens, or those for one platform, without the token values."""
    pattern = oauth_tokens.tokens_of_account(db, caller, account_id, platform)
    return PageReply.map(paging.run(db, pattern), TokenView.model_validate)


@oauth_router.post("/oauth-tokens/{source_id}/refresh")
def refresh(db: Db, caller: CurrentCaller, platforms: ServerPlatforms, source_id: str) -> TokenView:
    """Renew the tokens of a source. For the platform's workers."""
    return TokenView.model_validate(oauth_tokens.refresh(db, caller, platforms, source_id))


@oauth_router.get("/oauth-tokens/expiring")
def tokens_expiring(
    db: Db, caller: CurrentCaller, before: datetime, paging: PageRequest
) -> PageReply[TokenView]:
    """List the tokens that expire before a time, the earliest first. For the platform's workers."""
    page = paging.run(db, oauth_tokens.tokens_expiring(caller, before))
    return PageReply.map(page, TokenView.model_validate)


@oauth_router.delete(
    "/accounts/{account_id}/sources/{source_id}/credentials", status_code=204, response_class=Response
)
def disconnect(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> None:
    """Delete the tokens or the key of a source."""
    oauth_tokens.disconnect(db, caller, account_id, source_id)


def _cookie(state: str) -> str:
    """Return the name of the cookie of a flow: a browser may have several."""
    return f"oauth-{hashlib.sha256(state.encode()).hexdigest()[:16]}"


router = Router("Connections", "Connections to platforms.")


class ConnectionFailure(Body):
    """Why a platform rejected a connection."""

    reason: Annotated[str, Field(min_length=1, max_length=500)]


class Renewals(View):
    """How many connections were renewed."""

    renewed: int


@router.get("/accounts/{account_id}/connections")
def of_account(
    db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest, platform: Platform | None = None
) -> PageReply[Connection]:
    """List an account's connections, or those to one platform."""
    pattern = connections.connections_of_account(db, caller, account_id, platform)
    return PageReply.of(paging.run(db, pattern))


@router.get("/users/me/connections")
def of_user(
    db: Db, caller: CurrentCaller, paging: PageRequest, platform: Platform | None = None
) -> PageReply[Connection]:
    """List the connections that the caller made, or those to one platform."""
    pattern = connections.connections_of_user(db, caller, platform)
    return PageReply.of(paging.run(db, pattern))


@router.get("/connections/expiring")
def connections_expiring(
    db: Db, caller: CurrentCaller, before: datetime, paging: PageRequest
) -> PageReply[Connection]:
    """List the active connections that expire before a time, the earliest first. For workers."""
    return PageReply.of(paging.run(db, oauth_tokens.connections_expiring(caller, before)))


@router.post("/connections/expiring/renewals")
def renew_expiring(db: Db, caller: CurrentCaller, platforms: ServerPlatforms) -> Renewals:
    """Renew the tokens of the connections that expire within an hour. For workers."""
    return Renewals(renewed=oauth_tokens.renew_expiring(db, caller, platforms))


@router.get("/connections/{connection_id}")
def read_connection(db: Db, caller: CurrentCaller, connection_id: str) -> Connection:
    """Get a connection."""
    return connections.read_connection(db, caller, connection_id)


@router.put("/connections/{connection_id}/metadata")
def describe_connection(
    db: Db, caller: CurrentCaller, connection_id: str, body: ConnectionMetadata
) -> Connection:
    """Store the platform's information about its account."""
    return connections.describe_connection(db, caller, connection_id, body)


@router.post("/connections/{connection_id}/uses")
def record_use(db: Db, caller: CurrentCaller, connection_id: str) -> Connection:
    """Record that a connection was used. For workers."""
    return connections.record_use(db, caller, connection_id)


@router.post("/connections/{connection_id}/errors")
def record_error(db: Db, caller: CurrentCaller, connection_id: str, body: ConnectionFailure) -> Connection:
    """Record that a platform rejected a connection. For workers."""
    return connections.record_error(db, caller, connection_id, body.reason)
