"""Access: who may do what in which account.

Five things can deny access: the user's status and platform-wide role, a second factor that the token does not prove,
the status of the account and of all its ancestors, the membership, and the rights of its role and permissions. Teams
can only add rights to a member.

Rights are checked twice: when a request starts, and by the transaction that uses them (`Access.grounds`). So a right
that is withdrawn in the meantime is not used.
"""

from dataclasses import dataclass, replace
from enum import Enum
from functools import reduce
from operator import and_
from typing import Any

from tablewright import Repository, fields, writes
from tablewright_systems.listbackup.design.accounts import Account, AccountById, AccountStatus
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    Membership,
    MembershipStatus,
    Permissions,
    UserAccount,
)
from tablewright_systems.listbackup.design.teams import (
    MemberOfTeam,
    Team,
    TeamMember,
    TeamOfAccount,
    TeamPermissions,
    TeamsOfUser,
)
from tablewright_systems.listbackup.design.users import User, UserById, UserRole, UserStatus
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.service import Caller, Forbidden, NotFound, Unauthenticated, require_found

WITHDRAWN = Forbidden("your rights in the account were changed during this request")


class SecondFactorRequired(Unauthenticated):
    """The user has a second factor, and the request does not prove it."""

    code = "second_factor_required"


class Area(Enum):
    """The kind of resource that a right is about. Jobs, connections and tags belong to sources; teams to users."""

    SOURCES = "sources"
    USERS = "users"
    BILLING = "billing"
    REPORTS = "reports"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True)
class Ground:
    """Why a member has a right: a permission of the membership, a team that gives it, or, without both, the role."""

    permission: Any = None
    """The condition that the membership still has the permission."""
    checks: tuple[writes.Check[Any], ...] = ()
    """That the member is still in the team, and that the team still has the right."""


@dataclass(frozen=True, slots=True)
class Access:
    """A caller who is an active member of an account, and the grounds of the rights that the caller uses."""

    user: User
    account: Account
    membership: UserAccount
    rights: tuple[Ground, ...] = ()

    @property
    def role(self) -> AccountRole:
        """The caller's role in the account."""
        return self.membership.role

    @property
    def grounds(self) -> list[writes.Write]:
        """Checks, for the transaction that uses the access: that the caller still has the role and the rights."""
        return self.checked()

    def checked(self, *actions: writes.Write) -> list[writes.Write]:
        """Return the writes of a transaction with the checks.

        A transaction has one action for each item, so the check of an item that is written joins its condition.
        """
        checked = list(actions)
        for check in (self._still_member, *(check for ground in self.rights for check in ground.checks)):
            places = [index for index, action in enumerate(checked) if _target(action) == check.target]
            for index in places:
                checked[index] = _joined(checked[index], check)
            if not places:
                checked.append(check)
        return checked

    def using(self, *rights: Ground) -> "Access":
        """Return the access that uses more rights."""
        return replace(self, rights=(*self.rights, *rights))

    @property
    def _still_member(self) -> writes.Check[Any]:
        """Check that the caller was neither removed, suspended nor given another role, and has the permissions."""
        unchanged = (UserAccount.role == self.role) & (UserAccount.status == MembershipStatus.ACTIVE)
        permissions = [right.permission for right in self.rights if right.permission is not None]
        key = Membership(user_id=self.user.user_id, account_id=self.account.account_id)
        return writes.Check(key, reduce(and_, permissions, unchanged), otherwise=WITHDRAWN)


def _target(action: writes.Write) -> object:
    """Return the item of an action that has a condition."""
    return action.target if isinstance(action, writes.Update | writes.Delete | writes.Check) else None


def _joined(action: Any, check: writes.Check[Any]) -> writes.Write:
    """Return the action on condition of the check; the error of the action, if it has one, is raised."""
    when = check.when if action.when is None else action.when & check.when
    otherwise = action.otherwise or check.otherwise
    if not isinstance(action, writes.Update):
        joined: writes.Write = replace(action, when=when, otherwise=otherwise)
        return joined
    return writes.Update(
        action.target,
        *action.changes,
        set=action.set,
        remove=action.remove,
        add=action.add,
        when=when,
        version=action.version,
        otherwise=otherwise,
    )


def require_right(db: Repository, caller: Caller, account_id: str, area: Area, right: Right) -> Access:
    """Return the caller's access to an account, or raise Forbidden if the caller lacks the right."""
    access = require_member(db, caller, account_id)
    ground = _ground(db, access, area, right)
    if ground is None:
        raise Forbidden(f"you need the right to {right.value} {area.value} in account {account_id}")
    return access.using(ground)


def require_member(db: Repository, caller: Caller, account_id: str) -> Access:
    """Return the access of an active member to an active account, or raise Forbidden."""
    return access_of(db, active_user(db, caller), account_id)


def access_of(db: Repository, user: User, account_id: str) -> Access:
    """Return the access of a user to an account, or raise Forbidden unless both and the membership are active."""
    membership = db.run(Membership(user_id=user.user_id, account_id=account_id))
    if membership is None or membership.status is not MembershipStatus.ACTIVE:
        raise Forbidden(f"you are not an active member of account {account_id}")
    return Access(user, active_account(db, account_id), membership)


def require_role(db: Repository, caller: Caller, account_id: str, *roles: AccountRole) -> Access:
    """Return the access of a caller who has one of these roles in the account and is not read-only."""
    access = require_member(db, caller, account_id)
    if access.role not in roles or access.user.role is UserRole.READONLY:
        raise Forbidden(f"you must be {' or '.join(role.value for role in roles)} of account {account_id}")
    return access


def require_can_grant(
    db: Repository,
    access: Access,
    permissions: Permissions | TeamPermissions,
    role: AccountRole = AccountRole.MEMBER,
) -> Access:
    """Return the access that also uses the granted rights; raise Forbidden if the caller does not have them.

    Otherwise a caller could grant rights to themselves. `memberships.require_rank` decides who may appoint owners and
    admins.
    """
    rights = {area: getattr(permissions, area.value, []) for area in Area}
    if role is AccountRole.READONLY:
        rights = {area: [Right.READ] for area in Area if area is not Area.BILLING}
    for area, area_rights in rights.items():
        for right in area_rights:
            ground = _ground(db, access, area, right)
            if ground is None:
                reason = f"you cannot grant the right to {right.value} {area.value}: you do not have it"
                raise Forbidden(reason, "permissions")
            access = access.using(ground)
    return access


def require_staff(caller: Caller, role: str) -> None:
    """Raise Forbidden unless the caller's token has a platform role: "admin", "worker" or "webhook"."""
    if role not in caller.roles:
        raise Forbidden(f"only the platform's {role}s may do this")


def require_admin(db: Repository, caller: Caller) -> None:
    """Raise Forbidden unless the caller is one of the platform's admins, by the token or by the user's role."""
    if "admin" in caller.roles:
        return
    user = db.run(UserById(user_id=caller.user_id))
    if user is None or user.role is not UserRole.ADMIN:
        raise Forbidden("only the platform's admins may do this")
    active_user(db, caller)


def active_user(db: Repository, caller: Caller) -> User:
    """Return the caller's user, who must be active; a user with a second factor must have proved it."""
    user = signed_up_user(db, caller.user_id)
    if user.mfa_enabled and not has_second_factor(caller):
        raise SecondFactorRequired("sign in with a code of your authenticator: POST /sessions")
    return user


def has_second_factor(caller: Caller) -> bool:
    """Whether the caller's token says that a second factor was proved: `amr` contains "mfa" (RFC 8176)."""
    methods = caller.claims.get("amr")
    return isinstance(methods, list) and "mfa" in methods


def signed_up_user(db: Repository, user_id: str) -> User:
    """Return the user, or raise Forbidden unless the user is active. For calls that take a code themselves."""
    user = db.run(UserById(user_id=user_id))
    if user is None:
        raise Forbidden("you have not signed up; sign up first")
    if user.status is not UserStatus.ACTIVE:
        raise Forbidden(f"your user is {user.status.value}")
    return user


def refuse_suspended(db: Repository, caller: Caller) -> None:
    """Raise Forbidden if the caller's user is not active; a caller who has not signed up is accepted."""
    user = db.run(UserById(user_id=caller.user_id))
    if user is not None and user.status is not UserStatus.ACTIVE:
        raise Forbidden(f"your user is {user.status.value}")


def active_account(db: Repository, account_id: str) -> Account:
    """Return the account, or raise Forbidden unless the account and all its ancestors are active."""
    account = get_account(db, account_id)
    above: Account | None = account
    while above is not None:
        if above.status is not AccountStatus.ACTIVE:
            raise Forbidden(f"account {above.account_id} is {above.status.value}")
        above = get_account(db, above.parent_account_id) if above.parent_account_id else None
    return account


def is_account_active(db: Repository, account_id: str) -> bool:
    """Whether the account and all its ancestors are active."""
    try:
        active_account(db, account_id)
    except (Forbidden, NotFound):
        return False
    return True


def get_account(db: Repository, account_id: str) -> Account:
    """Return the account, whatever its status, or raise NotFound."""
    return require_found(db.run(AccountById(account_id=account_id)), f"account {account_id}")


def has_right(db: Repository, access: Access, area: Area, right: Right) -> bool:
    """Whether a member has a right in the account."""
    return _ground(db, access, area, right) is not None


def _ground(db: Repository, access: Access, area: Area, right: Right) -> Ground | None:
    """Return why a member has a right, or None if the member does not have it."""
    if access.user.role is UserRole.READONLY and right is not Right.READ:
        return None
    if access.role is AccountRole.MEMBER:
        return _ground_of_member(db, access, area, right)
    is_allowed = {
        AccountRole.OWNER: True,
        AccountRole.ADMIN: area is not Area.BILLING or right is Right.READ,
        AccountRole.READONLY: area is not Area.BILLING and right is Right.READ,
    }
    return Ground() if is_allowed[access.role] else None


def _ground_of_member(db: Repository, access: Access, area: Area, right: Right) -> Ground | None:
    """Return the ground of a right that a permission or a team gives."""
    if right in getattr(access.membership.permissions, area.value, []):
        return Ground(fields.of(getattr(UserAccount.permissions, area.value)).contains(right))
    member = _team_with_right(db, access, area, right)
    if member is None:
        return None
    key = TeamOfAccount(account_id=member.account_id, team_id=member.team_id)
    has_right = fields.of(getattr(Team.permissions, area.value)).contains(right)
    return Ground(checks=(still_in_team(member), writes.Check(key, has_right, otherwise=WITHDRAWN)))


def still_in_team(member: TeamMember) -> writes.Check[Any]:
    """Return the check that a user did not leave a team, and has the same role there."""
    key = MemberOfTeam(account_id=member.account_id, team_id=member.team_id, user_id=member.user_id)
    unchanged = (TeamMember.joined_at == member.joined_at) & (TeamMember.role == member.role)
    return writes.Check(key, unchanged, otherwise=WITHDRAWN)


def _team_with_right(db: Repository, access: Access, area: Area, right: Right) -> TeamMember | None:
    """Return the membership in a team that gives a right. One from before the member last joined gives nothing."""
    account_id = access.account.account_id
    for member in db.iterate(TeamsOfUser(user_id=access.user.user_id)):
        if member.account_id == account_id and is_current(member, access.membership):
            team = db.run(TeamOfAccount(account_id=account_id, team_id=member.team_id))
            if team is not None and right in getattr(team.permissions, area.value, []):
                return member
    return None


def is_current(team_membership: TeamMember, membership: UserAccount) -> bool:
    """Whether a user joined a team after last joining the account; older memberships of teams are left over."""
    return membership.joined_at is not None and team_membership.joined_at >= membership.joined_at
