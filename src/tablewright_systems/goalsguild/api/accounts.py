"""Accounts over HTTP: registration, profiles, names, logging in."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field

from tablewright_systems.goalsguild.api.bodies import Body, Id, left_out
from tablewright_systems.goalsguild.design.tables import Tags, Title
from tablewright_systems.goalsguild.design.users import Email, Nickname, Tier, User
from tablewright_systems.goalsguild.service import accounts, logins, users
from tablewright_systems.goalsguild.service.users import PublicProfile
from tablewright_systems.http_api import CurrentCaller, Db

router = APIRouter()

Password = Annotated[str, Field(min_length=logins.SHORTEST_PASSWORD, max_length=200)]


class Details(Body):
    """What somebody says of himself."""

    full_name: Title = left_out()
    birth_date: date | None = None
    country: str | None = Field(None, max_length=60)
    language: str | None = Field(None, max_length=35)
    gender: str | None = Field(None, max_length=40)
    pronouns: str | None = Field(None, max_length=40)
    bio: str | None = Field(None, max_length=2_000)
    tags: Tags = left_out()


class Registration(Details):
    """Who comes new; the e-mail address is the token's."""

    nickname: Nickname
    full_name: Title


class NewNickname(Body):
    """Another nickname."""

    nickname: Nickname


class NewTier(Body):
    """Another tier."""

    tier: Tier


class NewPassword(Body):
    """Another password."""

    password: Password


class Reset(NewPassword):
    """Another password, by a token that was mailed."""

    token: str


class Login(Body):
    """Who logs in."""

    email: Email
    password: Annotated[str, Field(max_length=200)]


class ResetRequest(Body):
    """Who forgot a password, and from where that was said."""

    email: Email
    address: str


class TokenBody(Body):
    """A token that works once."""

    token: str


class MailedToken(Body):
    """A token to be mailed; null when nobody has that address."""

    token: str | None


class Freedom(Body):
    """Whether a name is free."""

    is_free: bool


def _origin(request: Request) -> str:
    return request.client.host if request.client else "nowhere"


Origin = Annotated[str, Depends(_origin)]


@router.post("/profile", status_code=201)
def register(db: Db, caller: CurrentCaller, body: Registration) -> User:
    """Register, with the e-mail address of your token, and a nickname that nobody has."""
    return users.register(db, caller, **body.given())


@router.get("/profile")
def my_profile(db: Db, caller: CurrentCaller) -> User:
    """Your profile."""
    return users.my_profile(db, caller)


@router.patch("/profile")
def change_profile(db: Db, caller: CurrentCaller, body: Details) -> User:
    """Change what you say of yourself: what you leave out stays, what is null goes."""
    return users.change_profile(db, caller, body.given())


@router.put("/profile/email")
def adopt_email(db: Db, caller: CurrentCaller) -> User:
    """Have the e-mail address that your token vouches for by now."""
    return users.adopt_email(db, caller)


@router.put("/profile/nickname")
def change_nickname(db: Db, caller: CurrentCaller, body: NewNickname) -> User:
    """Have another nickname."""
    return users.change_nickname(db, caller, body.nickname)


@router.put("/profile/password", status_code=204)
def set_password(db: Db, caller: CurrentCaller, body: NewPassword) -> None:
    """Have a password to log in with."""
    logins.set_password(db, caller, body.password)


@router.delete("/profile", status_code=204)
def delete_account(db: Db, caller: CurrentCaller) -> None:
    """Delete your account and all that is yours. If it is interrupted, ask again: it goes on."""
    accounts.delete_account(db, caller)


@router.get("/users/{user_id}")
def profile_of(db: Db, caller: CurrentCaller, user_id: Id) -> PublicProfile:
    """What anybody may know of a user."""
    return users.profile_of(db, caller, user_id)


@router.get("/nicknames/{nickname}")
def profile_by_nickname(db: Db, caller: CurrentCaller, nickname: Id) -> PublicProfile:
    """What anybody may know of the one with that nickname."""
    return users.profile_by_nickname(db, caller, nickname)


@router.get("/nicknames/{nickname}/freedom")
def is_nickname_free(db: Db, caller: CurrentCaller, nickname: Id) -> Freedom:
    """Whether nobody has that nickname."""
    return Freedom(is_free=users.is_free(db, caller, "nickname", nickname))


@router.get("/emails/{email}/freedom")
def is_email_free(db: Db, caller: CurrentCaller, email: Id) -> Freedom:
    """Whether nobody has that e-mail address."""
    return Freedom(is_free=users.is_free(db, caller, "email", email))


@router.get("/users")
def profile_by_email(db: Db, caller: CurrentCaller, email: Annotated[str, Query(max_length=254)]) -> User:
    """Who has that e-mail address. For administrators."""
    return users.profile_by_email(db, caller, email)


@router.put("/users/{user_id}/tier")
def change_tier(db: Db, caller: CurrentCaller, user_id: Id, body: NewTier) -> User:
    """Give a user another tier. For administrators."""
    return users.change_tier(db, caller, user_id, body.tier)


@router.put("/users/{user_id}/suspension")
def suspend(db: Db, caller: CurrentCaller, user_id: Id) -> User:
    """Suspend a user. For administrators."""
    return users.suspend(db, caller, user_id)


@router.delete("/users/{user_id}/suspension")
def reinstate(db: Db, caller: CurrentCaller, user_id: Id) -> User:
    """Take a suspension back. For administrators."""
    return users.reinstate(db, caller, user_id)


@router.post("/logins")
def log_in(db: Db, origin: Origin, body: Login) -> TokenBody:
    """Log in with a password: a token that the issuer of identities takes, once. Needs no bearer token."""
    return TokenBody(token=logins.log_in(db, body.email, body.password, origin))


@router.post("/sign-ins")
def sign_in(db: Db, caller: CurrentCaller, body: TokenBody) -> User:
    """Who logged in a moment ago. For the issuer of identities."""
    return logins.sign_in(db, caller, body.token)


@router.post("/password-resets")
def ask_for_reset(db: Db, caller: CurrentCaller, body: ResetRequest) -> MailedToken:
    """A token to be mailed to who forgot a password. For the worker who mails it."""
    return MailedToken(token=logins.ask_for_reset(db, caller, body.email, body.address))


@router.post("/passwords", status_code=204)
def reset_password(db: Db, body: Reset) -> None:
    """Set a new password with a token that was mailed. Needs no bearer token."""
    logins.reset_password(db, body.token, body.password)
