"""HTTP endpoints for accounts: registration, profiles, names, logins."""

from datetime import date
from typing import Annotated

from fastapi import Query
from pydantic import Field

from tablewright_systems.goalsguild.api.bodies import Id
from tablewright_systems.goalsguild.design.tables import Tags, Title
from tablewright_systems.goalsguild.design.users import Nickname, Tier, User
from tablewright_systems.goalsguild.service import accounts, logins, passwords, users
from tablewright_systems.goalsguild.service.users import PublicProfile
from tablewright_systems.service import EmailAddress, Line, Prose
from tablewright_systems.web import (
    Body,
    ClientNetwork,
    CurrentCaller,
    Db,
    Router,
    View,
    limited,
    omittable,
    problems,
)

router = Router("Accounts", "Registration, profiles, names, passwords.")

Password = Annotated[str, Field(min_length=passwords.MIN_LENGTH, max_length=200)]


class ProfileFields(Body):
    """Profile fields that a user can omit."""

    birth_date: date | None = None
    country: Line | None = Field(default=None, max_length=60)
    language: Line | None = Field(default=None, max_length=35)
    gender: Line | None = Field(default=None, max_length=40)
    pronouns: Line | None = Field(default=None, max_length=40)
    bio: Prose | None = Field(default=None, max_length=2_000)
    tags: Tags = omittable()


class Details(ProfileFields):
    """Profile fields that a user can change."""

    full_name: Title = omittable()


class Registration(ProfileFields):
    """A new user; the e-mail address comes from the token."""

    nickname: Nickname
    full_name: Title


class NewNickname(Body):
    """A new nickname."""

    nickname: Nickname


class NewTier(Body):
    """A new tier."""

    tier: Tier


class NewPassword(Body):
    """A new password."""

    password: Password


class Reset(NewPassword):
    """A new password, with the token from the reset e-mail."""

    token: str


class Login(Body):
    """Credentials of a user."""

    email: EmailAddress
    password: Annotated[str, Field(max_length=200)]


class ResetRequest(Body):
    """E-mail address of the user."""

    email: EmailAddress


class TokenBody(Body):
    """A token for single use."""

    token: str


class Availability(View):
    """Whether a name is available."""

    is_available: bool


@router.post("/profile", status_code=201, responses=problems())
def register(db: Db, caller: CurrentCaller, body: Registration) -> User:
    """Register with the e-mail address of your token and an unused nickname."""
    return users.register(db, caller, **body.given())


@router.get("/profile", responses=problems(404))
def my_profile(db: Db, caller: CurrentCaller) -> User:
    """Get your profile."""
    return users.my_profile(db, caller)


@router.patch("/profile")
def change_profile(db: Db, caller: CurrentCaller, body: Details) -> User:
    """Update your profile.

    Omitted fields are unchanged; null removes a field.
    """
    return users.change_profile(db, caller, body.given())


@router.put("/profile/email")
def adopt_email(db: Db, caller: CurrentCaller) -> User:
    """Replace your e-mail address with the one in your token."""
    return users.adopt_email(db, caller)


@router.put("/profile/nickname")
def change_nickname(db: Db, caller: CurrentCaller, body: NewNickname) -> User:
    """Change your nickname."""
    return users.change_nickname(db, caller, body.nickname)


@router.put("/profile/password", status_code=204)
def set_password(db: Db, caller: CurrentCaller, body: NewPassword) -> None:
    """Set your password."""
    logins.set_password(db, caller, body.password)


@router.delete("/profile", status_code=204)
def delete_account(db: Db, caller: CurrentCaller) -> None:
    """Delete your account and all its data.

    If the deletion is interrupted, send the request again to continue it.
    """
    accounts.delete_account(db, caller)


@router.get("/users/{user_id}")
def profile_of(db: Db, caller: CurrentCaller, user_id: Id) -> PublicProfile:
    """Get the public profile of a user."""
    return users.profile_of(db, user_id)


@router.get("/nicknames/{nickname}")
def profile_by_nickname(db: Db, caller: CurrentCaller, nickname: Id) -> PublicProfile:
    """Get the public profile of the user with a nickname."""
    return users.profile_by_nickname(db, nickname)


@router.get(
    "/nicknames/{nickname}/availability",
    dependencies=[limited("nicknames", 30)],
    responses=problems(404, 409, 429),
)
def is_nickname_free(db: Db, caller: CurrentCaller, nickname: Id) -> Availability:
    """Check whether a nickname is available."""
    return Availability(is_available=users.is_free(db, "nickname", nickname))


@router.get("/emails/{email}/availability", responses=problems(404, 409, 429))
def is_email_free(db: Db, caller: CurrentCaller, network: ClientNetwork, email: Id) -> Availability:
    """Check whether an e-mail address is available; a few times in a quarter of an hour."""
    return Availability(is_available=logins.is_email_free(db, caller, email, network))


@router.get("/users", responses=problems(403, 404))
def profile_by_email(db: Db, caller: CurrentCaller, email: Annotated[str, Query(max_length=254)]) -> User:
    """Get the user with an e-mail address (administrators)."""
    return users.profile_by_email(db, caller, email)


@router.put("/users/{user_id}/tier")
def change_tier(db: Db, caller: CurrentCaller, user_id: Id, body: NewTier) -> User:
    """Change the tier of a user (administrators)."""
    return users.change_tier(db, caller, user_id, body.tier)


@router.put("/users/{user_id}/suspension")
def suspend(db: Db, caller: CurrentCaller, user_id: Id) -> User:
    """Suspend a user (administrators)."""
    return users.suspend(db, caller, user_id)


@router.delete("/users/{user_id}/suspension")
def reinstate(db: Db, caller: CurrentCaller, user_id: Id) -> User:
    """Lift the suspension of a user (administrators)."""
    return users.reinstate(db, caller, user_id)


@router.post("/logins", responses=problems(401, 403, 404, 429))
def log_in(db: Db, network: ClientNetwork, body: Login) -> TokenBody:
    """Log in with a password; no bearer token required.

    The returned token is not a bearer token. Give it to the identity provider, which exchanges it once, within five
    minutes, at `POST /sign-ins` for the user who logged in, and then issues the bearer token for the other operations.
    """
    return TokenBody(token=logins.log_in(db, body.email, body.password, network))


@router.post("/sign-ins", responses=problems(403, 404, 410))
def sign_in(db: Db, caller: CurrentCaller, body: TokenBody) -> User:
    """Exchange a login token for the user who logged in (identity provider)."""
    return logins.sign_in(db, caller, body.token)


@router.post("/password-resets", status_code=204, responses=problems(404, 429))
def request_reset(db: Db, network: ClientNetwork, body: ResetRequest) -> None:
    """Request a mail with a token that resets your password; no bearer token required.

    The mail goes to the address of your profile. The reply is the same if no user has this address.
    """
    logins.request_reset(db, body.email, network)


@router.post("/passwords", status_code=204, responses=problems(403, 404, 410))
def reset_password(db: Db, body: Reset) -> None:
    """Set a new password with a reset token; no bearer token required."""
    logins.reset_password(db, body.token, body.password)
