"""Access: who may do what in which account.

Four things have a say, and each can only take away: the user's status and platform-wide role, the status of the account
and of all accounts above it, the membership, and what its role and permissions allow. Teams add rights to members.
"""

from dataclasses import dataclass
from enum import Enum

from tablewright import Repository
from tablewright_systems.api_errors import Forbidden, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.accounts import Account, AccountById, AccountStatus
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    Membership,
    MembershipStatus,
    Permissions,
    UserAccount,
)
from tablewright_systems.listbackup.design.teams import TeamOfAccount, TeamPermissions, TeamsOfUser
from tablewright_systems.listbackup.design.users import User, UserById, UserRole, UserStatus
from tablewright_systems.listbackup.design.vocabulary import Right


class Area(Enum):
    """What rights are about. Jobs, connections and tags belong to sources; teams to users."""

    SOURCES = "sources"
    USERS = "users"
    BILLING = "billing"
    REPORTS = "reports"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True)
class Access:
    """A caller who was let in to an account."""

    user: User
    account: Account
    membership: UserAccount

    @property
    def role(self) -> AccountRole:
        """What the caller is to the account."""
        return self.membership.role


def admit(db: Repository, caller: Caller, account_id: str, area: Area, right: Right) -> Access:
    """Let a caller in who has the right, or refuse."""
    access = enter(db, caller, account_id)
    if not may(db, access, area, right):
        raise Forbidden(f"this needs the right to {right.value} {area.value} in account {account_id}")
    return access


def enter(db: Repository, caller: Caller, account_id: str) -> Access:
    """Let a caller in who is an active member of an account where things may be done."""
    user = active_user(db, caller.user_id)
    membership = db.run(Membership(user_id=caller.user_id, account_id=account_id))
    if membership is None or membership.status is not MembershipStatus.ACTIVE:
        raise Forbidden(f"you are no active member of account {account_id}")
    return Access(user, active_account(db, account_id), membership)


def require_role(db: Repository, caller: Caller, account_id: str, *roles: AccountRole) -> Access:
    """Let a caller in who has one of these roles in the account, and may write at all."""
    access = enter(db, caller, account_id)
    if access.role not in roles or access.user.role is UserRole.READONLY:
        raise Forbidden(f"this needs to be {' or '.join(role.value for role in roles)} of {account_id}")
    return access


def require_gift(
    db: Repository,
    access: Access,
    given: Permissions | TeamPermissions,
    role: AccountRole = AccountRole.MEMBER,
) -> None:
    """Let nobody give rights that they do not have: they could give them to themselves.

    Who may make owners and admins is a matter of rank (`memberships.require_rank`).
    """
    rights = {area: getattr(given, area.value, []) for area in Area}
    if role is AccountRole.READONLY:
        rights = {area: [Right.READ] for area in Area if area is not Area.BILLING}
    for area, several in rights.items():
        for right in several:
            if not may(db, access, area, right):
                told = f"you do not have the right to {right.value} {area.value}, and cannot give it"
                raise Forbidden(told, "permissions")


def require_staff(caller: Caller, role: str) -> None:
    """Let in who works for the platform: an "admin", or a "worker"."""
    if role not in caller.roles:
        raise Forbidden(f"this is for the platform's {role}s")


def active_user(db: Repository, user_id: str) -> User:
    """The user, who may do something."""
    user = db.run(UserById(user_id=user_id))
    if user is None:
        raise Forbidden("you have not signed up")
    if user.status is not UserStatus.ACTIVE:
        raise Forbidden(f"your user is {user.status.value}")
    return user


def active_account(db: Repository, account_id: str) -> Account:
    """The account, where something may be done; not below one that is suspended."""
    account = found_account(db, account_id)
    above: Account | None = account
    while above is not None:
        if above.status is not AccountStatus.ACTIVE:
            raise Forbidden(f"account {above.account_id} is {above.status.value}")
        above = found_account(db, above.parent_account_id) if above.parent_account_id else None
    return account


def is_served(db: Repository, account_id: str) -> bool:
    """Whether anything may be done for an account, by whom ever."""
    try:
        active_account(db, account_id)
    except (Forbidden, NotFound):
        return False
    return True


def found_account(db: Repository, account_id: str) -> Account:
    """The account, whatever its status."""
    account = db.run(AccountById(account_id=account_id))
    if account is None:
        raise NotFound(f"account {account_id}")
    return account


def may(db: Repository, access: Access, area: Area, right: Right) -> bool:
    """Whether who was let in has a right."""
    if access.user.role is UserRole.READONLY and right is not Right.READ:
        return False
    match access.role:
        case AccountRole.OWNER:
            return True
        case AccountRole.ADMIN:
            return area is not Area.BILLING or right is Right.READ
        case AccountRole.READONLY:
            return right is Right.READ and area is not Area.BILLING
        case AccountRole.MEMBER:
            granted: list[Right] = getattr(access.membership.permissions, area.value, [])
            return right in granted or right in _team_rights(db, access, area)


def _team_rights(db: Repository, access: Access, area: Area) -> set[Right]:
    """What the teams of a member add. A seat from an earlier membership adds nothing: it was left behind."""
    rights: set[Right] = set()
    since = access.membership.joined_at
    for seat in db.iterate(TeamsOfUser(user_id=access.user.user_id)):
        if seat.account_id == access.account.account_id and since is not None and seat.joined_at >= since:
            team = db.run(TeamOfAccount(account_id=seat.account_id, team_id=seat.team_id))
            rights.update(getattr(team.permissions, area.value, []) if team else [])
    return rights
