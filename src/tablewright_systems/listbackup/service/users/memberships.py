"""Memberships: roles and permissions in an account, keeping members out, leaving.

The account counts its active owners, and the last one stays: the counter is in the transaction of whatever would take
an owner away. A user's primary account is always one of the active memberships, and gives way with it.
"""

from typing import Any

from tablewright import Repository, writes
from tablewright_systems.api_errors import Conflict, Forbidden, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.accounts import Account
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    AccountsOfUser,
    Membership,
    MembershipStatus,
    Permissions,
    UserAccount,
    UsersOfAccount,
)
from tablewright_systems.listbackup.design.users import User, UserById
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.service.access import (
    Access,
    Area,
    active_user,
    admit,
    enter,
    require_gift,
)
from tablewright_systems.listbackup.service.accounts import limits
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.store_errors import refusing
from tablewright_systems.listbackup.service.users.teams import leave_all_teams

CHANGED = Conflict("the membership has just changed; look again")


def membership_of(db: Repository, user_id: str, account_id: str) -> UserAccount:
    """What a user is to an account."""
    found = db.run(Membership(user_id=user_id, account_id=account_id))
    if found is None:
        raise NotFound(f"member {user_id} of account {account_id}")
    return found


def members_of(db: Repository, caller: Caller, account_id: str) -> UsersOfAccount:
    """The pattern that finds the users of an account; for all of its members."""
    enter(db, caller, account_id)
    return UsersOfAccount(account_id=account_id)


def own_memberships(db: Repository, caller: Caller) -> AccountsOfUser:
    """The pattern that finds the accounts that the caller is in, or invited to."""
    return AccountsOfUser(user_id=active_user(db, caller.user_id).user_id)


def change_role(
    db: Repository,
    caller: Caller,
    account_id: str,
    user_id: str,
    role: AccountRole,
    permissions: Permissions | None = None,
) -> UserAccount:
    """Give a member another role or other permissions. Only owners make owners, and unmake them."""
    access = admit(db, caller, account_id, Area.USERS, Right.UPDATE)
    before = membership_of(db, user_id, account_id)
    require_rank(access, before.role, role)
    require_gift(db, access, permissions or Permissions(), role)
    values = {"role": role, "permissions": permissions or before.permissions}
    return _change(db, caller, access.account, before, values, Action.UPDATE)


def suspend_member(db: Repository, caller: Caller, account_id: str, user_id: str) -> UserAccount:
    """Keep a member out for now; the seat stays theirs."""
    return _set_status(db, caller, account_id, user_id, MembershipStatus.SUSPENDED)


def reinstate_member(db: Repository, caller: Caller, account_id: str, user_id: str) -> UserAccount:
    """Let a suspended member in again."""
    return _set_status(db, caller, account_id, user_id, MembershipStatus.ACTIVE)


def leave(db: Repository, caller: Caller, account_id: str) -> None:
    """Be a member no longer."""
    access = enter(db, caller, account_id)
    _end(db, caller, access.account, access.membership)


def remove_member(db: Repository, caller: Caller, account_id: str, user_id: str) -> None:
    """Take a member out of an account, or an invited user's place away."""
    access = admit(db, caller, account_id, Area.USERS, Right.DELETE)
    membership = membership_of(db, user_id, account_id)
    require_rank(access, membership.role)
    _end(db, caller, access.account, membership)


def require_rank(access: Access, *roles: AccountRole) -> None:
    """Owners are made and unmade by owners, admins by owners and admins."""
    allowed = {
        AccountRole.OWNER: set(AccountRole),
        AccountRole.ADMIN: set(AccountRole) - {AccountRole.OWNER},
    }.get(access.role, {AccountRole.MEMBER, AccountRole.READONLY})
    for role in roles:
        if role not in allowed:
            raise Forbidden(f"who is {access.role.value} cannot decide about an {role.value}")


def release_primary(db: Repository, user_id: str, account_id: str) -> list[writes.Write]:
    """The writes that keep a user's primary account right when a membership ends: another one, or none."""
    user = db.run(UserById(user_id=user_id))
    if user is None:
        return []
    target = UserById(user_id=user_id)
    if user.account_id != account_id:
        return [writes.Check(target, User.account_id == user.account_id)]
    other = next(
        (
            each
            for each in db.iterate(AccountsOfUser(user_id=user_id))
            if each.account_id != account_id and each.status is MembershipStatus.ACTIVE
        ),
        None,
    )
    successor = other.account_id if other else None
    moved: writes.Write = writes.Update(
        target, set={"account_id": successor}, when=User.account_id == account_id
    )
    if other is None:
        return [moved]
    return [moved, writes.Check(Membership(user_id=user_id, account_id=other.account_id), _ACTIVE)]


_ACTIVE: Any = UserAccount.status == MembershipStatus.ACTIVE


def _set_status(
    db: Repository, caller: Caller, account_id: str, user_id: str, status: MembershipStatus
) -> UserAccount:
    access = admit(db, caller, account_id, Area.USERS, Right.UPDATE)
    before = membership_of(db, user_id, account_id)
    require_rank(access, before.role)
    if before.status is MembershipStatus.PENDING:
        raise Conflict("the invitation is not accepted yet", "status")
    if before.status is status:
        return before
    return _change(db, caller, access.account, before, {"status": status}, Action.UPDATE)


def _change(
    db: Repository,
    caller: Caller,
    account: Account,
    before: UserAccount,
    values: dict[str, Any],
    action: Action,
) -> UserAccount:
    after = before.changed(**values)
    released: list[writes.Write] = []
    if after.status is MembershipStatus.SUSPENDED:
        released = release_primary(db, before.user_id, account.account_id)
    with refusing({UserAccount: CHANGED, User: CHANGED, **limits.refusal(db, account.account_id, "owners")}):
        db.transact(
            writes.Update(
                Membership(user_id=before.user_id, account_id=account.account_id),
                set=values,
                when=_unchanged(before),
            ),
            *released,
            *_count_owners(account, _owners(after) - _owners(before)),
            _told(caller, before, after, action),
        )
    return after


def _end(db: Repository, caller: Caller, account: Account, membership: UserAccount) -> None:
    released = release_primary(db, membership.user_id, account.account_id)
    target = Membership(user_id=membership.user_id, account_id=account.account_id)
    with refusing({UserAccount: CHANGED, User: CHANGED, **limits.refusal(db, account.account_id, "owners")}):
        db.transact(
            writes.Delete(target, when=_unchanged(membership)),
            limits.use(account, users=-1, owners=-_owners(membership)),
            *released,
            _told(caller, membership, None, Action.LEAVE),
        )
    leave_all_teams(db, caller, account.account_id, membership.user_id)


def _unchanged(membership: UserAccount) -> Any:
    """The owners are counted by what was read; it has to be so still."""
    role: Any = UserAccount.role == membership.role
    return role & (UserAccount.status == membership.status)


def _owners(membership: UserAccount) -> int:
    return int(membership.role is AccountRole.OWNER and membership.status is MembershipStatus.ACTIVE)


def _count_owners(account: Account, amount: int) -> list[writes.Write]:
    return [limits.use(account, owners=amount)] if amount else []


def _told(caller: Caller, before: UserAccount, after: UserAccount | None, action: Action) -> writes.Write:
    return audit.record(
        caller,
        before.account_id,
        ResourceType.USER,
        before.user_id,
        action,
        before=before,
        after=after,
    )
