"""Users and their unique names (F1, F17, F18)."""

from contextlib import suppress
from datetime import timedelta

from tablewright import Repository, errors, fields, writes
from tablewright_systems.boards import design
from tablewright_systems.boards.design import UserProfile
from tablewright_systems.boards.index_fallback import erase_rows, read_all
from tablewright_systems.boards.service.authorization import existing, not_deleting
from tablewright_systems.boards.service.boards import Availability
from tablewright_systems.boards.service.members import leave
from tablewright_systems.boards.service.names import Names
from tablewright_systems.boards.values import Role, UserName
from tablewright_systems.service import (
    Caller,
    Conflict,
    JobRun,
    NotFound,
    require_found,
)
from tablewright_systems.service.schemas import View
from tablewright_systems.web import AUTHENTICATED, CurrentCaller, Db, Router, limited, problems

router = Router("Users", "Registration and profiles.")


class Deletion(View):
    """Whether a deletion is finished; if not, send the request again in a minute."""

    finished: bool


GRACE = timedelta(minutes=1)
"""Maximum lag of an index: after this time, the indexes show all boards, memberships and requests of a user."""

NAMES: Names[UserProfile] = Names(
    claim=lambda name: design.UserNameClaim(user_name=name),
    rows=lambda name: design.ProfilesByUserName(user_name=name),
    row=lambda user: design.ProfileById(user_id=user.user_id),
    field="userName",
)


class PublicProfile(View):
    """Public profile of a user."""

    user_id: str
    user_name: str
    created_at: fields.Timestamp


@router.post("/users", status_code=201, responses=problems(404))
def register(db: Db, caller: CurrentCaller, user_name: UserName) -> UserProfile:
    """Register as a user, with the verified e-mail address of your token."""
    email = caller.require_email()
    profile = UserProfile(user_id=caller.user_id, email=email, user_name=NAMES.free_name(db, user_name))
    try:
        return db.create(profile, otherwise={errors.AlreadyExists: Conflict("you are already registered")})
    except errors.UniqueViolation as taken:
        raise NAMES.taken() if taken.field == "user_name" else taken from None


@router.patch("/me", responses=problems(404, 409), name="rename_me")
def rename(db: Db, caller: CurrentCaller, user_name: UserName) -> UserProfile:
    """Change your name."""
    mine, gone = design.ProfileById(user_id=caller.user_id), NotFound(f"user {caller.user_id}")
    otherwise: writes.Otherwise = {
        errors.UniqueViolation: NAMES.taken,
        errors.ConditionNotMet: gone,
        errors.DoesNotExist: gone,
    }
    name = NAMES.free_name(db, user_name, mine)
    return db.update(mine, set={"user_name": name}, when=not_deleting, otherwise=otherwise)


@router.get("/me", responses=problems(404), name="get_me")
def my_profile(db: Db, caller: CurrentCaller) -> UserProfile:
    """Get your profile."""
    return profile(db, caller.user_id)


@router.get("/users/{user_id}", dependencies=[AUTHENTICATED], reply=PublicProfile, name="get_user")
def profile(db: Db, user_id: str) -> UserProfile:
    """Get the public profile of a user."""
    # One who is being deleted has none.
    return existing(db.run(design.ProfileById(user_id=user_id)), f"user {user_id}")


@router.get(
    "/user-names",
    responses=problems(404),
    dependencies=[AUTHENTICATED],
    reply=PublicProfile,
    name="get_user_by_name",
)
def profile_by_name(db: Db, user_name: UserName) -> UserProfile:
    """Get the public profile of the user with a name."""
    # Exact spelling through the index, any spelling through its claim.
    return existing(NAMES.holder(db, user_name), f"user {user_name}")


@router.delete("/me", status_code=202, responses=problems(404, 409), reply=Deletion, name="delete_me")
def delete_account(db: Db, caller: CurrentCaller) -> bool:
    """Delete your account.

    The deletion is finished after a minute, by the same request or by a background job.
    """
    # The first call marks the profile: from then on the user gets no board, membership or request. Those that exist are
    # found through indexes, which can lag: so the deletion is finished after `GRACE`, by a second call or by the
    # background job. A user who became the owner of a board just before the mark keeps the account.
    mine = require_found(db.run(design.ProfileById(user_id=caller.user_id)), f"user {caller.user_id}")
    if mine.deleting_at is None:
        _require_no_boards(db, mine)
        _keep_owners(db, db.update(mine, set={"deleting_at": db.now()}))
        return False
    if db.now() - mine.deleting_at < GRACE:
        return False
    _finish_deletion(db, mine)
    return True


def finish_deletions(run: JobRun) -> None:
    """Finish the deletions that have begun, for users who did not call again."""

    def finish(profile: UserProfile) -> None:
        if profile.deleting_at and run.db.now() - profile.deleting_at >= GRACE:
            with suppress(Conflict):  # the user owns a board, and keeps the account
                _finish_deletion(run.db, profile)

    run.for_each(run.db.iterate(design.ProfilesBeingDeleted(), unknown="skip"), finish)


def _finish_deletion(db: Repository, mine: UserProfile) -> None:
    """Delete all items of a user, name and address last. After a crash, another call continues."""
    _keep_owners(db, mine)
    memberships = design.BoardsOfUser(user_id=mine.user_id)
    for membership in read_all(db, memberships, unknown="skip"):
        with suppress(NotFound):  # the index still shows a deleted membership
            leave(db, Caller(mine.user_id), membership.board_id)
    erase_rows(db, memberships)
    erase_rows(db, design.RequestsOfUser(user_id=mine.user_id))
    db.delete(mine)


def _keep_owners(db: Repository, mine: UserProfile) -> None:
    """End the deletion of a user who became the owner of a board just before it began, and raise `Conflict`."""
    try:
        _require_no_boards(db, mine)
    except Conflict:
        db.update(mine, remove=["deleting_at"])
        raise


def _require_no_boards(db: Repository, mine: UserProfile) -> None:
    memberships = read_all(db, design.BoardsOfUser(user_id=mine.user_id), unknown="skip")
    owned = {membership.board_id for membership in memberships if membership.role is Role.OWNER}
    owned |= {board.board_id for board in read_all(db, design.BoardsOfOwner(owner_id=mine.user_id))}
    boards = (db.run(design.BoardById(board_id=board_id)) for board_id in owned)
    if any(board is not None and board.owner_id == mine.user_id for board in boards):
        raise Conflict("you own boards; transfer or delete them first")


@router.get(
    "/user-names/availability",
    responses=problems(404, 409, 429),
    dependencies=[limited("user-names", 30)],
    reply=Availability,
)
def get_user_name_availability(db: Db, caller: CurrentCaller, user_name: UserName) -> bool:
    """Check whether a user name is available."""
    return NAMES.is_free(db, user_name)
