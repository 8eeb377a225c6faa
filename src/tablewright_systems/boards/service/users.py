"""Users: who somebody is, by a name that nobody else has (F1, F17, F18)."""

from contextlib import suppress
from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from tablewright import Repository, fields, writes
from tablewright_systems.api_errors import Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.boards.design import (
    BoardsOfOwner,
    BoardsOfUser,
    ProfileById,
    ProfileByUserName,
    RequestsOfUser,
    UserNameClaim,
    UserProfile,
)
from tablewright_systems.boards.lists import every, found, listed
from tablewright_systems.boards.service.members import leave
from tablewright_systems.boards.service.settling import made, settle
from tablewright_systems.boards.values import Email

GRACE = timedelta(minutes=1)
"""How long an index may lag behind: so long a deletion looks again for what belongs to a user."""

_EMAIL = TypeAdapter[str](Email)


class PublicProfile(BaseModel):
    """What others may see of a user."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    user_id: str
    user_name: str
    created_at: fields.Timestamp


def register(db: Repository, caller: Caller, user_name: str, email: str | None = None) -> UserProfile:
    """Make the caller a user; the address is the token's, and the caller's word only where the token has none."""
    profile = UserProfile(user_id=caller.user_id, email=_address(caller, email), user_name=user_name)
    return made(settle(db, (writes.Create(profile), Conflict("you are registered already"))), UserProfile)


def _address(caller: Caller, given: str | None) -> str:
    told = caller.claim("email")
    if told and given and fields.fold(told) != fields.fold(given):
        raise Forbidden("the e-mail address is the one in your token")
    if not (told or given):
        raise Invalid("your token has no e-mail address; give one", field="email")
    try:
        return _EMAIL.validate_python(told or given)
    except ValidationError:
        raise Invalid("this is no e-mail address", field="email") from None


def my_profile(db: Repository, caller: Caller) -> UserProfile:
    """All of the caller's own profile."""
    return _live(db.run(ProfileById(user_id=caller.user_id)), caller.user_id)


def profile(db: Repository, user_id: str) -> PublicProfile:
    """What may be seen of a user."""
    return _shown(_live(db.run(ProfileById(user_id=user_id)), user_id))


def profile_by_name(db: Repository, user_name: str) -> PublicProfile:
    """A user by name, through the index; however it is written, by its claim."""
    exact = found(db, ProfileByUserName(user_name=user_name))
    return _shown(_live(exact or db.run(UserNameClaim(user_name=user_name)), user_name))


def is_name_free(db: Repository, user_name: str) -> bool:
    """Whether nobody has that name, however it is written, at this moment; only `register` takes it."""
    return db.run(UserNameClaim(user_name=user_name)) is None


def rename(db: Repository, caller: Caller, user_name: str) -> UserProfile:
    """Give the caller another name; the old one is free at the same moment."""
    mine = my_profile(db, caller)
    alive = UserProfile.deleting_at == None  # noqa: E711 - a condition: it is absent
    write = writes.Update(mine, set={"user_name": user_name}, when=alive)
    return made(settle(db, (write, NotFound(f"user {caller.user_id}"))), UserProfile)


def delete_account(db: Repository, caller: Caller) -> bool:
    """Take the caller away, with memberships, requests and permissions; whether it is finished.

    From the first call on nothing new can be attached. What is there is found through indexes, which lag: so it has to
    be called again after a while, and may be called again after a crash. Name and address are free at the end.
    """
    mine = db.run(ProfileById(user_id=caller.user_id))
    if mine is None:
        raise NotFound(f"user {caller.user_id}")
    if len(listed(db, BoardsOfOwner(owner_id=caller.user_id), limit=1)):
        raise Conflict("you own boards; transfer or delete them first")
    since = _marked(db, mine)
    for membership in every(db, BoardsOfUser(user_id=caller.user_id)):
        with suppress(NotFound):  # the index still has what is gone
            leave(db, caller, membership.board_id)
    db.batch(map(writes.Delete, every(db, RequestsOfUser(user_id=caller.user_id))))
    if db.now() - since < GRACE:
        return False
    db.delete(mine)
    return True


def _marked(db: Repository, mine: UserProfile) -> datetime:
    """Since when a profile is being deleted: now, if it was not."""
    if mine.deleting_at is not None:
        return mine.deleting_at
    now = db.now()
    db.update(mine, set={"deleting_at": now})
    return now


def _live(found_one: UserProfile | None, who: str) -> UserProfile:
    if found_one is None or found_one.deleting_at is not None:
        raise NotFound(f"user {who}")
    return found_one


def _shown(whole: UserProfile) -> PublicProfile:
    return PublicProfile(user_id=whole.user_id, user_name=whole.user_name, created_at=whole.created_at)
