"""Import of an export of V1 (001:664-668). The document does not describe V1, so its export is defined here.

The import can be repeated: existing items are left unchanged. Two V1 users whose normalised addresses are equal are
reported; neither is merged or overwritten. Activities past their retention time are skipped.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tablewright import Repository, errors, writes
from tablewright_systems.listbackup.design.accounts import Account, AccountById, AccountType, Plan
from tablewright_systems.listbackup.design.activities import RETENTION, Activity
from tablewright_systems.listbackup.design.memberships import AccountRole, MembershipStatus, UserAccount
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceStatus
from tablewright_systems.listbackup.design.users import User
from tablewright_systems.listbackup.design.vocabulary import ConnectionType, ResourceType, normalised
from tablewright_systems.listbackup.service.access import require_admin
from tablewright_systems.listbackup.service.accounts.limits import LIMITS
from tablewright_systems.service.callers import Caller


@dataclass(frozen=True, slots=True)
class V1Account:
    """An account of V1, with its parent's id if it has a parent."""

    id: str
    name: str
    owner_id: str
    parent_id: str | None = None


@dataclass(frozen=True, slots=True)
class V1User:
    """A user of V1, in one account."""

    id: str
    email: str
    username: str
    name: str
    account_id: str


@dataclass(frozen=True, slots=True)
class V1Source:
    """A source of V1; `secret` is decrypted."""

    id: str
    account_id: str
    name: str
    platform: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class V1Activity:
    """An activity of V1."""

    id: str
    account_id: str
    event_type: str
    resource_type: ResourceType
    resource_id: str
    action: str
    at: datetime
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class Export:
    """An export of V1."""

    accounts: Sequence[V1Account] = ()
    users: Sequence[V1User] = ()
    sources: Sequence[V1Source] = ()
    activities: Sequence[V1Activity] = ()


@dataclass(frozen=True, slots=True)
class Collision:
    """A V1 user who was not imported, because another user has the same unique value."""

    user_id: str
    field: str
    value: str


@dataclass(slots=True)
class Report:
    """What an import created, skipped and rejected."""

    created: int = 0
    present: int = 0
    expired: int = 0
    collisions: list[Collision] = field(default_factory=list)
    rejected: dict[str, str] = field(default_factory=dict)
    """The reason, by the id in V1."""


def migrate(db: Repository, caller: Caller, export: Export) -> Report:
    """Import an export of V1. For the platform's staff."""
    require_admin(db, caller)
    report = Report()
    imported = _accounts(db, export.accounts, report)
    for user in export.users:
        _user(db, user, imported, report)
    for source in export.sources:
        _source(db, source, imported, report)
    for activity in export.activities:
        _activity(db, activity, imported, report)
    return report


def _accounts(db: Repository, found: Sequence[V1Account], report: Report) -> dict[str, Account]:
    """Create the hierarchy from the top down; accounts that lead to no root are rejected."""
    imported: dict[str, Account] = {}
    waiting = list(found)
    while ready := [each for each in waiting if each.parent_id is None or each.parent_id in imported]:
        for old in ready:
            account = _account(old, imported.get(old.parent_id or ""))
            if account is None:
                report.rejected[old.id] = "it is too deep in the hierarchy: no account type has that level"
                continue
            counters = [
                writes.Add(AccountById(account_id=parent), children=1)
                for parent in [account.parent_account_id]
                if parent is not None
            ]
            _create(db, report, writes.Create(account), *counters)
            imported[old.id] = account
        waiting = [each for each in waiting if each not in ready]
    report.rejected |= {
        each.id: "its parent does not exist, or is one of its descendants" for each in waiting
    }
    return imported


def _account(old: V1Account, parent: Account | None) -> Account | None:
    level = parent.level + 1 if parent else 0
    if level >= len(AccountType):
        return None
    return Account(
        account_id=old.id,
        account_name=old.name,
        parent_account_id=parent.account_id if parent else None,
        account_path=f"{parent.account_path if parent else '/'}{old.id}/",
        root_account_id=parent.root_account_id if parent else old.id,
        account_type=list(AccountType)[level],
        level=level,
        plan=Plan.ENTERPRISE,
        limits=LIMITS[Plan.ENTERPRISE],
        created_by=old.owner_id,
    )


def _user(db: Repository, old: V1User, imported: dict[str, Account], report: Report) -> None:
    account = imported.get(old.account_id)
    if account is None:
        report.rejected[old.id] = "its account was not imported"
        return
    is_owner = account.created_by == old.id
    user = User(
        user_id=old.id,
        email=old.email,
        username=old.username,
        display_email=old.email.strip(),
        display_username=old.username.strip(),
        name=old.name,
        account_id=account.account_id,
    )
    membership = UserAccount(
        user_id=old.id,
        account_id=account.account_id,
        role=AccountRole.OWNER if is_owner else AccountRole.MEMBER,
        status=MembershipStatus.ACTIVE,
        joined_at=db.now(),
    )
    counters = writes.Add(
        AccountById(account_id=account.account_id), users_used=1, **({"owners": 1} if is_owner else {})
    )
    try:
        _create(db, report, writes.Create(user), writes.Create(membership), counters)
    except errors.UniqueViolation as taken:
        report.collisions.append(Collision(old.id, taken.field, normalised(str(taken.value))))


def _source(db: Repository, old: V1Source, imported: dict[str, Account], report: Report) -> None:
    account = imported.get(old.account_id)
    if account is None:
        report.rejected[old.id] = "its account was not imported"
        return
    source = Source(
        account_id=account.account_id,
        source_id=old.id,
        source_name=old.name,
        platform=old.platform,
        connection_type=ConnectionType.APIKEY,
        status=SourceStatus.PAUSED,
        credentials=Credentials(type="apikey", encrypted_data=old.secret),
        created_by=account.created_by,
    )
    counters = writes.Add(AccountById(account_id=account.account_id), sources_used=1)
    _create(db, report, writes.Create(source), counters)


def _activity(db: Repository, old: V1Activity, imported: dict[str, Account], report: Report) -> None:
    if old.account_id not in imported:
        report.rejected[old.id] = "its account was not imported"
        return
    if old.at + RETENTION <= db.now():
        report.expired += 1
        return
    activity = Activity(
        account_id=old.account_id,
        event_id=old.id,
        user_id=old.user_id,
        event_type=old.event_type,
        resource_type=old.resource_type,
        resource_id=old.resource_id,
        action=old.action,
        timestamp=int(old.at.timestamp()),
        created_at=old.at,
    )
    _create(db, report, writes.Create(activity))


def _create(db: Repository, report: Report, *steps: writes.Write) -> None:
    """Create items that do not exist yet; raise an error for a unique value that is taken."""
    try:
        db.transact(*steps)
        report.created += 1
    except errors.TransactionFailed as error:
        first = next(each for each in error.failures if each is not None)
        if not isinstance(first, errors.AlreadyExists):
            raise first from None
        report.present += 1
