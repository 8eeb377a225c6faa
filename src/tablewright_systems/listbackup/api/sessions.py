"""Sessions. A refresh token is returned once; lists show only times and origin."""

from datetime import datetime
from typing import Annotated

from fastapi import Response
from pydantic import Field

from tablewright_systems.listbackup.design.sessions import RefreshToken
from tablewright_systems.listbackup.design.vocabulary import Id
from tablewright_systems.listbackup.service.users import sessions
from tablewright_systems.listbackup.service.users.sessions import IssuedToken
from tablewright_systems.web import Body, CurrentCaller, Db, Router, View

router = Router("Sessions", "Sessions of the caller.")


class SignIn(Body):
    """The account of the new session."""

    account_id: Id


class RefreshTokenBody(Body):
    """A refresh token."""

    refresh_token: Annotated[str, Field(min_length=1, max_length=512)]


class SessionView(View):
    """A session: its token family and the dates and origin of its current token, without the token."""

    token_family: str
    account_id: str
    issued_at: datetime
    expires_at: datetime
    user_agent: str | None
    ip_address: str | None

    @classmethod
    def of(cls, token: RefreshToken) -> "SessionView":
        """Build the view of a stored token."""
        return cls(**{name: getattr(token, name) for name in cls.model_fields})


class IssuedView(View):
    """A new token, for the client to keep."""

    refresh_token: str
    session: SessionView

    @classmethod
    def of(cls, issued: IssuedToken) -> "IssuedView":
        """Build the view of an issued token."""
        return cls(refresh_token=issued.token, session=SessionView.of(issued.stored))


@router.post("/sessions", status_code=201)
def sign_in(db: Db, caller: CurrentCaller, body: SignIn) -> IssuedView:
    """Start a session."""
    return IssuedView.of(sessions.sign_in(db, caller, body.account_id))


@router.post("/sessions/refresh")
def rotate(db: Db, body: RefreshTokenBody) -> IssuedView:
    """Replace a refresh token by the next one; the token identifies the user."""
    return IssuedView.of(sessions.rotate(db, body.refresh_token))


@router.get("/sessions")
def own_sessions(db: Db, caller: CurrentCaller) -> list[SessionView]:
    """List the caller's sessions, newest first."""
    return [SessionView.of(token) for token in sessions.sessions(db, caller)]


@router.delete("/sessions/{token_family}", status_code=204, response_class=Response)
def end_session(db: Db, caller: CurrentCaller, token_family: str) -> None:
    """End one session."""
    sessions.end_session(db, caller, token_family)


@router.delete("/sessions", status_code=204, response_class=Response)
def end_all_sessions(db: Db, caller: CurrentCaller) -> None:
    """End all sessions."""
    sessions.end_all_sessions(db, caller)
