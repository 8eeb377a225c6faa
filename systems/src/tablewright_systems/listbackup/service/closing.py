"""Closing an account: it is deactivated, then all its items are deleted, then the account itself.

Rounds of deleting are repeated until one finds nothing: an index may lag, and a round may be interrupted at any point.
The keys of the account's secrets are deleted first, so that secrets not deleted yet cannot be read any more.
Sessions and OAuth states are rejected from the start, and expire.
"""

from collections.abc import Callable, Iterable
from typing import Any

from tablewright import Repository, fields, writes
from tablewright_systems.listbackup.design.accounts import Account, AccountById, AccountStatus
from tablewright_systems.listbackup.design.activities import ActivitiesOfAccount
from tablewright_systems.listbackup.design.archives import ArchiveIdsOfAccount, ArchiveOfAccount
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
from tablewright_systems.listbackup.service import accounts, audit
from tablewright_systems.listbackup.service.access import get_account, require_role
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.hierarchy import BUSY, AccountUpdates
from tablewright_systems.listbackup.service.memberships import replace_primary_account
from tablewright_systems.service import ALL_TIME, Conflict
from tablewright_systems.web import CurrentCaller, Db, Router

router = Router("Accounts")


@router.delete("/accounts/{account_id}")
def close_account(db: Db, caller: CurrentCaller, account_id: str) -> Account:
    """Close an account. It accepts no more changes, and all its data is deleted."""
    # The caller gets another primary account, or none: `accounts.found_account` then creates one.
    access = require_role(db, caller, account_id, AccountRole.OWNER)
    account = access.account
    updates = AccountUpdates()
    updates.require_no_move(account.root_account_id)
    update = updates.of(account_id)
    now = db.now()
    update.set |= {"status": AccountStatus.INACTIVE, "closing_at": now, "unfinished_since": now}
    update.when.append(Account.children == 0)
    busy = Conflict("the account has child accounts, or its hierarchy is being changed", "children")
    db.transact(
        *updates.to_writes(busy),
        *replace_primary_account(db, caller.user_id, account_id),
        audit.record(caller, account, Action.DELETE, before=account),
        *access.grounds,
    )
    return get_account(db, account_id)


def finish_closing(db: Repository, account_id: str) -> bool:
    """Delete one round of items. Return True when nothing was left and the account itself was deleted."""
    account = get_account(db, account_id)
    if account.closing_at is None:
        raise Conflict("the account is not closed; close it first", "closingAt")
    accounts.shred_keys(db, account_id)
    if sum(delete(db, account_id) for delete in DELETIONS):
        return False
    busy = Conflict(BUSY)
    db.transact(
        writes.Delete(AccountById(account_id=account_id), when=_NOT_MOVING, otherwise=busy),
        *_remove_from_parent(account, busy),
    )
    return True


_NOT_MOVING = fields.of(Account.moving).is_absent()


def _remove_from_parent(account: Account, otherwise: Exception) -> list[writes.Write]:
    """Return the writes that decrement the parent's child count, provided that no move is in progress."""
    if account.parent_account_id is None:
        return []
    updates = AccountUpdates()
    updates.require_no_move(account.root_account_id)
    updates.count_child(account.parent_account_id, -1)
    return updates.to_writes(otherwise)


def _delete(db: Repository, entities: Iterable[Any]) -> int:
    """Delete items one by one, with their copies, whatever their version."""
    targets = list(entities)
    for target in targets:
        db.delete(target)
    return len(targets)


def _delete_batch(db: Repository, entities: Iterable[Any]) -> int:
    """Delete items in batches. Only for entities that consist of one item."""
    targets = [writes.Delete(entity) for entity in entities]
    db.batch(targets)
    return len(targets)


def _delete_tokens(db: Repository, account_id: str) -> int:
    rows = db.rows(OAuthTokenIdsOfAccount(account_id=account_id))
    return _delete(db, [OAuthTokenOf(source_id=row["source_id"]) for row in rows])


def _delete_sources(db: Repository, account_id: str) -> int:
    rows = db.rows(SourceIdsOfAccount(account_id=account_id))
    return _delete(db, [SourceOfAccount(account_id=account_id, source_id=row["source_id"]) for row in rows])


def _delete_connections(db: Repository, account_id: str) -> int:
    return _delete_batch(db, db.iterate(ConnectionsOfAccount(account_id=account_id)))


def _delete_jobs(db: Repository, account_id: str) -> int:
    jobs = db.iterate(JobsOfAccount(account_id=account_id))
    return _delete(db, (JobOfAccount(account_id=account_id, job_id=job.job_id) for job in jobs))


def _expire_archives(db: Repository, account_id: str) -> int:
    """Let the retention job delete the archives: it knows where their files are, and needs no key."""
    rows = list(db.rows(ArchiveIdsOfAccount(account_id=account_id)))
    for row in rows:
        key = ArchiveOfAccount(account_id=account_id, archive_id=row["archive_id"])
        db.transact(writes.Update(key, set={"expires_at": db.now()}))
    return len(rows)


def _delete_tags(db: Repository, account_id: str) -> int:
    count = 0
    for kind in ResourceType:
        count += _delete(db, db.iterate(TaggedResourcesOfType(account_id=account_id, resource_type=kind)))
        count += _delete(db, db.iterate(TagsOfType(account_id=account_id, resource_type=kind)))
    return count


def _delete_teams(db: Repository, account_id: str) -> int:
    members = _delete_batch(db, db.iterate(TeamMembersOfAccount(account_id=account_id)))
    return members + _delete(db, db.iterate(TeamsOfAccount(account_id=account_id)))


def _delete_notifications(db: Repository, account_id: str) -> int:
    return _delete_batch(db, db.iterate(NotificationsOfAccount(account_id=account_id, **ALL_TIME)))


def _delete_activities(db: Repository, account_id: str) -> int:
    return _delete_batch(db, db.iterate(ActivitiesOfAccount(account_id=account_id, **ALL_TIME)))


def _delete_invitations(db: Repository, account_id: str) -> int:
    return _delete_batch(db, db.iterate(InvitationsOfAccount(account_id=account_id)))


def _delete_memberships(db: Repository, account_id: str) -> int:
    members = db.all(UsersOfAccount(account_id=account_id))
    for member in members:
        ended = writes.Delete(Membership(user_id=member.user_id, account_id=account_id))
        db.transact(ended, *replace_primary_account(db, member.user_id, account_id))
    return len(members)


DELETIONS: tuple[Callable[[Repository, str], int], ...] = (
    _delete_tokens,
    _delete_connections,
    _delete_sources,
    _delete_jobs,
    _expire_archives,
    _delete_tags,
    _delete_teams,
    _delete_notifications,
    _delete_activities,
    _delete_invitations,
    _delete_memberships,
)
