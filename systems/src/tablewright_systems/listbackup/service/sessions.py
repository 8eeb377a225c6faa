"""Sessions: our own refresh tokens. A token is used once and is replaced by the next of its family.

Every use reads and writes the family item and the user's item consistently: a revoked family is revoked for all its
tokens, also for one that an index does not show yet. A used token is kept until it expires: if it is used again, it was
stolen, and the family is revoked.

A user with a second factor proves it when a session starts, and again in a session that has not proved it for a week
or that is older than the second factor.

ListBackup signs the access token of a session. In development, the local issuer signs all tokens. In production,
`SessionAuthenticator` accepts the tokens of the identity provider and those that ListBackup signs with its own key.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Annotated, Any, Protocol, runtime_checkable
from uuid import uuid4

import jwt
from fastapi import Depends, Request
from pydantic import Field

from tablewright import Repository, fields, reads, writes
from tablewright_systems.listbackup.design.memberships import Membership, MembershipStatus, UserAccount
from tablewright_systems.listbackup.design.sessions import (
    FamilyById,
    RefreshToken,
    RefreshTokenOf,
    SessionsOfUser,
    TokenFamily,
    TokensOfFamily,
)
from tablewright_systems.listbackup.design.users import User, UserById, UserStatus
from tablewright_systems.listbackup.design.vocabulary import Id, ResourceType
from tablewright_systems.listbackup.service import alerts, audit, mfa
from tablewright_systems.listbackup.service.access import (
    SecondFactorRequired,
    access_of,
    active_user,
    signed_up_user,
)
from tablewright_systems.listbackup.service.audit import ORIGIN, Action
from tablewright_systems.listbackup.service.mfa import Code
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    Forbidden,
    NotFound,
    Unauthenticated,
    Unavailable,
    sorted_page,
)
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, View, problems
from tablewright_systems.web.authentication import LOCAL_ISSUER, Authenticator, LocalIssuer

router = Router("Sessions", "Sessions of the caller.")

LIFETIME = timedelta(days=30)
SECOND_FACTOR_LIFETIME = timedelta(days=7)
"""How long a session can be refreshed without another code."""
GRACE_PERIOD = timedelta(seconds=10)
"""A token used again within this time counts as a repeated request: it is rejected, but the family stays valid."""

MAX_ID_LENGTH = 100
"""No session of ours has a longer id; a provider may have any."""

ACCESS_LIFETIME = timedelta(minutes=15)
"""How long an access token is valid: a session that ended can be used for that time at most."""

ROTATED = "rotated"
REUSED = "reused"
_ENDED = "the session was ended; sign in again"


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token for the client, returned only once, its stored record, and its user for the access token."""

    token: str
    stored: RefreshToken
    user: User
    has_second_factor: bool = False

    @property
    def claims(self) -> dict[str, Any]:
        """The claims of the access token that belongs to it. Roles of the platform's staff are never among them."""
        methods = {"amr": ["mfa"]} if self.has_second_factor else {}
        return {
            "email": self.user.email,
            "email_verified": True,
            "sid": self.stored.token_family,
            **methods,
        }


@runtime_checkable
class TokenIssuer(Protocol):
    """Signs access tokens."""

    def issue(self, user_id: str, /, lifetime: timedelta, **claims: Any) -> str:
        """Return a signed token for a user."""
        ...


class SessionAuthenticator:
    """Accepts the tokens of an identity provider and those that ListBackup itself issues for sessions.

    authenticator = SessionAuthenticator(IdentityProvider(...), LocalIssuer.from_file(Path("sessions.pem")))
    """

    def __init__(self, provider: Authenticator, own: LocalIssuer) -> None:
        self._provider = provider
        self._own = own

    def authenticate(self, token: str) -> Caller:
        """Return the caller that a token was issued to; the issuer that the token names must have signed it."""
        try:
            is_own = jwt.decode(token, options={"verify_signature": False}).get("iss") == LOCAL_ISSUER
        except jwt.PyJWTError:
            is_own = False
        return (self._own if is_own else self._provider).authenticate(token)

    def issue(self, user_id: str, /, lifetime: timedelta, **claims: Any) -> str:
        """Return a token for a user, signed with ListBackup's own key."""
        return self._own.issue(user_id, lifetime, **claims)


def token_issuer(authenticator: Authenticator) -> TokenIssuer:
    """Return the issuer of access tokens, or raise Unavailable if the API was built without one."""
    if isinstance(authenticator, TokenIssuer):
        return authenticator
    raise Unavailable("this API cannot issue access tokens; build it with a SessionAuthenticator")


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


def _issued_view(issuer: TokenIssuer, issued: IssuedToken) -> IssuedView:
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


@router.post("/sessions", status_code=201, responses=problems(404, 429), name="sign_in")
def start_session(
    db: Db, caller: CurrentCaller, issuer: Issuer, account_id: Id, code: Code | None = None
) -> IssuedView:
    """Start a session, with a code if the user has a second factor."""
    return _issued_view(issuer, sign_in(db, caller, account_id, code))


@router.post("/sessions/refresh", responses=problems(401, 404, 429), name="rotate")
def refresh_session(
    db: Db,
    issuer: Issuer,
    refresh_token: Annotated[str, Field(min_length=1, max_length=512)],
    code: Code | None = None,
) -> IssuedView:
    """Get a new access token. The refresh token, which identifies the user, is replaced by the next one.

    Send a code if the reply to a request without one was `second_factor_required`.
    """
    return _issued_view(issuer, rotate(db, refresh_token, code))


@router.get("/sessions", reply=SessionView)
def own_sessions(db: Db, caller: CurrentCaller, paging: PageRequest = FIRST_PAGE) -> reads.Page[RefreshToken]:
    """List the caller's sessions, newest first."""

    def age(token: RefreshToken) -> tuple[str, str]:
        return token.issued_at.isoformat(), token.token_family

    return sorted_page(sessions(db, caller), paging, "sessions", age, descending=True)


@router.get("/sessions/{token_family}", reply=UsedTokenView)
def session_history(
    db: Db, caller: CurrentCaller, token_family: str, paging: PageRequest = FIRST_PAGE
) -> reads.Page[RefreshToken]:
    """List the tokens that one of the caller's sessions has had, oldest first: when and from where it was used."""
    active_user(db, caller)
    _own_family(db, caller, token_family)
    tokens = db.all(TokensOfFamily(token_family=token_family))
    return sorted_page(tokens, paging, f"session {token_family}", _age)


def sign_in(db: Repository, caller: Caller, account_id: str, code: str | None = None) -> IssuedToken:
    """Start a session: a new family with its first token.

    The identity provider has authenticated the caller; a user with a second factor also needs a code. The access token
    of a session is not enough: it would outlive that session.
    """
    _refuse_access_token(db, caller)
    user = signed_up_user(db, caller.user_id)
    access_of(db, user, account_id)
    proved, condition = _second_factor(db, user, code) if user.mfa_enabled else ({}, _NO_MFA)
    family = TokenFamily(
        token_family=str(uuid4()),
        user_id=caller.user_id,
        account_id=account_id,
        second_factor_at=db.now() if proved else None,
        expires_at=db.now() + LIFETIME,
    )
    token, stored = _new_token(db, family)
    db.transact(
        writes.Create(family),
        writes.Create(stored),
        writes.Update(
            UserById(user_id=caller.user_id),
            set={"last_login_at": db.now(), **proved},
            when=_ACTIVE & condition,
            otherwise=_reason(db, user),
        ),
        audit.record(caller, audit.Resource(account_id, ResourceType.USER, caller.user_id), Action.LOGIN),
    )
    return IssuedToken(token, stored, user, bool(proved))


def rotate(db: Repository, token: str, code: str | None = None) -> IssuedToken:
    """Replace a token by the next one. The token itself identifies the user."""
    used = db.run(RefreshTokenOf(refresh_token=token))
    if used is None or used.expires_at <= db.now():
        raise Unauthenticated("the session has expired; sign in again")
    family = _family(db, used.token_family)
    if used.revoked:
        _reject_reuse(db, used, family)
    user = access_of(db, signed_up_user(db, used.user_id), used.account_id).user
    if not _is_valid(user, family):
        raise Unauthenticated(_ENDED)
    is_asked = user.mfa_enabled and _is_second_factor_due(db, family)
    proved, condition = _second_factor(db, user, code) if is_asked else ({}, _mfa_is(user.mfa_enabled))
    fresh, stored = _new_token(db, family)
    ended = Unauthenticated(_ENDED)
    valid = _ACTIVE & (User.sessions_valid_after == user.sessions_valid_after) & condition
    of_user = UserById(user_id=user.user_id)
    db.transact(
        writes.Update(
            RefreshTokenOf(refresh_token=token),
            set={"last_used_at": db.now(), **_revoked(db, used.user_id, ROTATED)},
            when=_LIVE_TOKEN,
            otherwise=_used_just_now(),
        ),
        writes.Update(
            FamilyById(token_family=family.token_family),
            set={"second_factor_at": db.now()} if proved else {},
            add={"generation": 1},
            when=_LIVE,
            otherwise=ended,
        ),
        writes.Create(stored),
        writes.Update(of_user, set=proved, when=valid, otherwise=ended)
        if proved
        else writes.Check(of_user, valid, otherwise=ended),
        writes.Check(
            Membership(user_id=user.user_id, account_id=used.account_id),
            UserAccount.status == MembershipStatus.ACTIVE,
            otherwise=ended,
        ),
    )
    return IssuedToken(fresh, stored, user, user.mfa_enabled)


def sessions(db: Repository, caller: Caller) -> list[RefreshToken]:
    """Return the caller's valid sessions, newest first, each by its current token."""
    user = active_user(db, caller)
    live = [
        token
        for token in db.iterate(SessionsOfUser(user_id=caller.user_id))
        if not token.revoked and token.expires_at > db.now()
    ]
    heads = db.get_all([FamilyById(token_family=token.token_family) for token in live])
    return [
        token
        for token, head in zip(live, heads, strict=True)
        if head is not None and not head.revoked and _is_valid(user, head)
    ]


@router.delete("/sessions/{token_family}", status_code=204)
def end_session(db: Db, caller: CurrentCaller, token_family: str) -> None:
    """End one session."""
    _revoke_family(db, _own_family(db, caller, token_family), caller.user_id, "signed out")


@router.delete("/sessions", status_code=204)
def end_all_sessions(db: Db, caller: CurrentCaller) -> None:
    """End all sessions."""
    # All that started until now, whether an index shows them or not.
    user = active_user(db, caller)
    db.update(UserById(user_id=user.user_id), set={"sessions_valid_after": db.now()})
    families = {token.token_family for token in db.iterate(SessionsOfUser(user_id=user.user_id))}
    for family in db.get_all([FamilyById(token_family=family_id) for family_id in sorted(families)]):
        if family is not None:
            _revoke_family(db, family, caller.user_id, "signed out everywhere")


_ACTIVE = User.status == UserStatus.ACTIVE
_LIVE = TokenFamily.revoked == False  # noqa: E712 - a condition
_LIVE_TOKEN = RefreshToken.revoked == False  # noqa: E712 - a condition


def _mfa_is(enabled: bool) -> Any:
    """The condition that the second factor was neither activated nor deactivated in the meantime."""
    return User.mfa_enabled != (not enabled)  # absent in items of V1, which have none


_NO_MFA = _mfa_is(False)


def _refuse_access_token(db: Repository, caller: Caller) -> None:
    """Raise Unauthenticated if the caller's token belongs to a session of ours; a provider has other ids."""
    session = caller.claim("sid") or ""
    if 0 < len(session) <= MAX_ID_LENGTH and db.run(FamilyById(token_family=session)) is not None:
        raise Unauthenticated("a session cannot start another one; sign in at the identity provider")


def _second_factor(db: Repository, user: User, code: str | None) -> tuple[dict[str, Any], Any]:
    """Return the values and the condition of the write that uses up a code; raise if there is no valid code."""
    if code is None:
        raise SecondFactorRequired("send a code of your authenticator", "code")
    accepted = mfa.accept_code(db, user, code)
    return accepted.values, accepted.condition


def _is_second_factor_due(db: Repository, family: TokenFamily) -> bool:
    proved = family.second_factor_at
    return proved is None or db.now() - proved >= SECOND_FACTOR_LIFETIME


def _reason(db: Repository, user: User) -> Exception:
    if user.mfa_enabled:
        return Conflict("the code was used by another request; send the next one", "code")
    return Forbidden("your user was suspended or changed by another request")


def _new_token(db: Repository, family: TokenFamily) -> tuple[str, RefreshToken]:
    token = secrets.token_urlsafe(32)
    origin = ORIGIN.get()
    stored = RefreshToken(
        refresh_token=token,
        user_id=family.user_id,
        account_id=family.account_id,
        token_family=family.token_family,
        expires_at=min(db.now() + LIFETIME, family.expires_at),
        ip_address=origin.ip_address,
        user_agent=origin.user_agent,
    )
    return token, stored


def _family(db: Repository, token_family: str) -> TokenFamily:
    family = db.run(FamilyById(token_family=token_family))
    if family is None or family.revoked:
        raise Unauthenticated(_ENDED)
    return family


def _own_family(db: Repository, caller: Caller, token_family: str) -> TokenFamily:
    family = db.run(FamilyById(token_family=token_family))
    if family is None or family.user_id != caller.user_id:
        raise NotFound(f"session {token_family}")
    return family


def _is_valid(user: User, family: TokenFamily) -> bool:
    return user.sessions_valid_after is None or family.started_at > user.sessions_valid_after


def _reject_reuse(db: Repository, used: RefreshToken, family: TokenFamily) -> None:
    if used.last_used_at is not None and db.now() - used.last_used_at <= GRACE_PERIOD:
        raise _used_just_now()
    _revoke_family(db, family, used.user_id, REUSED)
    raise Unauthenticated("the refresh token was used before; its session is revoked, sign in again")


def _used_just_now() -> Conflict:
    return Conflict("the refresh token was used just now; use the new one from that reply", "refreshToken")


def _revoke_family(db: Repository, family: TokenFamily, by: str, reason: str) -> None:
    who = None if reason == REUSED else Caller(by)
    activity = audit.record(who, family, Action.REVOKE, metadata={"reason": reason})
    ended = writes.Update(FamilyById(token_family=family.token_family), set=_revoked(db, by, reason))
    notices = alerts.session_revoked(db, family.user_id) if reason == REUSED else []
    db.transact(ended, activity, *notices)


def _revoked(db: Repository, by: str, reason: str) -> dict[str, Any]:
    return {"revoked": True, "revoked_at": db.now(), "revoked_by": by, "revoked_reason": reason}
