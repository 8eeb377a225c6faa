"""Deletion of an account with all its data; its names are released last.

An account can have more items than one transaction can hold. So the account is marked first, which blocks every write
of the user; after an interruption, a second call continues. The names are released when all other items are deleted.
"""

from tablewright import Repository, errors, writes
from tablewright_systems.goalsguild.design.goals import GoalsOfUser, RemindersOfUser
from tablewright_systems.goalsguild.design.logins import AttemptsOf, Subject
from tablewright_systems.goalsguild.design.users import CredentialOf, ProfileById, User, UserStatus
from tablewright_systems.goalsguild.service import assistance, goals, offers, rooms
from tablewright_systems.service import Caller, Conflict, Forbidden, NotFound


def delete_account(db: Repository, caller: Caller) -> None:
    """Delete the caller and all data of the caller; messages in rooms stay, under an ID without a profile.

    Rooms of the caller get another member as owner, or are deleted; companies are deleted with their offers. A
    suspended user cannot delete the account: otherwise the user could register again.
    """
    profile = ProfileById(user_id=caller.user_id)
    otherwise = {
        errors.DoesNotExist: NotFound(f"user {caller.user_id}"),
        errors.ConditionNotMet: Forbidden("this account is suspended"),
    }
    is_free = User.status != UserStatus.SUSPENDED
    user = db.update(profile, set={"status": UserStatus.DELETING}, when=is_free, otherwise=otherwise)
    for goal in db.iterate(GoalsOfUser(user_id=user.id)):
        goals.erase(db, goal)
    rooms.leave_all(db, user.id)
    offers.erase_companies(db, user.id)
    assistance.erase_threads(db, user.id)
    db.batch(writes.Delete(reminder) for reminder in db.iterate(RemindersOfUser(user_id=user.id)))
    for subject, identifier in (
        (Subject.EMAIL, user.email.lower()),
        (Subject.RESET, user.email.lower()),
        (Subject.LOOKUP, user.id),
    ):
        for window in db.iterate(AttemptsOf(subject=subject, identifier=identifier)):
            db.delete(window)
    db.delete(CredentialOf(user_id=user.id))
    gone = Conflict("this account is not being deleted")
    db.delete(profile, when=User.status == UserStatus.DELETING, otherwise=gone)
