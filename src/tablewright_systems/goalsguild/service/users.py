"""Users: registration, profiles and unique names.

E-mail address and nickname are unique: the profile and its lock items (EmailUnique, NickUnique) change in one
transaction.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from tablewright import Repository, errors
from tablewright_systems.goalsguild.design.users import (
    EmailOwner,
    NicknameOwner,
    ProfileByEmail,
    ProfileById,
    ProfileByNickname,
    Tier,
    User,
    UserStatus,
)
from tablewright_systems.goalsguild.service.transactions import require_changes, require_role
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.service.schemas import View

Name = Literal["email", "nickname"]

_MEANWHILE = "another request changed your profile; try again"
_TAKEN = {"email": "this e-mail address is already taken", "nickname": "this nickname is already taken"}


class PublicProfile(View):
    """Public profile of a user."""

    id: str
    nickname: str
    bio: str | None
    tags: list[str]
    created_at: datetime


def register(db: Repository, caller: Caller, *, nickname: str, full_name: str, **details: Any) -> User:
    """Register the caller and reserve the names; the e-mail address comes from the token."""
    email = _email_of(caller)
    user = User(id=caller.user_id, email=email, nickname=nickname, full_name=full_name, **details)
    try:
        return db.create(user)
    except errors.AlreadyExists:
        raise Conflict("you are already registered") from None
    except errors.UniqueViolation as taken:
        raise Conflict(_TAKEN[taken.field], taken.field) from None


def my_profile(db: Repository, caller: Caller) -> User:
    """Return the profile of the caller, strongly consistent."""
    return _profile(db, caller.user_id)


def profile_by_nickname(db: Repository, caller: Caller, nickname: str) -> PublicProfile:
    """Return the public profile of the user with a nickname."""
    user = db.run(ProfileByNickname(nickname=nickname))
    if user is None:
        raise NotFound(f"user {nickname}")
    return _public(user)


def profile_of(db: Repository, caller: Caller, user_id: str) -> PublicProfile:
    """Public profile of a user."""
    return _public(_profile(db, user_id))


def profile_by_email(db: Repository, caller: Caller, email: str) -> User:
    """Return the user with an e-mail address, to administrators only."""
    require_role(caller, "admin")
    user = db.run(ProfileByEmail(email=email))
    if user is None:
        raise NotFound("user with this e-mail address")
    return user


def user_at(db: Repository, email: str) -> User | None:
    """Return the user with an e-mail address by its lock, without the lag of an index."""
    return db.run(EmailOwner(email=email))


def is_free(db: Repository, caller: Caller, name: Name, value: str) -> bool:
    """Return whether an e-mail address or nickname is available now."""
    owner = EmailOwner(email=value) if name == "email" else NicknameOwner(nickname=value)
    return db.run(owner) is None


def change_profile(db: Repository, caller: Caller, changes: Mapping[str, Any]) -> User:
    """Update the profile of the caller, without the names."""
    target = ProfileById(user_id=caller.user_id)
    try:
        return db.update(target, set=require_changes(changes), when=User.status == UserStatus.ACTIVE)
    except errors.ConditionNotMet:
        raise Forbidden("this requires an active account") from None


def adopt_email(db: Repository, caller: Caller) -> User:
    """Replace the e-mail address of the caller with the one in the token."""
    return _change_name(db, caller, "email", _email_of(caller))


def change_nickname(db: Repository, caller: Caller, nickname: str) -> User:
    """Change the nickname of the caller."""
    return _change_name(db, caller, "nickname", nickname)


def change_tier(db: Repository, caller: Caller, user_id: str, tier: Tier) -> User:
    """Change the tier of a user."""
    require_role(caller, "admin")
    return db.update(ProfileById(user_id=user_id), set={"tier": tier})


def suspend(db: Repository, caller: Caller, user_id: str) -> User:
    """Suspend a user: logins and new activities are blocked."""
    return _change_status(db, caller, user_id, UserStatus.SUSPENDED)


def reinstate(db: Repository, caller: Caller, user_id: str) -> User:
    """Lift a suspension."""
    return _change_status(db, caller, user_id, UserStatus.ACTIVE)


def release(db: Repository, user: User) -> None:
    """Delete a profile and release its names: the last step of the deletion of an account."""
    gone = Conflict("this account is not being deleted")
    db.delete(ProfileById(user_id=user.id), when=User.status == UserStatus.DELETING, otherwise=gone)


def _change_name(db: Repository, caller: Caller, name: Name, value: str) -> User:
    user = my_profile(db, caller)
    renamed = getattr(user.changed(**{name: value}), name)
    unchanged = getattr(User, name) == getattr(user, name)
    try:
        return db.update(ProfileById(user_id=user.id), set={name: renamed}, when=unchanged)
    except errors.ConditionNotMet:
        raise Conflict(_MEANWHILE) from None
    except errors.UniqueViolation as taken:
        raise Conflict(_TAKEN[taken.field], taken.field) from None


def _change_status(db: Repository, caller: Caller, user_id: str, status: UserStatus) -> User:
    require_role(caller, "admin")
    try:
        return db.update(
            ProfileById(user_id=user_id), set={"status": status}, when=User.status != UserStatus.DELETING
        )
    except errors.ConditionNotMet:
        raise Conflict("this account is being deleted") from None


def _email_of(caller: Caller) -> str:
    if caller.email is None:
        raise Invalid("the token contains no verified e-mail address", "email")
    return caller.email


def _profile(db: Repository, user_id: str) -> User:
    user = db.run(ProfileById(user_id=user_id))
    if user is None:
        raise NotFound(f"user {user_id}")
    return user


def _public(user: User) -> PublicProfile:
    if user.status is not UserStatus.ACTIVE:
        raise NotFound(f"user {user.nickname}")
    return PublicProfile.model_validate(user, by_name=True, by_alias=False)
