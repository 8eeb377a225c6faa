"""Deletion of an account with all its data; its names are released last.

An account can have more items than one transaction can hold. So the account is marked first, which blocks additions;
after an interruption, a second call continues. The names are released when all other items are deleted.
"""

from tablewright import Repository, errors, fields, writes
from tablewright_systems.goalsguild.design.goals import GoalsOfUser, RemindersOfUser
from tablewright_systems.goalsguild.design.logins import AttemptsOf, Subject
from tablewright_systems.goalsguild.design.rooms import RoomsOfUser
from tablewright_systems.goalsguild.design.users import CredentialOf, ProfileById, User, UserStatus
from tablewright_systems.goalsguild.service import assistance, goals, users
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Forbidden


def delete_account(db: Repository, caller: Caller) -> None:
    """Delete the caller and all data of the caller; messages in rooms stay, under an ID without a profile.

    A suspended user cannot delete the account: otherwise the user could register again.
    """
    try:
        user = db.update(
            ProfileById(user_id=caller.user_id),
            set={"status": UserStatus.DELETING},
            when=User.status != UserStatus.SUSPENDED,
        )
    except errors.ConditionNotMet:
        raise Forbidden("this account is suspended") from None
    for goal in db.iterate(GoalsOfUser(user_id=user.id)):
        goals.erase(db, goal)
    for member in db.iterate(RoomsOfUser(user_id=user.id)):
        db.delete(member)
    assistance.erase_threads(db, user.id)
    attempts = AttemptsOf(subject=Subject.EMAIL, identifier=fields.fold(user.email))
    db.batch(writes.Delete(reminder) for reminder in db.iterate(RemindersOfUser(user_id=user.id)))
    for window in db.iterate(attempts):
        db.delete(window)
    db.delete(CredentialOf(user_id=user.id))
    users.release(db, user)
