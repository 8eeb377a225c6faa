"""Memberships: roles and permissions in an account, suspending members, leaving.

An account counts its active owners and always keeps one: each transaction that removes an owner checks the counter.
A user's primary account is always one of the user's active memberships, and is replaced when that membership ends.
"""

from typing import Any

from tablewright import Repository, fields, reads, writes
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
from tablewright_systems.listbackup.design.users import User, UserById, UserByUsername
from tablewright_systems.listbackup.design.vocabulary import Right, Username
from tablewright_systems.listbackup.service import alerts, audit, limits
from tablewright_systems.listbackup.service.access import (
    Access,
    Area,
    active_user,
    require_can_grant,
    require_member,
    require_right,
)
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.teams import remove_from_all_teams
from tablewright_systems.listbackup.service.user_names import page_with_names, with_names
from tablewright_systems.service import FIRST_PAGE, Caller, Conflict, Forbidden, NotFound, require_found
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, View

router = Router("Memberships", "Members of an account, and invitations.")

MEMBERSHIP_CHANGED = Conflict("the membership was changed by another request; read it and try again")


def membership_of(db: Repository, user_id: str, account_id: str) -> UserAccount:
    """Return a user's membership in an account, or raise NotFound."""
    return require_found(
        db.run(Membership(user_id=user_id, account_id=account_id)),
        f"member {user_id} of account {account_id}",
    )


class MemberView(View):
    """A member of an account, or an invited user, with the user's names."""

    user_id: str
    user_name: str | None
    username: str | None
    account_id: str
    role: AccountRole
    permissions: Permissions
    joined_at: fields.Timestamp | None
    invited_by: str | None
    status: MembershipStatus


@router.get("/accounts/{account_id}/users")
def members_of(
    db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest = FIRST_PAGE
) -> reads.Page[MemberView]:
    """List the users of an account, with their names."""
    require_member(db, caller, account_id)
    return page_with_names(db, MemberView, paging.run(db, UsersOfAccount(account_id=account_id)))


@router.get("/accounts/{account_id}/users/{user_id}")
def read_member(db: Db, caller: CurrentCaller, account_id: str, user_id: str) -> MemberView:
    """Get a member of an account."""
    require_member(db, caller, account_id)
    return with_names(db, MemberView, [membership_of(db, user_id, account_id)])[0]


@router.get("/accounts/{account_id}/users/by-username/{username}")
def member_by_username(db: Db, caller: CurrentCaller, account_id: str, username: Username) -> MemberView:
    """Get the member of an account with a username."""
    # Users of other accounts are not found, so that names cannot be probed.
    require_member(db, caller, account_id)
    user = db.run(UserByUsername(username=username))
    membership = db.run(Membership(user_id=user.user_id, account_id=account_id)) if user else None
    if membership is None:
        raise NotFound(f"member {username} of account {account_id}")
    return with_names(db, MemberView, [membership])[0]


@router.get("/memberships")
def own_memberships(db: Db, caller: CurrentCaller) -> AccountsOfUser:
    """List the accounts that the caller is a member of or invited to."""
    return AccountsOfUser(user_id=active_user(db, caller).user_id)


@router.put("/accounts/{account_id}/users/{user_id}/role")
def change_role(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    user_id: str,
    role: AccountRole,
    permissions: Permissions | None = None,
) -> UserAccount:
    """Change a member's role or permissions."""
    # Only owners appoint and dismiss owners. Without `permissions`, a member who keeps the role keeps the permissions;
    # one who changes it has none until they are granted: permissions that an earlier role left unused would otherwise
    # come back without a grant.
    access = require_right(db, caller, account_id, Area.USERS, Right.UPDATE)
    before = membership_of(db, user_id, account_id)
    require_rank(access, before.role, role)
    if permissions is None and role is before.role:
        return before
    granted = permissions or Permissions()
    access = require_can_grant(db, access, granted, role)
    return _change(db, caller, access, before, {"role": role, "permissions": granted})


@router.post("/accounts/{account_id}/users/{user_id}/suspension")
def suspend_member(db: Db, caller: CurrentCaller, account_id: str, user_id: str) -> UserAccount:
    """Suspend a member."""
    return _set_status(db, caller, account_id, user_id, MembershipStatus.SUSPENDED)


@router.delete("/accounts/{account_id}/users/{user_id}/suspension")
def reinstate_member(db: Db, caller: CurrentCaller, account_id: str, user_id: str) -> UserAccount:
    """Reactivate a suspended member."""
    # The caller needs the rights that the member gets back.
    return _set_status(db, caller, account_id, user_id, MembershipStatus.ACTIVE)


@router.delete("/accounts/{account_id}/users/me", status_code=204)
def leave_account(db: Db, caller: CurrentCaller, account_id: str) -> None:
    """Leave an account."""
    access = require_member(db, caller, account_id)
    _end_membership(db, caller, access, access.membership)


@router.delete("/accounts/{account_id}/users/{user_id}", status_code=204)
def remove_member(db: Db, caller: CurrentCaller, account_id: str, user_id: str) -> None:
    """Remove a member from an account."""
    access = require_right(db, caller, account_id, Area.USERS, Right.DELETE)
    membership = membership_of(db, user_id, account_id)
    require_rank(access, membership.role)
    _end_membership(db, caller, access, membership)


def require_rank(access: Access, *roles: AccountRole) -> None:
    """Raise Forbidden unless the caller may manage these roles: owners by owners, admins by owners and admins."""
    allowed = {
        AccountRole.OWNER: set(AccountRole),
        AccountRole.ADMIN: set(AccountRole) - {AccountRole.OWNER},
    }.get(access.role, {AccountRole.MEMBER, AccountRole.READONLY})
    for role in roles:
        if role not in allowed:
            raise Forbidden(f"a member with the role {access.role.value} cannot manage the role {role.value}")


def replace_primary_account(db: Repository, user_id: str, account_id: str) -> list[writes.Write]:
    """Return the writes that replace a user's primary account when that membership ends."""
    user = db.run(UserById(user_id=user_id))
    if user is None:
        return []
    target = UserById(user_id=user_id)
    if user.account_id != account_id:
        return [writes.Check(target, User.account_id == user.account_id, otherwise=MEMBERSHIP_CHANGED)]
    other = next(
        (
            membership
            for membership in db.iterate(AccountsOfUser(user_id=user_id))
            if membership.account_id != account_id and membership.status is MembershipStatus.ACTIVE
        ),
        None,
    )
    successor = other.account_id if other else None
    moved: writes.Write = writes.Update(
        target,
        set={"account_id": successor},
        when=User.account_id == account_id,
        otherwise=MEMBERSHIP_CHANGED,
    )
    if other is None:
        return [moved]
    kept = Membership(user_id=user_id, account_id=other.account_id)
    return [moved, writes.Check(kept, _ACTIVE, otherwise=MEMBERSHIP_CHANGED)]


_ACTIVE = UserAccount.status == MembershipStatus.ACTIVE


def _set_status(
    db: Repository, caller: Caller, account_id: str, user_id: str, status: MembershipStatus
) -> UserAccount:
    access = require_right(db, caller, account_id, Area.USERS, Right.UPDATE)
    before = membership_of(db, user_id, account_id)
    require_rank(access, before.role)
    if before.status is MembershipStatus.PENDING:
        raise Conflict("the user has not accepted the invitation yet", "status")
    if before.status is status:
        return before
    if status is MembershipStatus.ACTIVE:
        access = require_can_grant(db, access, before.permissions, before.role)
    return _change(db, caller, access, before, {"status": status})


def _change(
    db: Repository,
    caller: Caller,
    access: Access,
    before: UserAccount,
    values: dict[str, Any],
) -> UserAccount:
    account, after = access.account, before.changed(**values)
    released: list[writes.Write] = []
    if after.status is MembershipStatus.SUSPENDED:
        released = replace_primary_account(db, before.user_id, account.account_id)
    changed = writes.Update(
        Membership(user_id=before.user_id, account_id=account.account_id),
        set=values,
        when=_unchanged(before),
        otherwise=MEMBERSHIP_CHANGED,
    )
    db.transact(
        *access.checked(changed),
        *released,
        *_count_owners(account, _owners(after) - _owners(before)),
        audit.record(caller, before, Action.UPDATE, before=before, after=after),
        *alerts.membership_changed(db, account, after),
    )
    return after


def _end_membership(db: Repository, caller: Caller, access: Access, membership: UserAccount) -> None:
    account = access.account
    released = replace_primary_account(db, membership.user_id, account.account_id)
    target = Membership(user_id=membership.user_id, account_id=account.account_id)
    db.transact(
        *access.checked(writes.Delete(target, when=_unchanged(membership), otherwise=MEMBERSHIP_CHANGED)),
        limits.use(account, users=-1, owners=-_owners(membership)),
        *released,
        audit.record(caller, membership, Action.LEAVE, before=membership),
    )
    remove_from_all_teams(db, caller, account.account_id, membership.user_id)


def _unchanged(membership: UserAccount) -> Any:
    """The condition that a membership has not changed since it was read: the owner count depends on it."""
    role = UserAccount.role == membership.role
    return role & (UserAccount.status == membership.status)


def _owners(membership: UserAccount) -> int:
    return int(membership.role is AccountRole.OWNER and membership.status is MembershipStatus.ACTIVE)


def _count_owners(account: Account, amount: int) -> list[writes.Write]:
    return [limits.use(account, owners=amount)] if amount else []
