"""Users: sign-up, profile, second factor, and sessions. A refresh token is returned once.

Access tokens are signed by ListBackup when a session starts or is refreshed. In development, the local issuer signs all
tokens. In production, `SessionAuthenticator` accepts the tokens of the identity provider and those that ListBackup
signs with its own key.
"""

from datetime import timedelta
from hashlib import sha256
from typing import Annotated, Any, Protocol, runtime_checkable

import jwt
from fastapi import Depends, Request, Response
from pydantic import AfterValidator, Field, TypeAdapter

from tablewright import fields
from tablewright_systems.listbackup.api.names import Name
from tablewright_systems.listbackup.design.accounts import AccountType
from tablewright_systems.listbackup.design.sessions import RefreshToken
from tablewright_systems.listbackup.design.users import Preferences, UserRole, UserStatus
from tablewright_systems.listbackup.design.vocabulary import Id, Username
from tablewright_systems.listbackup.service import mfa, sessions, users
from tablewright_systems.service import Caller, Unavailable, require_name, sorted_page
from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router, View, problems
from tablewright_systems.web.authentication import LOCAL_ISSUER, Authenticator, LocalIssuer

ACCESS_LIFETIME = timedelta(minutes=15)
"""How long an access token is valid: a session that ended can be used for that time at most."""


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


session_router = Router("Sessions", "Sessions of the caller.")


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


def _issued_view(issuer: TokenIssuer, issued: sessions.IssuedToken) -> IssuedView:
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


@session_router.post("/sessions", status_code=201, responses=problems(404, 429))
def sign_in(db: Db, caller: CurrentCaller, issuer: Issuer, body: SignIn) -> IssuedView:
    """Start a session."""
    return _issued_view(issuer, sessions.sign_in(db, caller, body.account_id, body.code))


@session_router.post("/sessions/refresh", responses=problems(401, 404, 429))
def rotate(db: Db, issuer: Issuer, body: RefreshTokenBody) -> IssuedView:
    """Get a new access token. The refresh token, which identifies the user, is replaced by the next one."""
    return _issued_view(issuer, sessions.rotate(db, body.refresh_token, body.code))


@session_router.get("/sessions")
def own_sessions(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[SessionView]:
    """List the caller's sessions, newest first."""
    current = sessions.sessions(db, caller)
    page = sorted_page(
        current,
        paging,
        "sessions",
        lambda token: (token.issued_at.isoformat(), token.token_family),
        descending=True,
    )
    return PageReply.map(page, SessionView.model_validate)


@session_router.get("/sessions/{token_family}")
def session_history(
    db: Db, caller: CurrentCaller, token_family: str, paging: PageRequest
) -> PageReply[UsedTokenView]:
    """List the tokens that one of the caller's sessions has had, oldest first: when and from where it was used."""
    history = sessions.session_history(db, caller, token_family)
    page = sorted_page(history, paging, f"session {token_family}", _age)
    return PageReply.map(page, UsedTokenView.model_validate)


@session_router.delete("/sessions/{token_family}", status_code=204, response_class=Response)
def end_session(db: Db, caller: CurrentCaller, token_family: str) -> None:
    """End one session."""
    sessions.end_session(db, caller, token_family)


@session_router.delete("/sessions", status_code=204, response_class=Response)
def end_all_sessions(db: Db, caller: CurrentCaller) -> None:
    """End all sessions."""
    sessions.end_all_sessions(db, caller)


router = Router("Users", "Sign-up, profile, second factor.")

_USERNAME: TypeAdapter[str] = TypeAdapter(Username)


def _fit(username: str) -> str:
    _USERNAME.validate_python(username)
    return require_name(username)


GivenUsername = Annotated[str, AfterValidator(_fit)]
"""A username as it was typed, which is kept for display; it has to fit once it is normalised."""


class UserView(View):
    """A user, without the secret of the second factor."""

    user_id: str
    email: str
    username: str
    display_email: str
    display_username: str
    name: str
    account_id: str | None
    status: UserStatus
    role: UserRole
    preferences: Preferences
    created_at: fields.Timestamp
    updated_at: fields.Timestamp
    last_login_at: fields.Timestamp | None
    mfa_enabled: bool


class SignUp(Body):
    """A new user with an account; the e-mail address comes from the token."""

    username: GivenUsername
    name: Name
    account_name: Name
    account_type: AccountType = AccountType.CONGLOMERATE


class UserChanges(Body):
    """Changes of the caller's profile."""

    name: Name | None = None
    username: GivenUsername | None = None
    preferences: Preferences | None = None


class PrimaryAccount(Body):
    """The new primary account."""

    account_id: Id


class MfaSecret(View):
    """The secret for the authenticator; returned only once."""

    secret: str


class MfaCode(Body):
    """A code from the authenticator."""

    code: Code


class StatusOfUser(Body):
    """The new status of a user."""

    status: UserStatus


class RoleOfUser(Body):
    """The new platform-wide role of a user."""

    role: UserRole


@router.post("/users", status_code=201)
def sign_up(db: Db, caller: CurrentCaller, body: SignUp) -> UserView:
    """Sign up, with a new account."""
    user = users.sign_up(
        db,
        caller,
        username=body.username,
        name=body.name,
        account_name=body.account_name,
        account_type=body.account_type,
    )
    return UserView.model_validate(user)


@router.get("/users/me", responses=problems(404))
def read_me(db: Db, caller: CurrentCaller) -> UserView:
    """Get the caller's profile."""
    return UserView.model_validate(users.own_user(db, caller))


@router.patch("/users/me")
def change_profile(db: Db, caller: CurrentCaller, body: UserChanges) -> UserView:
    """Change the caller's profile."""
    return UserView.model_validate(users.change_profile(db, caller, **body.given()))


@router.put("/users/me/email")
def update_email(db: Db, caller: CurrentCaller) -> UserView:
    """Replace the caller's e-mail address by the one in the token."""
    return UserView.model_validate(users.update_email(db, caller))


@router.put("/users/me/primary-account")
def choose_primary_account(db: Db, caller: CurrentCaller, body: PrimaryAccount) -> UserView:
    """Choose the caller's primary account."""
    return UserView.model_validate(users.choose_primary_account(db, caller, body.account_id))


@router.post("/users/me/mfa", status_code=201)
def start_mfa(db: Db, caller: CurrentCaller) -> MfaSecret:
    """Create a secret for the authenticator."""
    return MfaSecret(secret=mfa.start_mfa(db, caller))


@router.post("/users/me/mfa/confirmation", responses=problems(404, 429))
def confirm_mfa(db: Db, caller: CurrentCaller, body: MfaCode) -> UserView:
    """Activate the second factor with a code."""
    return UserView.model_validate(mfa.confirm_mfa(db, caller, body.code))


@router.post("/users/me/mfa/removal", responses=problems(404, 429))
def stop_mfa(db: Db, caller: CurrentCaller, body: MfaCode) -> UserView:
    """Deactivate the second factor with a code."""
    return UserView.model_validate(mfa.stop_mfa(db, caller, body.code))


@router.put("/users/{user_id}/status")
def set_status(db: Db, caller: CurrentCaller, user_id: str, body: StatusOfUser) -> UserView:
    """Suspend or reactivate a user. For the platform's staff."""
    return UserView.model_validate(users.set_status(db, caller, user_id, body.status))


@router.put("/users/{user_id}/role")
def set_role(db: Db, caller: CurrentCaller, user_id: str, body: RoleOfUser) -> UserView:
    """Make a user a platform admin, an ordinary user, or read-only in all accounts. For platform admins."""
    return UserView.model_validate(users.set_role(db, caller, user_id, body.role))


@router.delete("/users/{user_id}/mfa")
def reset_mfa(db: Db, caller: CurrentCaller, user_id: str) -> UserView:
    """Remove the second factor of a user who lost the authenticator. For platform admins."""
    return UserView.model_validate(mfa.reset_mfa(db, caller, user_id))
