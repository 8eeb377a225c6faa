"""Users: sign-up, verification, profiles, bans and their consequences."""

from typing import Annotated

from fastapi import Query
from pydantic import TypeAdapter, ValidationError

from tablewright import Repository, errors, reads, writes
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Role, User, UserById, UserStatus
from tablewright_systems.collabhub.service.audit import audit_entry
from tablewright_systems.collabhub.service.permissions import (
    Line,
    Text,
    Url,
    Words,
    active,
    active_user,
    is_admin,
    not_active,
    require_admin,
)
from tablewright_systems.collabhub.service.startups import suspend_all
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    EmailAddress,
    Forbidden,
    Invalid,
    busy,
    fold_email,
    require_found,
    transact,
    written,
)
from tablewright_systems.service.schemas import Body, View, omittable
from tablewright_systems.web import Actor, CurrentCaller, Db, PageRequest, Router, problems

account = Router("Users", "Registration, profiles, and their administration.")
"""What a banned user may do too."""
router = Router("Users")


_EMAIL: TypeAdapter[str] = TypeAdapter(EmailAddress)


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
    subscription: design.Subscription | None
    notifications: list[design.Notification]


@account.post("/users", status_code=201)
def register(db: Db, caller: Actor, draft: Registration) -> User:
    """Sign up; the e-mail address comes from the token."""
    # Only staff may register administrators.
    # A sign-up with an unverified address does not keep the address from a caller whose token has verified it.
    try:
        address = _EMAIL.validate_python(caller.claim("email"))
    except ValidationError:
        raise Invalid("the token has no valid e-mail address", "email") from None
    if draft.role == Role.ADMIN and "admin" not in caller.roles:
        raise Forbidden("only staff may register administrators")
    user = User(
        user_id=caller.user_id,
        email=address,
        email_as_given=address,
        is_email_verified=caller.email is not None,
        **draft.sent(),
    )
    actions = (writes.Create(user), audit_entry(db, caller, "USER_REGISTERED", "USER", user.user_id))
    try:
        return transact(db, *actions)[0]
    except errors.UniqueViolation:
        if caller.email is None or not _release_address(db, caller, user.email):
            raise
    return transact(db, *actions)[0]


@router.post("/users/{user_id}/activation")
def activate(db: Db, caller: Actor, user_id: str) -> User:
    """Activate a user whose e-mail address is verified."""
    user = require_found(db.run(UserById(user_id=user_id)), f"user {user_id}")
    is_own = caller.user_id == user_id and caller.email is not None
    if is_own and fold_email(caller.email or "") != user.email:
        raise Forbidden("the verified address of the token is not the address of the account")
    if not is_own:
        require_admin(db, caller)
    is_waiting = (User.status == UserStatus.PENDING_VERIFICATION) & (User.email == user.email)
    not_waiting = Conflict(f"user {user_id} is not waiting for activation", "status")
    return _set_status(db, caller, user_id, UserStatus.ACTIVE, is_waiting, not_waiting)


@router.post("/users/{user_id}/ban", responses=problems(404, 412))
@writes.retrying(on=errors.ConditionNotMet, otherwise=busy)
def ban(db: Db, caller: Actor, user_id: str) -> User:
    """Ban a user, and suspend the user's startups. For administrators."""
    # Startups are found by an index, which may lag: banning the user again suspends those that were missed.
    require_admin(db, caller)
    user = require_found(db.run(UserById(user_id=user_id)), f"user {user_id}")
    if user.status != UserStatus.BANNED:
        actions = (
            writes.Update(
                UserById(user_id=user_id),
                set={"status": UserStatus.BANNED, "status_before_ban": user.status},
                when=User.status == user.status,
            ),
            audit_entry(db, caller, "USER_BANNED", "USER", user_id),
        )
        user = written(transact(db, *actions), User)
    suspend_all(
        db, caller, [startup.startup_id for startup in db.all(design.StartupsByFounder(founder_id=user_id))]
    )
    return user


@router.delete("/users/{user_id}/ban")
def reinstate(db: Db, caller: Actor, user_id: str) -> User:
    """End a ban; the user has the status of before it. For administrators."""
    # Startups stay suspended until they are approved.
    # Without a stored status, as in rows of other programs, the user has to verify the address.
    require_admin(db, caller)
    user = require_found(db.run(UserById(user_id=user_id)), f"user {user_id}")
    after = user.status_before_ban or UserStatus.PENDING_VERIFICATION
    is_banned = User.status == UserStatus.BANNED
    return _set_status(
        db, caller, user_id, after, is_banned, Conflict(f"user {user_id} is not banned", "status")
    )


@router.put("/users/{user_id}/role")
def change_role(db: Db, caller: Actor, user_id: str, role: Role) -> User:
    """Change a user's role. For administrators."""
    require_admin(db, caller)
    actions = (
        writes.Update(UserById(user_id=user_id), set={"role": role}),
        audit_entry(db, caller, "USER_ROLE_CHANGED", "USER", user_id, {"role": role}),
    )
    return written(transact(db, *actions), User)


@router.post("/users/me/logins", status_code=204)
def record_login(db: Db, caller: Actor) -> None:
    """Record a login of the caller."""
    transact(db, active(caller), audit_entry(db, caller, "USER_LOGIN", "USER", caller.user_id))


@router.patch("/users/me")
def edit_profile(db: Db, caller: Actor, changes: ProfileChanges) -> User:
    """Change the caller's profile."""
    values = changes.sent()
    target = UserById(user_id=caller.user_id)
    if values:
        transact(
            db,
            writes.Update(
                target, set=values, when=User.status == UserStatus.ACTIVE, otherwise=not_active(caller)
            ),
            audit_entry(db, caller, "USER_EDITED", "USER", caller.user_id, {"fields": sorted(values)}),
        )
    return require_found(db.run(target), "account of the caller")


@router.get("/users/me/home", responses=problems(404))
def read_home(db: Db, caller: CurrentCaller) -> Home:
    """Get the caller's account, subscription and newest notifications."""
    bundle = db.run(design.UserBundle(user_id=caller.user_id), limit=FIRST_PAGE.limit)
    user = next((entity for entity in bundle if isinstance(entity, User)), None)
    if user is not None and user.status == UserStatus.BANNED:
        raise Forbidden(f"user {caller.user_id} is banned")
    return Home(
        user=require_found(user, "account of the caller"),
        subscription=next((entity for entity in bundle if isinstance(entity, design.Subscription)), None),
        notifications=[entity for entity in bundle if isinstance(entity, design.Notification)],
    )


@router.get("/users/{user_id}")
def read_profile(db: Db, caller: CurrentCaller, user_id: str) -> Profile:
    """Get the public profile of a user."""
    # Only administrators see users who are not active.
    active_user(db, caller)
    user = require_found(db.run(UserById(user_id=user_id)), f"user {user_id}")
    if user.status != UserStatus.ACTIVE and not is_admin(db, caller):
        raise Forbidden(f"user {user_id} is not active")
    return Profile.model_validate(user)


@router.get("/users", name="list_users")
def list_by_role(
    db: Db,
    caller: CurrentCaller,
    role: Role,
    skill: Annotated[str | None, Query(description="Only talents with this skill.")] = None,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[Profile]:
    """List active users by role; talents also by skill."""
    # Lists by user id are not ordered by time (R26).
    active_user(db, caller)
    if skill is not None and role != Role.TALENT:
        raise Invalid("only talents are listed by skill", "skill")
    pattern = design.UsersByRole(role=role) if skill is None else design.TalentsWithSkill(skill=skill)
    return paging.run(db, pattern).map(Profile.model_validate)


def _set_status(
    db: Repository,
    caller: Caller,
    user_id: str,
    after: UserStatus,
    condition: writes.When,
    otherwise: Conflict,
) -> User:
    """Change a user's status, if the condition holds."""
    actions = (
        writes.Update(
            UserById(user_id=user_id),
            set={"status": after, "status_before_ban": None},
            when=condition,
            otherwise={errors.ConditionNotMet: otherwise},
        ),
        audit_entry(db, caller, f"USER_{after}", "USER", user_id),
    )
    return written(transact(db, *actions), User)


def _release_address(db: Repository, caller: Caller, email: str) -> bool:
    """Delete the user who signed up with an address and never verified it; return whether there was one."""
    user = db.run(design.UserByEmail(email=email))
    if user is None or user.user_id == caller.user_id or user.is_email_verified:
        return False
    is_pending = User.status == UserStatus.PENDING_VERIFICATION
    try:
        transact(
            db,
            writes.Delete(UserById(user_id=user.user_id), when=is_pending),
            audit_entry(db, caller, "USER_REPLACED", "USER", user.user_id),
        )
    except (errors.ConditionNotMet, errors.DoesNotExist):
        return False
    return True


@account.get("/users/me", responses=problems(404))
def read_account(db: Db, caller: CurrentCaller) -> User:
    """Get the caller's account, whatever its status."""
    return require_found(db.run(design.UserById(user_id=caller.user_id)), "account of the caller")


@router.get("/admin/users")
def list_by_status(
    db: Db, caller: CurrentCaller, status: UserStatus, paging: PageRequest
) -> reads.Page[User]:
    """List users by status. For administrators."""
    require_admin(db, caller)
    return paging.run(db, design.UsersByStatus(status=status))


@router.get("/admin/users/by-email", responses=problems(404))
def find_by_email(db: Db, caller: CurrentCaller, email: EmailAddress) -> User:
    """Get a user by e-mail address. For administrators."""
    require_admin(db, caller)
    return require_found(db.run(design.UserByEmail(email=email)), f"user with the address {email}")
