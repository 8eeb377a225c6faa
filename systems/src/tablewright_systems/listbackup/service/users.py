"""Users: sign-up, profiles, the primary account.

Authentication is done by the identity provider; its token vouches for the user's id and e-mail address.
"""

from typing import Any

from pydantic import TypeAdapter, ValidationError

from tablewright import Repository, errors, writes
from tablewright_systems.listbackup.design.accounts import AccountType
from tablewright_systems.listbackup.design.memberships import Membership, MembershipStatus, UserAccount
from tablewright_systems.listbackup.design.users import Preferences, User, UserById, UserRole, UserStatus
from tablewright_systems.listbackup.design.vocabulary import NewEmail
from tablewright_systems.listbackup.service import accounts, alerts, audit
from tablewright_systems.listbackup.service.access import active_user, require_admin
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.service import Caller, Conflict, Forbidden, Invalid, require_found, transact

_EMAIL: TypeAdapter[str] = TypeAdapter(NewEmail)


def email_of(caller: Caller) -> str:
    """Return the verified e-mail address from the caller's token, or raise Invalid."""
    email = caller.email
    try:
        _EMAIL.validate_python(email)
    except ValidationError:
        raise Invalid("the token has no verified e-mail address", "email") from None
    return str(email)


def sign_up(
    db: Repository,
    caller: Caller,
    *,
    username: str,
    name: str,
    account_name: str,
    account_type: AccountType = AccountType.CONGLOMERATE,
) -> User:
    """Create a user with an account that the user owns, in one transaction."""
    email = email_of(caller)
    account = accounts.new_account(account_name, account_type, caller.user_id)
    user = User(
        user_id=caller.user_id,
        email=email,
        username=username,
        display_email=email.strip(),
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


def own_user(db: Repository, caller: Caller) -> User:
    """Return the caller's user."""
    return get_user(db, caller.user_id)


def get_user(db: Repository, user_id: str) -> User:
    """Return a user, whatever the status, or raise NotFound."""
    return require_found(db.run(UserById(user_id=user_id)), f"user {user_id}")


def record_login(db: Repository, caller: Caller) -> User:
    """Record the time of a login."""
    active_user(db, caller)
    return db.update(UserById(user_id=caller.user_id), set={"last_login_at": db.now()})


def change_profile(
    db: Repository,
    caller: Caller,
    *,
    name: str | None = None,
    username: str | None = None,
    preferences: Preferences | None = None,
) -> User:
    """Change the caller's profile. A username that another user has is rejected with its field."""
    user = active_user(db, caller)
    shown = username.strip() if username else None
    values = audit.present(name=name, username=username, display_username=shown, preferences=preferences)
    return change_user(db, caller, user, values)


def update_email(db: Repository, caller: Caller) -> User:
    """Replace the caller's e-mail address by the one in the token."""
    user = active_user(db, caller)
    email = email_of(caller)
    return change_user(db, caller, user, {"email": email, "display_email": email.strip()})


def choose_primary_account(db: Repository, caller: Caller, account_id: str) -> User:
    """Make an account the caller's primary one; the caller must be an active member at the time of the write."""
    user = active_user(db, caller)
    membership = Membership(user_id=caller.user_id, account_id=account_id)
    is_member = writes.Check(
        membership,
        UserAccount.status == MembershipStatus.ACTIVE,
        otherwise=Conflict("you are not an active member of this account", "accountId"),
    )
    key = UserById(user_id=caller.user_id)
    return audit.change(db, caller, user, {"account_id": account_id}, is_member, key=key)


def set_status(db: Repository, caller: Caller, user_id: str, status: UserStatus) -> User:
    """Suspend or reactivate a user; suspending ends all of the user's sessions. For the platform's staff."""
    require_admin(db, caller)
    ended: dict[str, Any] = {} if status is UserStatus.ACTIVE else {"sessions_valid_after": db.now()}
    return change_user(db, caller, get_user(db, user_id), {"status": status, **ended})


def set_role(db: Repository, caller: Caller, user_id: str, role: UserRole) -> User:
    """Make a user a platform admin, an ordinary user or read-only in all accounts. For platform admins.

    No admin changes their own role, so that one admin always remains.
    """
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
