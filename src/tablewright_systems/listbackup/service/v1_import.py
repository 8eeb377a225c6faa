"""From V1 to V2 (001:664-668). The document does not say what V1 looks like, so its export is defined here.

Everything can be run again: what is there already is left alone. Two V1 users whose addresses are equal once they are
normalised are reported and neither silently merged nor overwritten. Activities that would have expired are skipped.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tablewright import Repository, errors, writes
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.accounts import Account, AccountById, AccountType, Plan
from tablewright_systems.listbackup.design.activities import RETENTION, Activity
from tablewright_systems.listbackup.design.memberships import AccountRole, MembershipStatus, UserAccount
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceStatus
from tablewright_systems.listbackup.design.users import User
from tablewright_systems.listbackup.design.vocabulary import ConnectionType, ResourceType, normalised
from tablewright_systems.listbackup.service.access import require_staff
from tablewright_systems.listbackup.service.accounts.limits import LIMITS


@dataclass(frozen=True, slots=True)
class V1Account:
    """An account of V1; it may know its parent."""

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
    """A source of V1; its secret as V1's key opened it."""

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
    """What V1 gives."""

    accounts: Sequence[V1Account] = ()
    users: Sequence[V1User] = ()
    sources: Sequence[V1Source] = ()
    activities: Sequence[V1Activity] = ()


@dataclass(frozen=True, slots=True)
class Collision:
    """A user of V1 who could not be brought over, as another has the same value."""

    user_id: str
    field: str
    value: str


@dataclass(slots=True)
class Report:
    """What a migration did, and what it could not do."""

    created: int = 0
    present: int = 0
    expired: int = 0
    collisions: list[Collision] = field(default_factory=list)
    rejected: dict[str, str] = field(default_factory=dict)
    """By the id in V1, the reason."""


def migrate(db: Repository, caller: Caller, export: Export) -> Report:
    """Bring an export of V1 over. For the platform's staff."""
    require_staff(caller, "admin")
    report = Report()
    placed = _accounts(db, export.accounts, report)
    for user in export.users:
        _user(db, user, placed, report)
    for source in export.sources:
        _source(db, source, placed, report)
    for activity in export.activities:
        _activity(db, activity, placed, report)
    return report


def _accounts(db: Repository, found: Sequence[V1Account], report: Report) -> dict[str, Account]:
    """Establish the hierarchy, from the top down; who has no way to a root is rejected."""
    placed: dict[str, Account] = {}
    waiting = list(found)
    while ready := [each for each in waiting if each.parent_id is None or each.parent_id in placed]:
        for old in ready:
            account = _account(old, placed.get(old.parent_id or ""))
            if account is None:
                report.rejected[old.id] = "there is no type of account so deep"
                continue
            counted = [
                writes.Add(AccountById(account_id=parent), children=1)
                for parent in [account.parent_account_id]
                if parent is not None
            ]
            _create(db, report, writes.Create(account), *counted)
            placed[old.id] = account
        waiting = [each for each in waiting if each not in ready]
    report.rejected |= {each.id: "its parent is missing, or below itself" for each in waiting}
    return placed


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


def _user(db: Repository, old: V1User, placed: dict[str, Account], report: Report) -> None:
    account = placed.get(old.account_id)
    if account is None:
        report.rejected[old.id] = "its account was not brought over"
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
    seat = UserAccount(
        user_id=old.id,
        account_id=account.account_id,
        role=AccountRole.OWNER if is_owner else AccountRole.MEMBER,
        status=MembershipStatus.ACTIVE,
        joined_at=db.now(),
    )
    counted = writes.Add(
        AccountById(account_id=account.account_id), users_used=1, **({"owners": 1} if is_owner else {})
    )
    try:
        _create(db, report, writes.Create(user), writes.Create(seat), counted)
    except errors.UniqueViolation as taken:
        report.collisions.append(Collision(old.id, taken.field, normalised(str(taken.value))))


def _source(db: Repository, old: V1Source, placed: dict[str, Account], report: Report) -> None:
    account = placed.get(old.account_id)
    if account is None:
        report.rejected[old.id] = "its account was not brought over"
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
    counted = writes.Add(AccountById(account_id=account.account_id), sources_used=1)
    _create(db, report, writes.Create(source), counted)


def _activity(db: Repository, old: V1Activity, placed: dict[str, Account], report: Report) -> None:
    if old.account_id not in placed:
        report.rejected[old.id] = "its account was not brought over"
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
    """Create what is not there yet; a value that another has is told."""
    try:
        db.transact(*steps)
        report.created += 1
    except errors.TransactionFailed as refusal:
        first = next(each for each in refusal.failures if each is not None)
        if not isinstance(first, errors.AlreadyExists):
            raise first from None
        report.present += 1
