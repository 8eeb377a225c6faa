"""Users: registration, profiles and unique names.

E-mail address and nickname are unique: the profile and its lock items (EmailUnique, NickUnique) change in one
transaction. The e-mail address always comes from the verified claim of the identity provider.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from tablewright import Find, Get, Repository, errors, fields
from tablewright_systems.goalsguild.design.tables import Tags, Title
from tablewright_systems.goalsguild.design.users import (
    EmailOwner,
    Nickname,
    NicknameOwner,
    ProfileByEmail,
    ProfileById,
    ProfileByNickname,
    Tier,
    User,
    UserStatus,
    stored_email,
)
from tablewright_systems.goalsguild.service.permissions import IS_ACTIVE, Id, require_changes
from tablewright_systems.service import (
    Caller,
    Conflict,
    Forbidden,
    Invalid,
    Line,
    NotFound,
    Prose,
    require_found,
)
from tablewright_systems.service.schemas import View
from tablewright_systems.web import (
    AUTHENTICATED,
    Body,
    CurrentCaller,
    Db,
    Router,
    limited,
    omittable,
    problems,
)

router = Router("Accounts", "Registration, profiles, names, passwords.")


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


class Availability(View):
    """Whether a name is available."""

    is_available: bool


_TAKEN = {"email": "this e-mail address is already taken", "nickname": "this nickname is already taken"}
_OWNERS: dict[str, tuple[Callable[[str], Get[User]], Callable[[str], Find[User]]]] = {
    "email": (lambda name: EmailOwner(email=name), lambda name: ProfileByEmail(email=name)),
    "nickname": (
        lambda name: NicknameOwner(nickname=name),
        lambda name: ProfileByNickname(nickname=fields.fold(name)),
    ),
}


class PublicProfile(View):
    """Public profile of a user."""

    id: str
    nickname: str
    bio: str | None
    tags: list[str]
    created_at: fields.Timestamp


@router.post("/profile", body=Registration, status_code=201, responses=problems())
def register(db: Db, caller: CurrentCaller, *, nickname: str, full_name: str, **details: Any) -> User:
    """Register with the e-mail address of your token and an unused nickname."""
    # The e-mail address comes from the token.
    user = User(id=caller.user_id, email=_email_of(caller), nickname=nickname, full_name=full_name, **details)
    _require_free(db, caller, {"email": user.email, "nickname": user.nickname})
    try:
        return db.create(user, otherwise={errors.AlreadyExists: Conflict("you are already registered")})
    except errors.UniqueViolation as taken:
        raise Conflict(_TAKEN[taken.field], taken.field) from None


@router.get("/profile", responses=problems(404))
def my_profile(db: Db, caller: CurrentCaller) -> User:
    """Get your profile."""
    return _profile(db, caller.user_id)


@router.get("/nicknames/{nickname}", dependencies=[AUTHENTICATED], reply=PublicProfile)
def profile_by_nickname(db: Db, nickname: Id) -> User:
    """Get the public profile of the user with a nickname."""
    return _public(require_found(_find(db, "nickname", nickname), f"user {nickname}"))


@router.get("/users/{user_id}", dependencies=[AUTHENTICATED], reply=PublicProfile)
def profile_of(db: Db, user_id: Id) -> User:
    """Get the public profile of a user."""
    return _public(_profile(db, user_id))


@router.get("/users", responses=problems(403, 404))
def profile_by_email(db: Db, caller: CurrentCaller, email: Annotated[str, Query(max_length=254)]) -> User:
    """Get the user with an e-mail address (administrators)."""
    caller.require_role("admin")
    return require_found(_find(db, "email", email), "user with this e-mail address")


def user_at(db: Repository, email: str) -> User | None:
    """Return the user with an e-mail address by its lock, without the lag of an index.

    Profiles of other programs have no lock until they are adopted; the index has them. Of two with one address, none
    can log in: one of them must change it first.
    """
    with suppress(errors.SeveralFound):
        return db.run(EmailOwner(email=email)) or db.run(ProfileByEmail(email=email))
    return None


def is_free(db: Repository, name: Literal["email", "nickname"], value: str) -> bool:
    """Return whether an e-mail address or nickname is available now."""
    lock, owner = _OWNERS[name]
    with suppress(errors.SeveralFound):
        return db.run(lock(value)) is None and db.run(owner(value)) is None
    return False


@router.patch("/profile", body=Details)
def change_profile(db: Db, caller: CurrentCaller, **changes: Any) -> User:
    """Update your profile.

    Omitted fields are unchanged; null removes a field.
    """
    return _update(db, caller, require_changes(changes))


@router.put("/profile/email")
def adopt_email(db: Db, caller: CurrentCaller) -> User:
    """Replace your e-mail address with the one in your token."""
    return _update(db, caller, {"email": _email_of(caller)})


@router.put("/profile/nickname")
def change_nickname(db: Db, caller: CurrentCaller, nickname: Nickname) -> User:
    """Change your nickname."""
    return _update(db, caller, {"nickname": nickname})


@router.put("/users/{user_id}/tier")
def change_tier(db: Db, caller: CurrentCaller, user_id: Id, tier: Tier) -> User:
    """Change the tier of a user (administrators)."""
    caller.require_role("admin")
    return db.update(ProfileById(user_id=user_id), set={"tier": tier}, otherwise=NotFound(f"user {user_id}"))


@router.put("/users/{user_id}/suspension")
def suspend(db: Db, caller: CurrentCaller, user_id: Id) -> User:
    """Suspend a user (administrators)."""
    return _change_status(db, caller, user_id, UserStatus.SUSPENDED)


@router.delete("/users/{user_id}/suspension")
def reinstate(db: Db, caller: CurrentCaller, user_id: Id) -> User:
    """Lift the suspension of a user (administrators)."""
    return _change_status(db, caller, user_id, UserStatus.ACTIVE)


def _update(db: Repository, caller: Caller, changes: dict[str, Any]) -> User:
    """Update the profile of the caller, with its locks, if the account is active."""
    otherwise = {
        errors.DoesNotExist: NotFound(f"user {caller.user_id}"),
        errors.ConditionNotMet: Forbidden("this requires an active account"),
    }
    _require_free(db, caller, changes)
    try:
        return db.update(
            ProfileById(user_id=caller.user_id), set=changes, when=IS_ACTIVE, otherwise=otherwise
        )
    except errors.UniqueViolation as taken:
        raise Conflict(_TAKEN[taken.field], taken.field) from None


def _require_free(db: Repository, caller: Caller, names: Mapping[str, Any]) -> None:
    """Raise `Conflict` if another profile has one of the names without a lock, as other programs write profiles.

    An index lags, so the profile itself decides. Where there is a lock, the transaction that claims it decides.
    """
    for name, (lock, owner) in _OWNERS.items():
        if name not in names or db.run(lock(names[name])) is not None:
            continue
        try:
            holder = db.run(owner(names[name]))
        except errors.SeveralFound:
            raise Conflict(_TAKEN[name], name) from None
        other = db.run(ProfileById(user_id=holder.id)) if holder and holder.id != caller.user_id else None
        if other and owner(getattr(other, name)) == owner(names[name]):
            raise Conflict(_TAKEN[name], name)


def _change_status(db: Repository, caller: Caller, user_id: str, status: UserStatus) -> User:
    caller.require_role("admin")
    otherwise = {
        errors.DoesNotExist: NotFound(f"user {user_id}"),
        errors.ConditionNotMet: Conflict("this account is being deleted"),
    }
    is_lasting = User.status != UserStatus.DELETING
    return db.update(
        ProfileById(user_id=user_id), set={"status": status}, when=is_lasting, otherwise=otherwise
    )


def _find(db: Repository, name: str, value: str) -> User | None:
    """Return the user with a name by its index; of several that another program wrote, the one with the lock."""
    lock, owner = _OWNERS[name]
    try:
        return db.run(owner(value))
    except errors.SeveralFound:
        return db.run(lock(value))


def _email_of(caller: Caller) -> str:
    if caller.email is None:
        raise Invalid("the token contains no verified e-mail address", "email")
    try:
        return stored_email(caller.email)
    except ValueError as error:
        raise Invalid(f"the e-mail address of the token is invalid: {error}", "email") from None


def _profile(db: Repository, user_id: str) -> User:
    return require_found(db.run(ProfileById(user_id=user_id)), f"user {user_id}")


def _public(user: User) -> User:
    if user.status in (UserStatus.SUSPENDED, UserStatus.DELETING):
        raise NotFound(f"user {user.nickname}")
    return user


@router.get(
    "/nicknames/{nickname}/availability",
    responses=problems(404, 409, 429),
    dependencies=[limited("nicknames", 30)],
    reply=Availability,
)
def is_nickname_free(db: Db, caller: CurrentCaller, nickname: Id) -> bool:
    """Check whether a nickname is available."""
    return is_free(db, "nickname", nickname)
