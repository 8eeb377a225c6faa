"""OAuth: authorization at a platform, its callback, and an account's tokens. Token values are never returned."""

from datetime import datetime
from typing import Annotated

from fastapi import Depends, Request, Response

from tablewright_systems.listbackup.design.oauth import OAuthToken, TokenMetadata
from tablewright_systems.listbackup.design.sources import SourceStatus
from tablewright_systems.listbackup.design.vocabulary import Id
from tablewright_systems.listbackup.design.vocabulary import Platform as PlatformName
from tablewright_systems.listbackup.service.sources import oauth, oauth_tokens
from tablewright_systems.listbackup.service.sources.platforms import Platform, Sandbox
from tablewright_systems.service.errors import Unavailable
from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router, View
from tablewright_systems.web.authentication import LocalIssuer

router = Router("OAuth", "Authorisation by platforms, and the tokens that they give.")


def _platform(request: Request) -> Platform:
    """Return the application's platform, or the sandbox in development.

    The local issuer is used in development only. Anywhere else the sandbox, which accepts nearly every code, would
    connect sources that no platform has authorized.
    """
    found: Platform | None = getattr(request.app.state, "platform", None)
    if found is None and not isinstance(request.app.state.authenticator, LocalIssuer):
        raise Unavailable("no platform is configured on this server")
    return found or Sandbox()


Outside = Annotated[Platform, Depends(_platform)]


class NewAuthorization(Body):
    """The platform to connect, and the URLs that the browser returns to."""

    platform: PlatformName
    redirect_uri: str
    return_url: str | None = None
    source_id: Id | None = None


class AuthorizationView(View):
    """What the browser sends to the platform."""

    state: str
    platform: str
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


class TokenView(View):
    """The owner and expiry of tokens, without the tokens."""

    source_id: str
    account_id: str
    platform: str
    metadata: TokenMetadata
    expires_at: datetime
    created_at: datetime
    updated_at: datetime
    last_refreshed_at: datetime | None

    @classmethod
    def of(cls, held: OAuthToken) -> "TokenView":
        """Build the view of stored tokens."""
        return cls(**{name: getattr(held, name) for name in cls.model_fields})


@router.post("/accounts/{account_id}/oauth", status_code=201)
def start(db: Db, caller: CurrentCaller, account_id: str, body: NewAuthorization) -> AuthorizationView:
    """Start the authorization of a platform."""
    authorization = oauth.start(
        db,
        caller,
        account_id,
        body.platform,
        redirect_uri=body.redirect_uri,
        return_url=body.return_url,
        source_id=body.source_id,
    )
    return AuthorizationView(
        **{name: getattr(authorization, name) for name in AuthorizationView.model_fields}
    )


@router.post("/oauth/callback", status_code=201)
def callback(db: Db, caller: CurrentCaller, outside: Outside, body: AuthorizationCode) -> Connected:
    """Complete the authorization with the platform's code."""
    source = oauth.callback(
        db, caller, outside, state=body.state, code=body.code, redirect_uri=body.redirect_uri
    )
    return Connected(**{name: getattr(source, name) for name in Connected.model_fields})


@router.get("/accounts/{account_id}/oauth-tokens")
def tokens_of_account(
    db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest, platform: PlatformName | None = None
) -> PageReply[TokenView]:
    """List an account's tokens, or those for one platform, without the token values."""
    pattern = oauth_tokens.tokens_of_account(db, caller, account_id, platform)
    return PageReply.map(paging.run(db, pattern), TokenView.of)


@router.post("/oauth-tokens/{source_id}/refresh")
def refresh(db: Db, caller: CurrentCaller, outside: Outside, source_id: str) -> TokenView:
    """Renew the tokens of a source. For the platform's workers."""
    return TokenView.of(oauth_tokens.refresh(db, caller, outside, source_id))


@router.get("/oauth-tokens/expiring")
def tokens_expiring(
    db: Db, caller: CurrentCaller, before: datetime, paging: PageRequest
) -> PageReply[TokenView]:
    """List the tokens that expire before a time, the earliest first. For the platform's workers."""
    found = paging.run(db, oauth_tokens.tokens_expiring(caller, before))
    return PageReply.map(found, TokenView.of)


@router.delete(
    "/accounts/{account_id}/sources/{source_id}/credentials", status_code=204, response_class=Response
)
def disconnect(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> None:
    """Delete the tokens or the key of a source."""
    oauth_tokens.disconnect(db, caller, account_id, source_id)
