"""Closing an account: first it takes nothing more, then everything that belongs to it goes, at last the account itself.

Rounds of deleting are repeated until one finds nothing: an index may not show everything at once, and a round may be
interrupted anywhere. The keys of its secrets go first, so that what is still there can be read no more.
Sessions and OAuth states are refused from the first moment, and expire.
"""

from collections.abc import Callable, Iterable
from typing import Any

from tablewright import Repository, writes
from tablewright_systems.api_errors import Conflict
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.accounts import Account, AccountById, AccountStatus
from tablewright_systems.listbackup.design.activities import ActivitiesOfAccount
from tablewright_systems.listbackup.design.connections import ConnectionsOfAccount
from tablewright_systems.listbackup.design.jobs import JobOfAccount, JobsOfAccount
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    InvitationsOfAccount,
    Membership,
    UsersOfAccount,
)
from tablewright_systems.listbackup.design.notifications import NotificationsOfAccount
from tablewright_systems.listbackup.design.oauth import OAuthTokenIdsOfAccount, OAuthTokenOf
from tablewright_systems.listbackup.design.sources import SourceIdsOfAccount, SourceOfAccount
from tablewright_systems.listbackup.design.tags import TaggedResourcesOfType, TagsOfType
from tablewright_systems.listbackup.design.teams import TeamMembersOfAccount, TeamsOfAccount
from tablewright_systems.listbackup.design.vocabulary import ResourceType
from tablewright_systems.listbackup.service.access import found_account, require_role
from tablewright_systems.listbackup.service.accounts.hierarchy import BUSY, Edits
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.sources import encryption_keys
from tablewright_systems.listbackup.service.store_errors import refusing
from tablewright_systems.listbackup.service.time_ranges import ALWAYS
from tablewright_systems.listbackup.service.users.memberships import release_primary


def close_account(db: Repository, caller: Caller, account_id: str) -> Account:
    """Let an account without children take nothing more; `finish_closing` does the rest."""
    account = require_role(db, caller, account_id, AccountRole.OWNER).account
    edits = Edits()
    edits.still(account.root_account_id)
    edit = edits.of(account_id)
    edit.set |= {"status": AccountStatus.INACTIVE, "closing_at": db.now()}
    edit.when.append(Account.children == 0)
    told = audit.record(caller, account_id, ResourceType.ACCOUNT, account_id, Action.DELETE, before=account)
    with refusing({Account: Conflict("it has accounts below it, or the hierarchy is changing", "children")}):
        db.transact(*edits.steps(), told)
    return found_account(db, account_id)


def finish_closing(db: Repository, account_id: str) -> bool:
    """One round of deleting; whether it was the last, so that the account is gone."""
    account = found_account(db, account_id)
    if account.closing_at is None:
        raise Conflict("the account is not being closed", "closingAt")
    encryption_keys.shred(db, account_id)
    if sum(step(db, account_id) for step in STEPS):
        return False
    with refusing({Account: Conflict(BUSY)}):
        db.transact(writes.Delete(AccountById(account_id=account_id), when=_STILL), *_uncounted(account))
    return True


_STILL: Any = Account.moving == None  # noqa: E711 - a condition


def _uncounted(account: Account) -> list[writes.Write]:
    """One child fewer for its parent, while nothing is being moved around it."""
    if account.parent_account_id is None:
        return []
    edits = Edits()
    edits.still(account.root_account_id)
    edits.count_child(account.parent_account_id, -1)
    return edits.steps()


def _delete(db: Repository, found: Iterable[Any]) -> int:
    """Delete one after the other, with copies, whatever version they have by now."""
    doomed = list(found)
    for each in doomed:
        db.delete(each)
    return len(doomed)


def _sweep(db: Repository, found: Iterable[Any]) -> int:
    """Delete many at a time: what is one item and nothing else."""
    doomed = [writes.Delete(each) for each in found]
    db.batch(doomed)
    return len(doomed)


def _delete_tokens(db: Repository, account_id: str) -> int:
    rows = db.rows(OAuthTokenIdsOfAccount(account_id=account_id))
    return _delete(db, [OAuthTokenOf(source_id=row["source_id"]) for row in rows])


def _delete_sources(db: Repository, account_id: str) -> int:
    rows = db.rows(SourceIdsOfAccount(account_id=account_id))
    return _delete(db, [SourceOfAccount(account_id=account_id, source_id=row["source_id"]) for row in rows])


def _delete_connections(db: Repository, account_id: str) -> int:
    return _sweep(db, db.iterate(ConnectionsOfAccount(account_id=account_id)))


def _delete_jobs(db: Repository, account_id: str) -> int:
    found = db.iterate(JobsOfAccount(account_id=account_id))
    return _delete(db, (JobOfAccount(account_id=account_id, job_id=job.job_id) for job in found))


def _delete_tags(db: Repository, account_id: str) -> int:
    count = 0
    for kind in ResourceType:
        count += _delete(db, db.iterate(TaggedResourcesOfType(account_id=account_id, resource_type=kind)))
        count += _delete(db, db.iterate(TagsOfType(account_id=account_id, resource_type=kind)))
    return count


def _delete_teams(db: Repository, account_id: str) -> int:
    members = _sweep(db, db.iterate(TeamMembersOfAccount(account_id=account_id)))
    return members + _delete(db, db.iterate(TeamsOfAccount(account_id=account_id)))


def _delete_notifications(db: Repository, account_id: str) -> int:
    return _sweep(db, db.iterate(NotificationsOfAccount(account_id=account_id, **ALWAYS)))


def _delete_activities(db: Repository, account_id: str) -> int:
    return _sweep(db, db.iterate(ActivitiesOfAccount(account_id=account_id, **ALWAYS)))


def _delete_invitations(db: Repository, account_id: str) -> int:
    return _sweep(db, db.iterate(InvitationsOfAccount(account_id=account_id)))


def _delete_memberships(db: Repository, account_id: str) -> int:
    members = db.all(UsersOfAccount(account_id=account_id))
    for member in members:
        ended = writes.Delete(Membership(user_id=member.user_id, account_id=account_id))
        db.transact(ended, *release_primary(db, member.user_id, account_id))
    return len(members)


STEPS: tuple[Callable[[Repository, str], int], ...] = (
    _delete_tokens,
    _delete_connections,
    _delete_sources,
    _delete_jobs,
    _delete_tags,
    _delete_teams,
    _delete_notifications,
    _delete_activities,
    _delete_invitations,
    _delete_memberships,
)
