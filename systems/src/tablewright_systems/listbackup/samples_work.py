"""Sample data of accounts: sources with an API key, tags, jobs in every state, notifications."""

import random
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from tablewright import Clock, Repository
from tablewright_systems.listbackup.design.accounts import Account
from tablewright_systems.listbackup.design.jobs import Job, JobConfig, JobType
from tablewright_systems.listbackup.design.notifications import Category, Notification
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceConfig, SyncInterval
from tablewright_systems.listbackup.design.tags import TagOf
from tablewright_systems.listbackup.design.vocabulary import ConnectionType, Priority, ResourceType
from tablewright_systems.listbackup.fakes.fake_platform import API_KEY
from tablewright_systems.listbackup.service.jobs import jobs, queue
from tablewright_systems.listbackup.service.notifications import delivery, inbox, notifications
from tablewright_systems.listbackup.service.sources import sources, syncs
from tablewright_systems.listbackup.service.tags import attachments, tags
from tablewright_systems.service import Caller

WORKER = Caller("worker-1", {"roles": ["worker"]})
STAFF = Caller("staff-1", {"roles": ["admin"]})

_SHOPS = ("Main shop", "Outlet", "Wholesale", "Members' club", "Newsletter")
_TAGS = (("env", "production", "#2e7d32"), ("env", "test", "#f9a825"), ("owner", "marketing", "#1565c0"))
_REASONS = ("the platform replied 503", "the API key was revoked", "too many requests")
_NOTIFICATIONS = (
    (
        Category.BILLING,
        Priority.MEDIUM,
        "Your invoice is ready",
        "The invoice of last month can be paid now.",
    ),
    (
        Category.SECURITY,
        Priority.HIGH,
        "A new device",
        "A new device signed in to your account.",
    ),
    (Category.SYSTEM, Priority.LOW, "Maintenance on Sunday", "Backups will pause for about ten minutes."),
)

Place = tuple[Caller, Sequence[Account]]
"""An owner and the owner's accounts, the root first."""


def fill_work(db: Repository, clock: Clock, rng: random.Random, places: Sequence[Place]) -> None:
    """Create a day's work in these accounts; the clock advances by a few hours."""
    for owner, accounts in places:
        made = [_source(db, owner, rng, account) for account in accounts[:2]]
        _tag(db, owner, rng, made)
        _notify(db, rng, owner, accounts[0])
        _request_jobs(db, owner, rng, made[0])
    syncs.start_due_syncs(db, WORKER, most=4 * len(places))
    clock.advance(timedelta(minutes=20))
    _work(db, rng, 5 * len(places))
    clock.advance(timedelta(hours=2))
    delivery.send_all(db, WORKER, partial(_send, rng))
    for owner, _ in places:
        _read_some(db, owner)


def _source(db: Repository, owner: Caller, rng: random.Random, account: Account) -> Source:
    return sources.create_source(
        db,
        owner,
        account.account_id,
        source_name=rng.choice(_SHOPS),
        platform=rng.choice(["keap", "stripe"]),
        connection_type=ConnectionType.APIKEY,
        credentials=Credentials(type="apikey", encrypted_data=API_KEY),
        config=SourceConfig(
            sync_interval=rng.choice([SyncInterval.HOURLY, SyncInterval.DAILY]),
            data_types=["contacts", "orders", "products"],
        ),
    )


def _tag(db: Repository, owner: Caller, rng: random.Random, made: Sequence[Source]) -> None:
    account_id = made[0].account_id
    for key, value, color in _TAGS:
        tags.create_tag(db, owner, account_id, ResourceType.SOURCE, tag_key=key, tag_value=value, color=color)
    key, value, _ = rng.choice(_TAGS)
    name = TagOf(account_id=account_id, resource_type=ResourceType.SOURCE, tag_key=key, tag_value=value)
    attachments.attach(db, owner, name, made[0].source_id)


def _notify(db: Repository, rng: random.Random, owner: Caller, account: Account) -> None:
    category, priority, subject, message = rng.choice(_NOTIFICATIONS)
    notifications.notify(
        db,
        STAFF,
        owner.user_id,
        account.account_id,
        category=category,
        priority=priority,
        subject=subject,
        message=message,
    )


def _request_jobs(db: Repository, owner: Caller, rng: random.Random, source: Source) -> None:
    """Create jobs of users: an export, a backup that is cancelled, a backup of all sources for next week."""
    account_id = source.account_id
    config = JobConfig(data_types=["contacts"], options={"format": rng.choice(["csv", "json"])})
    priority = rng.choice(list(Priority))
    jobs.create_job(
        db, owner, account_id, JobType.EXPORT, source_id=source.source_id, priority=priority, config=config
    )
    cancelled = jobs.create_job(db, owner, account_id, JobType.BACKUP, source_id=source.source_id)
    jobs.cancel_job(db, owner, account_id, cancelled.job_id)
    later = db.now() + timedelta(days=7)
    jobs.create_job(db, owner, account_id, JobType.BACKUP, scheduled_at=later)


def _work(db: Repository, rng: random.Random, most: int) -> None:
    """Claim jobs; most of them complete."""
    for _ in range(most):
        job = queue.claim(db, WORKER)
        if job is None:
            return
        _end(db, rng, job)


def _end(db: Repository, rng: random.Random, job: Job) -> None:
    lease, records = job, rng.randrange(50, 5_000)
    match rng.randrange(10):
        case 0:
            queue.heartbeat(db, WORKER, lease, total=records, processed=records // 3)
        case 1:
            queue.fail(db, WORKER, lease, rng.choice(_REASONS))
        case 2:
            queue.fail(db, WORKER, lease, rng.choice(_REASONS), is_final=True)
        case _:
            queue.complete(db, WORKER, lease, records_processed=records)


def _send(rng: random.Random, notification: Notification) -> None:
    """Send nothing; some notifications fail."""
    if rng.random() < 0.2:
        raise OSError("the mailbox is full")


def _read_some(db: Repository, owner: Caller) -> None:
    for each in list(db.run(inbox.unread(db, owner), limit=10))[1::2]:
        inbox.mark_read(db, owner, each.created_at, each.notification_id)
