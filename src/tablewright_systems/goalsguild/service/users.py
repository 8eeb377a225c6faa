"""Users: registration, profiles, and names that nobody else has.

A name is taken by its lock (EmailUnique, NickUnique). Profile and locks come, change and go in one transaction.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from tablewright import Repository, errors, fields, writes
from tablewright_systems.api_errors import Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.goalsguild.design.users import (
    EmailOwner,
    EmailUnique,
    NicknameOwner,
    NickUnique,
    ProfileByEmail,
    ProfileById,
    ProfileByNickname,
    Tier,
    User,
    UserStatus,
)
from tablewright_systems.goalsguild.service.deeds import Step, changed, require_role, together

Name = Literal["email", "nickname"]

_MEANWHILE = "your profile was changed meanwhile; read it again"


class PublicProfile(BaseModel):
    """What anybody may know of a user."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)

    id: str
    nickname: str
    bio: str | None
    tags: list[str]
    created_at: datetime


def register(db: Repository, caller: Caller, *, nickname: str, full_name: str, **details: Any) -> User:
    """Make a profile for the caller, and take its names; the address is the one that the token vouches for."""
    email = _email_of(caller)
    user = User(id=caller.user_id, email=email, nickname=nickname, full_name=full_name, **details)
    new = writes.Create(user), Conflict("you are registered already")
    made, *_ = together(db, new, _take("email", user), _take("nickname", user))
    assert isinstance(made, User)
    return made


def my_profile(db: Repository, caller: Caller) -> User:
    """The caller's own profile, as it was written last."""
    return _profile(db, caller.user_id)


def profile_by_nickname(db: Repository, caller: Caller, nickname: str) -> PublicProfile:
    """What anybody may know of the one with that nickname."""
    user = db.run(ProfileByNickname(nickname=nickname))
    if user is None:
        raise NotFound(f"user {nickname}")
    return _public(user)


def profile_of(db: Repository, caller: Caller, user_id: str) -> PublicProfile:
    """What anybody may know of a user."""
    return _public(_profile(db, user_id))


def profile_by_email(db: Repository, caller: Caller, email: str) -> User:
    """The profile with that address, for staff: to others an address is not a way to find somebody."""
    require_role(caller, "admin")
    user = db.run(ProfileByEmail(email=email))
    if user is None:
        raise NotFound("user with this e-mail address")
    return user


def user_at(db: Repository, email: str) -> User | None:
    """Whose address it is, at once after registration: by the lock, as an index may lag."""
    lock = db.run(EmailOwner(email=email))
    return db.run(ProfileById(user_id=lock.user_id)) if lock else None


def is_free(db: Repository, caller: Caller, name: Name, value: str) -> bool:
    """Whether nobody has this address or nickname; it may be taken a moment later."""
    return db.run(_owner(name, value)) is None


def change_profile(db: Repository, caller: Caller, changes: Mapping[str, Any]) -> User:
    """Change what the caller says of itself; names have a way of their own."""
    target = ProfileById(user_id=caller.user_id)
    try:
        return db.update(target, set=changed(changes), when=User.status == UserStatus.ACTIVE)
    except errors.ConditionNotMet:
        raise Forbidden("this needs an active account") from None


def adopt_email(db: Repository, caller: Caller) -> User:
    """Give up an address for the one that the token vouches for by now."""
    return _change_name(db, caller, "email", _email_of(caller))


def change_nickname(db: Repository, caller: Caller, nickname: str) -> User:
    """Give up a nickname for another."""
    return _change_name(db, caller, "nickname", nickname)


def change_tier(db: Repository, caller: Caller, user_id: str, tier: Tier) -> User:
    """Give a user another tier."""
    require_role(caller, "admin")
    return db.update(ProfileById(user_id=user_id), set={"tier": tier})


def suspend(db: Repository, caller: Caller, user_id: str) -> User:
    """Let a user neither log in nor begin anything."""
    return _change_status(db, caller, user_id, UserStatus.SUSPENDED)


def reinstate(db: Repository, caller: Caller, user_id: str) -> User:
    """Take a suspension back."""
    return _change_status(db, caller, user_id, UserStatus.ACTIVE)


def release(db: Repository, user: User) -> None:
    """Remove a profile that is about to go, and let go of its names: the last step of deleting an account."""
    gone = Conflict("this account is not about to go")
    delete = writes.Delete(ProfileById(user_id=user.id), when=User.status == UserStatus.DELETING)
    together(db, (delete, gone), _leave("email", user), _leave("nickname", user))


def _change_name(db: Repository, caller: Caller, name: Name, value: str) -> User:
    user = my_profile(db, caller)
    old = getattr(user, name)
    renamed = user.changed(**{name: value})
    update = writes.Update(
        ProfileById(user_id=user.id), set={name: getattr(renamed, name)}, when=getattr(User, name) == old
    )
    steps: list[Step] = [(update, Conflict(_MEANWHILE))]
    if fields.fold(old) != fields.fold(value):
        steps += [_leave(name, user), _take(name, renamed)]
    together(db, *steps)
    return my_profile(db, caller)


def _change_status(db: Repository, caller: Caller, user_id: str, status: UserStatus) -> User:
    require_role(caller, "admin")
    try:
        return db.update(
            ProfileById(user_id=user_id), set={"status": status}, when=User.status != UserStatus.DELETING
        )
    except errors.ConditionNotMet:
        raise Conflict("this account is about to go") from None


def _email_of(caller: Caller) -> str:
    if caller.email is None:
        raise Invalid("the token does not vouch for an e-mail address", "email")
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


def _owner(name: Name, value: str) -> EmailOwner | NicknameOwner:
    return EmailOwner(email=value) if name == "email" else NicknameOwner(nickname=value)


def _take(name: Name, user: User) -> Step:
    if name == "email":
        lock = writes.Create(EmailUnique(email=user.email, user_id=user.id))
        return lock, Conflict("this e-mail address is taken", name)
    return (
        writes.Create(NickUnique(nickname=user.nickname, user_id=user.id)),
        Conflict("this nickname is taken", name),
    )


def _leave(name: Name, user: User) -> Step:
    lock = EmailUnique if name == "email" else NickUnique
    return writes.Delete(_owner(name, getattr(user, name)), when=lock.user_id == user.id), Conflict(
        _MEANWHILE
    )
