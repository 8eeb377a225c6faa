"""Users: accounts, profiles, and their administration."""

from typing import Annotated

from fastapi import Query

from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Role, User, UserStatus
from tablewright_systems.collabhub.service import users
from tablewright_systems.collabhub.service.permissions import require_admin
from tablewright_systems.collabhub.service.users import Home, Profile, ProfileChanges, Registration
from tablewright_systems.service import EmailAddress, require_found
from tablewright_systems.web import Actor, Body, CurrentCaller, Db, PageReply, PageRequest, Router, problems

router = Router("Users", "Registration, profiles, and their administration.")
account = Router("Users")
"""What a banned user may do too."""


class NewRole(Body):
    """The new role of a user."""

    role: Role


@account.post("/users", status_code=201)
def register(db: Db, actor: Actor, draft: Registration) -> User:
    """Sign up; the e-mail address comes from the token."""
    return users.register(db, actor, draft)


@account.get("/users/me", responses=problems(404))
def read_account(db: Db, caller: CurrentCaller) -> User:
    """Get the caller's account, whatever its status."""
    return require_found(db.run(design.UserById(user_id=caller.user_id)), "account of the caller")


@router.get("/users")
def list_users(
    db: Db,
    caller: CurrentCaller,
    role: Role,
    paging: PageRequest,
    skill: Annotated[str | None, Query(description="Only talents with this skill.")] = None,
) -> PageReply[Profile]:
    """List active users by role; talents also by skill."""
    return PageReply.of(users.list_by_role(db, caller, role, skill, paging))


@router.patch("/users/me")
def edit_profile(db: Db, actor: Actor, changes: ProfileChanges) -> User:
    """Change the caller's profile."""
    return users.edit_profile(db, actor, changes)


@router.get("/users/me/home", responses=problems(404))
def read_home(db: Db, caller: CurrentCaller) -> Home:
    """Get the caller's account, subscription and newest notifications."""
    return users.read_home(db, caller)


@router.post("/users/me/logins", status_code=204)
def record_login(db: Db, actor: Actor) -> None:
    """Record a login of the caller."""
    users.record_login(db, actor)


@router.get("/users/{user_id}")
def read_profile(db: Db, caller: CurrentCaller, user_id: str) -> Profile:
    """Get the public profile of a user."""
    return users.read_profile(db, caller, user_id)


@router.post("/users/{user_id}/activation")
def activate(db: Db, actor: Actor, user_id: str) -> User:
    """Activate a user whose e-mail address is verified."""
    return users.activate(db, actor, user_id)


@router.post("/users/{user_id}/ban", responses=problems(404, 412))
def ban(db: Db, actor: Actor, user_id: str) -> User:
    """Ban a user, and suspend the user's startups. For administrators."""
    return users.ban(db, actor, user_id)


@router.delete("/users/{user_id}/ban")
def reinstate(db: Db, actor: Actor, user_id: str) -> User:
    """End a ban; the user has the status of before it. For administrators."""
    return users.reinstate(db, actor, user_id)


@router.put("/users/{user_id}/role")
def change_role(db: Db, actor: Actor, user_id: str, body: NewRole) -> User:
    """Change a user's role. For administrators."""
    return users.change_role(db, actor, user_id, body.role)


@router.get("/admin/users")
def list_by_status(db: Db, caller: CurrentCaller, status: UserStatus, paging: PageRequest) -> PageReply[User]:
    """List users by status. For administrators."""
    require_admin(db, caller)
    return PageReply.of(paging.run(db, design.UsersByStatus(status=status)))


@router.get("/admin/users/by-email", responses=problems(404))
def find_by_email(db: Db, caller: CurrentCaller, email: EmailAddress) -> User:
    """Get a user by e-mail address. For administrators."""
    require_admin(db, caller)
    return require_found(db.run(design.UserByEmail(email=email)), f"user with the address {email}")
