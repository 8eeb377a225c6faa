"""Users: sign-up, profiles, the primary account.

Authentication is done by the identity provider; its token vouches for the user's id and e-mail address.
"""

from typing import Annotated, Any

from pydantic import AfterValidator, TypeAdapter

from tablewright import Repository, errors, writes
from tablewright_systems.listbackup.design.accounts import AccountType
from tablewright_systems.listbackup.design.memberships import Membership, MembershipStatus, UserAccount
from tablewright_systems.listbackup.design.users import Preferences, User, UserById, UserRole, UserStatus
from tablewright_systems.listbackup.design.vocabulary import Id, Name, Username
from tablewright_systems.listbackup.service import accounts, alerts, audit
from tablewright_systems.listbackup.service.access import active_user, require_admin
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.service import (
    Caller,
    Conflict,
    Forbidden,
    require_found,
    require_name,
    transact,
)
from tablewright_systems.web import CurrentCaller, Db, Router, problems

router = Router("Users", "Sign-up, profile, second factor.")

_USERNAME: TypeAdapter[str] = TypeAdapter(Username)


def _fit(username: str) -> str:
    _USERNAME.validate_python(username)
    return require_name(username)


TypedUsername = Annotated[str, AfterValidator(_fit)]
"""A username as it was typed, which is kept for display; it has to fit once it is normalised."""


@router.post("/users", status_code=201)
def sign_up(
    db: Db,
    caller: CurrentCaller,
    *,
    username: TypedUsername,
    name: Name,
    account_name: Name,
    account_type: AccountType = AccountType.CONGLOMERATE,
) -> User:
    """Sign up, with a new account."""
    email = caller.require_email()
    account = accounts.new_account(account_name, account_type, caller.user_id)
    user = User(
        user_id=caller.user_id,
        email=email,
        username=username,
        display_email=email,
        display_username=username.strip(),
        name=name,
        account_id=account.account_id,
    )
    known: writes.Otherwise = {errors.AlreadyExists: Conflict("you have already signed up", "userId")}
    created, *_ = transact(
        db,
        writes.Create(user, otherwise=known),
        *accounts.creation_writes(db, caller, account),
        audit.record(caller, user, Action.CREATE, after=user),
    )
    return created


@router.get("/users/me", responses=problems(404), name="read_me")
def own_user(db: Db, caller: CurrentCaller) -> User:
    """Get the caller's profile."""
    return get_user(db, caller.user_id)


def get_user(db: Repository, user_id: str) -> User:
    """Return a user, whatever the status, or raise NotFound."""
    return require_found(db.run(UserById(user_id=user_id)), f"user {user_id}")


@router.patch("/users/me")
def change_profile(
    db: Db,
    caller: CurrentCaller,
    *,
    name: Name | None = None,
    username: TypedUsername | None = None,
    preferences: Preferences | None = None,
) -> User:
    """Change the caller's profile."""
    # A username that another user has is rejected with its field.
    user = active_user(db, caller)
    shown = username.strip() if username else None
    values = audit.present(name=name, username=username, display_username=shown, preferences=preferences)
    return change_user(db, caller, user, values)


@router.put("/users/me/email")
def update_email(db: Db, caller: CurrentCaller) -> User:
    """Replace the caller's e-mail address by the one in the token."""
    user = active_user(db, caller)
    email = caller.require_email()
    return change_user(db, caller, user, {"email": email, "display_email": email})


@router.put("/users/me/primary-account")
def choose_primary_account(db: Db, caller: CurrentCaller, account_id: Id) -> User:
    """Choose the caller's primary account."""
    # The caller must be an active member at the time of the write.
    user = active_user(db, caller)
    membership = Membership(user_id=caller.user_id, account_id=account_id)
    is_member = writes.Check(
        membership,
        UserAccount.status == MembershipStatus.ACTIVE,
        otherwise=Conflict("you are not an active member of this account", "accountId"),
    )
    key = UserById(user_id=caller.user_id)
    return audit.change(db, caller, user, {"account_id": account_id}, is_member, key=key)


@router.put("/users/{user_id}/status", name="set_status")
def set_user_status(db: Db, caller: CurrentCaller, user_id: str, status: UserStatus) -> User:
    """Suspend or reactivate a user. For the platform's staff."""
    # Suspending ends all of the user's sessions.
    require_admin(db, caller)
    ended: dict[str, Any] = {} if status is UserStatus.ACTIVE else {"sessions_valid_after": db.now()}
    return change_user(db, caller, get_user(db, user_id), {"status": status, **ended})


@router.put("/users/{user_id}/role")
def set_role(db: Db, caller: CurrentCaller, user_id: str, role: UserRole) -> User:
    """Make a user a platform admin, an ordinary user, or read-only in all accounts. For platform admins."""
    # No admin changes their own role, so that one admin always remains.
    require_admin(db, caller)
    if user_id == caller.user_id:
        raise Forbidden("you cannot change your own role; ask another admin", "role")
    return change_user(db, caller, get_user(db, user_id), {"role": role})


def change_user(
    db: Repository, caller: Caller, before: User, values: dict[str, Any], when: writes.When = None
) -> User:
    """Change a user, and record the change in the user's primary account."""
    notices = alerts.user_changed(db, before, before.changed(**values))
    return audit.change(
        db,
        caller,
        before,
        values,
        *notices,
        key=UserById(user_id=before.user_id),
        when=when,
        otherwise={errors.ConditionNotMet: accounts.USER_CHANGED},
    )
