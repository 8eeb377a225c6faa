"""Sample data of what goes on in the accounts: keyed sources, tags, jobs in every state, notifications."""

import random
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from tablewright import Clock, Repository
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.accounts import Account
from tablewright_systems.listbackup.design.jobs import Job, JobConfig, JobType
from tablewright_systems.listbackup.design.notifications import Category, Notification
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceConfig, SyncInterval
from tablewright_systems.listbackup.design.tags import TagOf
from tablewright_systems.listbackup.design.vocabulary import ConnectionType, Priority, ResourceType
from tablewright_systems.listbackup.service.jobs import jobs, queue
from tablewright_systems.listbackup.service.notifications import delivery, inbox, notifications
from tablewright_systems.listbackup.service.sources import sources, syncs
from tablewright_systems.listbackup.service.tags import attachments, tags

WORKER = Caller("worker-1", {"roles": ["worker"]})
STAFF = Caller("staff-1", {"roles": ["admin"]})

_SHOPS = ("Main shop", "Outlet", "Wholesale", "Members' club", "Newsletter")
_TAGS = (("env", "production", "#2e7d32"), ("env", "test", "#f9a825"), ("owner", "marketing", "#1565c0"))
_REASONS = ("the platform answered 503", "the API key was revoked", "too many requests")
_NEWS = (
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
        "Somebody signed in to your account from a new device.",
    ),
    (Category.SYSTEM, Priority.LOW, "Maintenance on Sunday", "Backups will pause for about ten minutes."),
)

Place = tuple[Caller, Sequence[Account]]
"""An owner, and the accounts that are theirs, the highest first."""


def fill_work(db: Repository, clock: Clock, luck: random.Random, places: Sequence[Place]) -> None:
    """Let a day's work happen in these accounts; the clock moves on by a few hours."""
    for owner, accounts in places:
        _tag(db, owner, luck, [_keyed(db, owner, luck, account) for account in accounts[:2]])
        _news(db, luck, owner, accounts[0])
    syncs.start_due_syncs(db, WORKER, most=4 * len(places))
    for owner, accounts in places:
        _ask(db, owner, luck, accounts[0])
    clock.advance(timedelta(minutes=20))
    _work(db, luck, 5 * len(places))
    clock.advance(timedelta(hours=2))
    delivery.send_all(db, WORKER, partial(_send, luck))
    for owner, _ in places:
        _read_some(db, owner)


def _keyed(db: Repository, owner: Caller, luck: random.Random, account: Account) -> Source:
    return sources.create_source(
        db,
        owner,
        account.account_id,
        source_name=luck.choice(_SHOPS),
        platform=luck.choice(["stripe", "mailchimp", "woocommerce"]),
        connection_type=ConnectionType.APIKEY,
        credentials=Credentials(type="apikey", encrypted_data=f"sk_sample_{luck.randrange(10**12):012}"),
        config=SourceConfig(
            sync_interval=luck.choice([SyncInterval.HOURLY, SyncInterval.DAILY]),
            data_types=["contacts", "orders", "products"],
        ),
    )


def _tag(db: Repository, owner: Caller, luck: random.Random, made: Sequence[Source]) -> None:
    account_id = made[0].account_id
    for key, value, color in _TAGS:
        tags.create_tag(db, owner, account_id, ResourceType.SOURCE, tag_key=key, tag_value=value, color=color)
    key, value, _ = luck.choice(_TAGS)
    name = TagOf(account_id=account_id, resource_type=ResourceType.SOURCE, tag_key=key, tag_value=value)
    attachments.attach(db, owner, name, made[0].source_id)


def _news(db: Repository, luck: random.Random, owner: Caller, account: Account) -> None:
    category, priority, subject, message = luck.choice(_NEWS)
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


def _ask(db: Repository, owner: Caller, luck: random.Random, account: Account) -> None:
    """What people ask for themselves: an export for now, one that they think better of, a backup for next week."""
    config = JobConfig(data_types=["contacts"], options={"format": luck.choice(["csv", "json"])})
    jobs.create_job(
        db, owner, account.account_id, JobType.EXPORT, priority=luck.choice(list(Priority)), config=config
    )
    regretted = jobs.create_job(db, owner, account.account_id, JobType.IMPORT)
    jobs.cancel_job(db, owner, account.account_id, regretted.job_id)
    later = db.now() + timedelta(days=7)
    jobs.create_job(db, owner, account.account_id, JobType.BACKUP, scheduled_at=later)


def _work(db: Repository, luck: random.Random, most: int) -> None:
    """Take jobs, and let most of them end well."""
    for _ in range(most):
        job = queue.claim(db, WORKER)
        if job is None:
            return
        _end(db, luck, job)


def _end(db: Repository, luck: random.Random, job: Job) -> None:
    lease, records = queue.lease_of(job), luck.randrange(50, 5_000)
    match luck.randrange(10):
        case 0:
            queue.heartbeat(db, WORKER, lease, total=records, processed=records // 3)
        case 1:
            queue.fail(db, WORKER, lease, luck.choice(_REASONS))
        case 2:
            queue.fail(db, WORKER, lease, luck.choice(_REASONS), is_final=True)
        case _:
            location = f"s3://listbackup-samples/{job.account_id}/{job.job_id}.json"
            queue.complete(db, WORKER, lease, records_processed=records, output_location=location)


def _send(luck: random.Random, notification: Notification) -> None:
    """Nobody is written to; a few mailboxes are full."""
    if luck.random() < 0.2:
        raise OSError("the mailbox is full")


def _read_some(db: Repository, owner: Caller) -> None:
    for each in list(db.run(inbox.unread(db, owner), limit=10))[1::2]:
        inbox.mark_read(db, owner, each.created_at, each.notification_id)
