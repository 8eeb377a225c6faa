"""Users and their unique names (F1, F17, F18)."""

from contextlib import suppress
from datetime import datetime, timedelta

from pydantic import TypeAdapter, ValidationError

from tablewright import Repository, errors, fields, writes
from tablewright_systems.boards.design import (
    BoardsOfOwner,
    BoardsOfUser,
    ProfileById,
    ProfileByUserName,
    RequestsOfUser,
    UserNameClaim,
    UserProfile,
)
from tablewright_systems.boards.index_fallback import read_all, read_one, read_page
from tablewright_systems.boards.service.members import leave
from tablewright_systems.boards.service.transactions import name_taken
from tablewright_systems.boards.values import Email
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.service.paging import Paging
from tablewright_systems.service.schemas import View

GRACE = timedelta(minutes=1)
"""Maximum lag of an index: a deletion finishes only after this time, when the index shows all items of the user."""

_EMAIL = TypeAdapter[str](Email)


class PublicProfile(View):
    """Public profile of a user."""

    user_id: str
    user_name: str
    created_at: fields.Timestamp


def register(db: Repository, caller: Caller, user_name: str, email: str | None = None) -> UserProfile:
    """Register the caller. The e-mail address is taken from the token, or from the request if the token has none."""
    profile = UserProfile(user_id=caller.user_id, email=_email(caller, email), user_name=user_name)
    registered = Conflict("you are already registered")
    try:
        return db.create(profile, otherwise={errors.AlreadyExists: registered})
    except errors.UniqueViolation as taken:
        if taken.field != "user_name":
            raise
        raise Conflict("this name is already taken", field="userName") from taken


def _email(caller: Caller, given: str | None) -> str:
    verified = caller.claim("email")
    if verified and given and fields.fold(verified) != fields.fold(given):
        raise Forbidden("the e-mail address differs from the one in your token")
    if not (verified or given):
        raise Invalid("your token contains no e-mail address; send one", field="email")
    try:
        return _EMAIL.validate_python(verified or given)
    except ValidationError:
        raise Invalid("not a valid e-mail address", field="email") from None


def my_profile(db: Repository, caller: Caller) -> UserProfile:
    """Return the profile of the caller."""
    return _existing(db.run(ProfileById(user_id=caller.user_id)), caller.user_id)


def profile(db: Repository, user_id: str) -> PublicProfile:
    """Return the public profile of a user."""
    return _public(_existing(db.run(ProfileById(user_id=user_id)), user_id))


def profile_by_name(db: Repository, user_name: str) -> PublicProfile:
    """Return a user by name: exact spelling through the index, any spelling through its claim."""
    exact = read_one(db, ProfileByUserName(user_name=user_name))
    return _public(_existing(exact or db.run(UserNameClaim(user_name=user_name)), user_name))


def is_name_free(db: Repository, user_name: str) -> bool:
    """Return whether no user has that name now, ignoring case and form; only `register` takes it."""
    return db.run(UserNameClaim(user_name=user_name)) is None


def rename(db: Repository, caller: Caller, user_name: str) -> UserProfile:
    """Rename the caller and release the old name in one transaction."""
    mine = my_profile(db, caller)
    alive = fields.of(UserProfile.deleting_at).is_absent()
    gone = NotFound(f"user {caller.user_id}")
    return db.update(
        mine,
        set={"user_name": user_name},
        when=alive,
        otherwise={errors.ConditionNotMet: gone, errors.DoesNotExist: gone, **name_taken("userName")},
    )


def delete_account(db: Repository, caller: Caller) -> bool:
    """Delete the caller with memberships, requests and permissions; return whether the deletion is finished.

    The first call blocks additions. Existing items are found through indexes, which can lag: so the client must call
    again after a while, and can call again after a crash. Name and address are released at the end.
    """
    mine = db.run(ProfileById(user_id=caller.user_id))
    if mine is None:
        raise NotFound(f"user {caller.user_id}")
    if len(read_page(db, BoardsOfOwner(owner_id=caller.user_id), Paging(1))):
        raise Conflict("you own boards; transfer or delete them first")
    since = _marked(db, mine)
    for membership in read_all(db, BoardsOfUser(user_id=caller.user_id)):
        with suppress(NotFound):  # the index still shows a deleted membership
            leave(db, caller, membership.board_id)
    db.batch(map(writes.Delete, read_all(db, RequestsOfUser(user_id=caller.user_id))))
    if db.now() - since < GRACE:
        return False
    db.delete(mine)
    return True


def _marked(db: Repository, mine: UserProfile) -> datetime:
    """Mark a profile as being deleted, and return since when it is."""
    if mine.deleting_at is not None:
        return mine.deleting_at
    now = db.now()
    db.update(mine, set={"deleting_at": now})
    return now


def _existing(profile: UserProfile | None, name: str) -> UserProfile:
    if profile is None or profile.deleting_at is not None:
        raise NotFound(f"user {name}")
    return profile


def _public(profile: UserProfile) -> PublicProfile:
    return PublicProfile(user_id=profile.user_id, user_name=profile.user_name, created_at=profile.created_at)
