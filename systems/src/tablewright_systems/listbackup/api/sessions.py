"""Sessions. A refresh token is returned once; lists show only times and origin."""

from hashlib import sha256
from typing import Annotated

from fastapi import Depends, Request, Response
from pydantic import Field

from tablewright import fields
from tablewright_systems.listbackup.api.access_tokens import ACCESS_LIFETIME, TokenIssuer, token_issuer
from tablewright_systems.listbackup.design.sessions import RefreshToken
from tablewright_systems.listbackup.design.vocabulary import Id
from tablewright_systems.listbackup.service.users import sessions
from tablewright_systems.service import sorted_page
from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router, View, problems

router = Router("Sessions", "Sessions of the caller.")


Code = Annotated[str, Field(pattern=r"^[0-9]{6}$")]
"""A code of the second factor."""


class SignIn(Body):
    """The account of the new session, and a code if the user has a second factor."""

    account_id: Id
    code: Code | None = None


class RefreshTokenBody(Body):
    """A refresh token, and a code if the reply to a request without one was `second_factor_required`."""

    refresh_token: Annotated[str, Field(min_length=1, max_length=512)]
    code: Code | None = None


class SessionView(View):
    """A session: its token family and the dates and origin of its current token, without the token."""

    token_family: str
    account_id: str
    issued_at: fields.Timestamp
    expires_at: fields.Timestamp
    user_agent: str | None
    ip_address: str | None


class UsedTokenView(SessionView):
    """One of the tokens that a session has had, without the token itself."""

    last_used_at: fields.Timestamp | None
    revoked: bool
    revoked_at: fields.Timestamp | None
    revoked_reason: str | None


class IssuedView(View):
    """An access token for requests until it expires, and a refresh token to get the next one, once."""

    access_token: str
    token_type: str = "Bearer"
    expires_in: int = Field(description="Seconds until the access token expires.")
    refresh_token: str
    session: SessionView


def _issuer(request: Request) -> TokenIssuer:
    return token_issuer(request.app.state.authenticator)


Issuer = Annotated[TokenIssuer, Depends(_issuer)]


def _view(issuer: TokenIssuer, issued: sessions.IssuedToken) -> IssuedView:
    return IssuedView(
        access_token=issuer.issue(issued.user.user_id, ACCESS_LIFETIME, **issued.claims),
        expires_in=int(ACCESS_LIFETIME.total_seconds()),
        refresh_token=issued.token,
        session=SessionView.model_validate(issued.stored),
    )


def _age(token: RefreshToken) -> tuple[str, bool, str]:
    """Return the order of tokens; the last part makes it total, and tells nothing about the token."""
    digest = sha256(token.refresh_token.encode()).hexdigest()[:16]
    return token.issued_at.isoformat(), not token.revoked, digest


@router.post("/sessions", status_code=201, responses=problems(404, 429))
def sign_in(db: Db, caller: CurrentCaller, issuer: Issuer, body: SignIn) -> IssuedView:
    """Start a session."""
    return _view(issuer, sessions.sign_in(db, caller, body.account_id, body.code))


@router.post("/sessions/refresh", responses=problems(401, 404, 429))
def rotate(db: Db, issuer: Issuer, body: RefreshTokenBody) -> IssuedView:
    """Get a new access token. The refresh token, which identifies the user, is replaced by the next one."""
    return _view(issuer, sessions.rotate(db, body.refresh_token, body.code))


@router.get("/sessions")
def own_sessions(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[SessionView]:
    """List the caller's sessions, newest first."""
    found = sessions.sessions(db, caller)
    page = sorted_page(
        found,
        paging,
        "sessions",
        lambda token: (token.issued_at.isoformat(), token.token_family),
        descending=True,
    )
    return PageReply.map(page, SessionView.model_validate)


@router.get("/sessions/{token_family}")
def session_history(
    db: Db, caller: CurrentCaller, token_family: str, paging: PageRequest
) -> PageReply[UsedTokenView]:
    """List the tokens that one of the caller's sessions has had, oldest first: when and from where it was used."""
    history = sessions.session_history(db, caller, token_family)
    page = sorted_page(history, paging, f"session {token_family}", _age)
    return PageReply.map(page, UsedTokenView.model_validate)


@router.delete("/sessions/{token_family}", status_code=204, response_class=Response)
def end_session(db: Db, caller: CurrentCaller, token_family: str) -> None:
    """End one session."""
    sessions.end_session(db, caller, token_family)


@router.delete("/sessions", status_code=204, response_class=Response)
def end_all_sessions(db: Db, caller: CurrentCaller) -> None:
    """End all sessions."""
    sessions.end_all_sessions(db, caller)
