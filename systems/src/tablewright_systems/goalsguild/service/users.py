"""Users: registration, profiles and unique names.

E-mail address and nickname are unique: the profile and its lock items (EmailUnique, NickUnique) change in one
transaction. The e-mail address always comes from the verified claim of the identity provider.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Literal

from tablewright import Find, Get, Repository, errors, fields
from tablewright_systems.goalsguild.design.users import (
    EmailOwner,
    NicknameOwner,
    ProfileByEmail,
    ProfileById,
    ProfileByNickname,
    Tier,
    User,
    UserStatus,
    stored_email,
)
from tablewright_systems.goalsguild.service.permissions import IS_ACTIVE, require_changes
from tablewright_systems.service import Caller, Conflict, Forbidden, Invalid, NotFound, require_found
from tablewright_systems.service.schemas import View

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


def register(db: Repository, caller: Caller, *, nickname: str, full_name: str, **details: Any) -> User:
    """Register the caller and reserve the names; the e-mail address comes from the token."""
    user = User(id=caller.user_id, email=_email_of(caller), nickname=nickname, full_name=full_name, **details)
    _require_free(db, caller, {"email": user.email, "nickname": user.nickname})
    try:
        return db.create(user, otherwise={errors.AlreadyExists: Conflict("you are already registered")})
    except errors.UniqueViolation as taken:
        raise Conflict(_TAKEN[taken.field], taken.field) from None


def my_profile(db: Repository, caller: Caller) -> User:
    """Return the profile of the caller, strongly consistent."""
    return _profile(db, caller.user_id)


def profile_by_nickname(db: Repository, nickname: str) -> PublicProfile:
    """Return the public profile of the user with a nickname."""
    return _public(require_found(_find(db, "nickname", nickname), f"user {nickname}"))


def profile_of(db: Repository, user_id: str) -> PublicProfile:
    """Return the public profile of a user."""
    return _public(_profile(db, user_id))


def profile_by_email(db: Repository, caller: Caller, email: str) -> User:
    """Return the user with an e-mail address, to administrators only."""
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


def change_profile(db: Repository, caller: Caller, changes: Mapping[str, Any]) -> User:
    """Update the profile of the caller, without the names."""
    return _update(db, caller, require_changes(changes))


def adopt_email(db: Repository, caller: Caller) -> User:
    """Replace the e-mail address of the caller with the one in the token."""
    return _update(db, caller, {"email": _email_of(caller)})


def change_nickname(db: Repository, caller: Caller, nickname: str) -> User:
    """Change the nickname of the caller."""
    return _update(db, caller, {"nickname": nickname})


def change_tier(db: Repository, caller: Caller, user_id: str, tier: Tier) -> User:
    """Change the tier of a user."""
    caller.require_role("admin")
    return db.update(ProfileById(user_id=user_id), set={"tier": tier}, otherwise=NotFound(f"user {user_id}"))


def suspend(db: Repository, caller: Caller, user_id: str) -> User:
    """Suspend a user: logins and all writes of the user are blocked."""
    return _change_status(db, caller, user_id, UserStatus.SUSPENDED)


def reinstate(db: Repository, caller: Caller, user_id: str) -> User:
    """Lift a suspension."""
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
            found = db.run(owner(names[name]))
        except errors.SeveralFound:
            raise Conflict(_TAKEN[name], name) from None
        other = db.run(ProfileById(user_id=found.id)) if found and found.id != caller.user_id else None
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


def _public(user: User) -> PublicProfile:
    if user.status in (UserStatus.SUSPENDED, UserStatus.DELETING):
        raise NotFound(f"user {user.nickname}")
    return PublicProfile.model_validate(user, by_name=True, by_alias=False)
