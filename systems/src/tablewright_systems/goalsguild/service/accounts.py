"""Deletion of an account with all its data; its names are released last.

An account can have more items than one transaction can hold. So the account is marked first, which blocks every write
of the user; after an interruption, a second call continues. The names are released when all other items are deleted.
"""

from contextlib import suppress

from tablewright import Repository, errors
from tablewright_systems.goalsguild.design.goals import GoalsOfUser
from tablewright_systems.goalsguild.design.users import AttemptsOf, ProfileById, Subject, User, UserStatus
from tablewright_systems.goalsguild.service import assistance, goals, offers, older_dependents, rooms
from tablewright_systems.service import Forbidden, NotFound
from tablewright_systems.web import CurrentCaller, Db, Router

router = Router("Accounts")


@router.delete("/profile", status_code=204)
def delete_account(db: Db, caller: CurrentCaller) -> None:
    """Delete your account and all its data.

    If the deletion is interrupted, send the request again to continue it.
    """
    # Messages in rooms stay, under an ID without a profile.
    # Rooms of the caller get another member as owner, or are deleted; companies are deleted with their offers. A
    # suspended user cannot delete the account: otherwise the user could register again.
    profile = ProfileById(user_id=caller.user_id)
    otherwise = {
        errors.DoesNotExist: NotFound(f"user {caller.user_id}"),
        errors.ConditionNotMet: Forbidden("this account is suspended"),
    }
    is_free = User.status != UserStatus.SUSPENDED
    user = db.update(profile, set={"status": UserStatus.DELETING}, when=is_free, otherwise=otherwise)
    for erase in (
        _erase_goals,
        rooms.leave_all,
        offers.erase_companies,
        assistance.erase_threads,
        older_dependents.delete_rest,
    ):
        erase(db, user.id)
        if _has_ended(db, user):
            return
    for subject, identifier in (
        (Subject.EMAIL, user.email.lower()),
        (Subject.RESET, user.email.lower()),
        (Subject.LOOKUP, user.id),
    ):
        for window in db.iterate(AttemptsOf(subject=subject, identifier=identifier)):
            db.delete(window)
    older_dependents.delete_locks(db, user)
    is_same = (User.status == UserStatus.DELETING) & (User.created_at == user.created_at)
    with suppress(errors.DoesNotExist, errors.ConditionNotMet):  # another request has deleted it
        db.delete(profile, when=is_same)


def _has_ended(db: Repository, user: User) -> bool:
    """Whether another request has deleted the account meanwhile; the user may have registered again."""
    profile = db.run(ProfileById(user_id=user.id))
    return profile is None or profile.status != UserStatus.DELETING


def _erase_goals(db: Repository, user_id: str) -> None:
    for goal in db.iterate(GoalsOfUser(user_id=user_id), unknown="skip"):
        goals.erase(db, goal)
