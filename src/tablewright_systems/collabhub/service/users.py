"""Users (24-52): sign-up, verification, profiles, bans and their consequences."""

from pydantic import TypeAdapter, ValidationError

from tablewright import Repository, errors, reads, writes
from tablewright_systems.collabhub.design.notifications import Notification
from tablewright_systems.collabhub.design.overviews import UserBundle
from tablewright_systems.collabhub.design.startups import StartupsByFounder
from tablewright_systems.collabhub.design.subscriptions import Subscription
from tablewright_systems.collabhub.design.tables import Line, Text, Url, Words
from tablewright_systems.collabhub.design.users import (
    Email,
    Role,
    TalentsWithSkill,
    User,
    UserByEmail,
    UserById,
    UsersByRole,
    UsersByStatus,
    UserStatus,
)
from tablewright_systems.collabhub.service.audit import audit_write
from tablewright_systems.collabhub.service.authorization import (
    active_user,
    is_admin,
    require_admin,
    require_found,
    transact,
    transact_as,
    written_entity,
)
from tablewright_systems.collabhub.service.startups import suspend_all
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Forbidden, Invalid
from tablewright_systems.service.paging import FIRST_PAGE, Paging
from tablewright_systems.service.schemas import Body, View, omittable

_EMAIL: TypeAdapter[str] = TypeAdapter(Email)


class Registration(Body):
    """The profile of a new user; the user id and the e-mail address come from the token."""

    role: Role
    first_name: Line
    last_name: Line
    bio: Text | None = None
    skills: Words | None = None
    linkedin_url: Url | None = None


class ProfileChanges(Body):
    """Changes of a profile: a field that is left out stays, a field that is null is deleted."""

    first_name: Line = omittable()
    last_name: Line = omittable()
    avatar_url: Url | None = None
    bio: Text | None = None
    skills: Words | None = None
    linkedin_url: Url | None = None


class Profile(View):
    """A user's public profile, without e-mail address and customer id."""

    user_id: str
    role: Role
    first_name: str
    last_name: str
    avatar_url: str | None = None
    bio: str | None = None
    skills: list[str] | None = None
    linkedin_url: str | None = None


class Home(View):
    """The data of a user's home page."""

    user: User
    subscription: Subscription | None
    notifications: list[Notification]


def register(db: Repository, caller: Caller, draft: Registration) -> User:
    """Sign up with the e-mail address of the token. Only staff may register administrators."""
    given = caller.claim("email") or ""
    try:
        email = _EMAIL.validate_python(given)
    except ValidationError:
        raise Invalid("the token has no valid e-mail address", "email") from None
    if draft.role == Role.ADMIN and "admin" not in caller.roles:
        raise Forbidden("only staff may register administrators")
    user = User(user_id=caller.user_id, email=email, email_as_given=given, **draft.given())
    done = transact(db, writes.Create(user), audit_write(db, caller, "USER_REGISTERED", "USER", user.user_id))
    return written_entity(User, done[0])


def activate(db: Repository, caller: Caller, user_id: str) -> User:
    """Activate a user whose e-mail address is verified, according to the user's token or an administrator."""
    is_own = caller.user_id == user_id and caller.claims.get("email_verified") is True
    if not is_own:
        require_admin(db, caller)
    return _set_status(db, caller, user_id, UserStatus.PENDING_VERIFICATION, UserStatus.ACTIVE)


def ban(db: Repository, caller: Caller, user_id: str) -> User:
    """Ban a user: the user cannot act any more, is not listed by role, and the user's startups are suspended.

    Startups are found by an index, which may lag: banning the user again suspends those that were missed.
    """
    require_admin(db, caller)
    user = require_found(db.run(UserById(user_id=user_id)), f"user {user_id}")
    if user.status != UserStatus.BANNED:
        user = _set_status(db, caller, user_id, user.status, UserStatus.BANNED)
    suspend_all(db, caller, [each.startup_id for each in db.all(StartupsByFounder(founder_id=user_id))])
    return user


def reinstate(db: Repository, caller: Caller, user_id: str) -> User:
    """End a ban. The user's startups stay suspended until an administrator approves them."""
    require_admin(db, caller)
    return _set_status(db, caller, user_id, UserStatus.BANNED, UserStatus.ACTIVE)


def change_role(db: Repository, caller: Caller, user_id: str, role: Role) -> User:
    """Change a user's role."""
    require_admin(db, caller)
    done = transact(
        db,
        writes.Update(UserById(user_id=user_id), set={"role": role}),
        audit_write(db, caller, "USER_ROLE_CHANGED", "USER", user_id, {"role": role}),
    )
    return written_entity(User, done[0])


def record_login(db: Repository, caller: Caller) -> None:
    """Record a login of the caller, if the caller is active."""
    transact_as(db, caller, audit_write(db, caller, "USER_LOGIN", "USER", caller.user_id))


def edit_profile(db: Repository, caller: Caller, changes: ProfileChanges) -> User:
    """Change the caller's profile."""
    if not changes.given():
        return read_account(db, caller)
    try:
        return db.update(
            UserById(user_id=caller.user_id), set=changes.given(), when=User.status == UserStatus.ACTIVE
        )
    except (errors.ConditionNotMet, errors.DoesNotExist) as error:
        raise Forbidden(f"user {caller.user_id} is not an active user") from error


def read_account(db: Repository, caller: Caller) -> User:
    """Return the caller's user, whatever its status."""
    return require_found(db.run(UserById(user_id=caller.user_id)), "account of the caller")


def read_home(db: Repository, caller: Caller) -> Home:
    """Return the caller's user, subscription and newest notifications, in one read."""
    found = db.run(UserBundle(user_id=caller.user_id), limit=FIRST_PAGE.limit)
    users = [each for each in found if isinstance(each, User)]
    return Home(
        user=require_found(users[0] if users else None, "account of the caller"),
        subscription=next((each for each in found if isinstance(each, Subscription)), None),
        notifications=[each for each in found if isinstance(each, Notification)],
    )


def read_profile(db: Repository, caller: Caller, user_id: str) -> Profile:
    """Return a user's public profile; only administrators see users who are not active."""
    active_user(db, caller)
    user = require_found(db.run(UserById(user_id=user_id)), f"user {user_id}")
    if user.status != UserStatus.ACTIVE and not is_admin(db, caller):
        raise Forbidden(f"user {user_id} is not active")
    return Profile.model_validate(user)


def find_by_email(db: Repository, caller: Caller, email: str) -> User:
    """Return a user by e-mail address, for administrators. The index may lag."""
    require_admin(db, caller)
    return require_found(db.run(UserByEmail(email=email)), f"user with the address {email}")


def list_by_role(
    db: Repository, caller: Caller, role: Role, paging: Paging = FIRST_PAGE
) -> reads.Page[Profile]:
    """List the active users of a role. User ids are not ordered by time, so neither is the list (T26)."""
    active_user(db, caller)
    return paging.run(db, UsersByRole(role=role)).map(Profile.model_validate)


def list_talents(
    db: Repository, caller: Caller, skill: str, paging: Paging = FIRST_PAGE
) -> reads.Page[Profile]:
    """List the active talents who have a skill."""
    active_user(db, caller)
    return paging.run(db, TalentsWithSkill(skill=skill)).map(Profile.model_validate)


def list_by_status(
    db: Repository, caller: Caller, status: UserStatus, paging: Paging = FIRST_PAGE
) -> reads.Page[User]:
    """List users by status, for administrators."""
    require_admin(db, caller)
    return paging.run(db, UsersByStatus(status=status))


def _set_status(db: Repository, caller: Caller, user_id: str, before: UserStatus, after: UserStatus) -> User:
    """Change a user's status; raises `ConditionNotMet` if the status is not `before`."""
    done = transact(
        db,
        writes.Update(UserById(user_id=user_id), set={"status": after}, when=User.status == before),
        audit_write(db, caller, f"USER_{after}", "USER", user_id),
    )
    return written_entity(User, done[0])
