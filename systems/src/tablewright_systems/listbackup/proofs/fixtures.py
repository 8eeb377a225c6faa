"""Fixtures of the proofs and tests: owners, members, accounts, sources, jobs, workers, notifications."""

import secrets
from typing import Any

from tablewright import Repository
from tablewright_systems.listbackup.design.accounts import Account, AccountType, Plan
from tablewright_systems.listbackup.design.jobs import Job, JobType
from tablewright_systems.listbackup.design.memberships import AccountRole, Permissions
from tablewright_systems.listbackup.design.notifications import Category, Notification
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceConfig, SyncInterval
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.platforms import Platforms
from tablewright_systems.listbackup.service import (
    hierarchy,
    invitations,
    jobs,
    limits,
    notifications,
    oauth,
    queue,
    sources,
    users,
)
from tablewright_systems.listbackup.service.access import get_account
from tablewright_systems.listbackup.service.sources import get_source
from tablewright_systems.service import Caller

STAFF = Caller("staff", {"roles": ["admin", "worker"]})
REDIRECT_URI = "https://api.listbackup.ai/oauth/callback"


def unique_id(prefix: str) -> str:
    """Return an id that is not in use."""
    return f"{prefix}-{secrets.token_hex(6)}"


def new_caller() -> Caller:
    """Return a caller who has not signed up."""
    name = unique_id("user")
    return Caller(name, {"email": f"{name}@example.org", "email_verified": True})


def new_owner(db: Repository, plan: Plan = Plan.ENTERPRISE) -> tuple[Caller, Account]:
    """Sign up a user, and return the caller and the user's account."""
    caller = new_caller()
    user = users.sign_up(db, caller, username=caller.user_id, name="Ada", account_name=unique_id("account"))
    assert user.account_id is not None
    return caller, limits.change_plan(db, STAFF, user.account_id, plan)


def new_member(
    db: Repository,
    owner: Caller,
    account_id: str,
    role: AccountRole = AccountRole.MEMBER,
    permissions: Permissions | None = None,
) -> Caller:
    """Add a new member to an account."""
    caller, _ = new_owner(db)
    invitations.invite(db, owner, account_id, str(caller.claim("email")), role, permissions)
    invitations.accept(db, caller, account_id)
    return caller


def account_tree(db: Repository, owner: Caller, top: Account) -> list[Account]:
    """Create a subsidiary, a division and a location, each below the one before."""
    accounts_below = []
    parent = top
    for kind in (AccountType.SUBSIDIARY, AccountType.DIVISION, AccountType.LOCATION):
        parent = hierarchy.create_child(
            db, owner, parent.account_id, account_name=kind.value, account_type=kind
        )
        accounts_below.append(parent)
    return accounts_below


def reload_account(db: Repository, account: Account) -> Account:
    """Return the current state of an account."""
    return get_account(db, account.account_id)


def fake_platforms(db: Repository) -> FakePlatforms:
    """Return fake platforms with the clock of the store; tokens of one instance are valid at all others."""
    return FakePlatforms(db.now, size=5)


def start_oauth(
    db: Repository, caller: Caller, account_id: str, platform: str = "keap", **more: Any
) -> tuple[oauth.AuthorizationRequest, Platforms, str]:
    """Start an OAuth flow, and authorize it at the fake platform; return the flow, the platforms and the code."""
    fakes = fake_platforms(db)
    platforms = fakes.platforms()
    flow = oauth.start(db, caller, platforms, account_id, platform, redirect_uri=REDIRECT_URI, **more)
    return flow, platforms, fakes[platform].authorize(flow.code_challenge, REDIRECT_URI)


def oauth_source(db: Repository, caller: Caller, account_id: str, platform: str = "keap") -> Source:
    """Create a source that is connected by OAuth."""
    flow, platforms, code = start_oauth(db, caller, account_id, platform)
    oauth.callback(db, caller, platforms, state=flow.state, code=code, redirect_uri=REDIRECT_URI)
    return get_source(db, account_id, flow.source_id)


SECRET = "sk_live_51abc"


def new_worker() -> Caller:
    """Return one of the platform's workers."""
    return Caller(unique_id("worker"), {"roles": ["worker"]})


def api_key_source(
    db: Repository,
    caller: Caller,
    account_id: str,
    platform: str = "stripe",
    interval: SyncInterval = SyncInterval.DAILY,
) -> Source:
    """Create a source with an API key."""
    return sources.create_source(
        db,
        caller,
        account_id,
        source_name=f"our {platform}",
        platform=platform,
        connection_type=ConnectionType.APIKEY,
        credentials=Credentials(type="apikey", encrypted_data=SECRET),
        config=SourceConfig(sync_interval=interval, data_types=["contacts", "orders"]),
    )


def queued_job(
    db: Repository, caller: Caller, account_id: str, kind: JobType = JobType.BACKUP, **more: Any
) -> Job:
    """Queue a job."""
    return jobs.create_job(db, caller, account_id, kind, **more)


def claimed_job(db: Repository, who: Caller, expected: Job) -> Job:
    """Claim this job for a worker; jobs before it in the queue are claimed too."""
    while (taken := queue.claim(db, who)) is not None:
        if taken.job_id == expected.job_id:
            return taken
    raise AssertionError("the queue did not contain the job")


def send_notification(db: Repository, user_id: str, account_id: str, **more: Any) -> list[Notification]:
    """Notify a user."""
    news = {"category": Category.SYSTEM, "subject": "News", "message": "Something happened.", **more}
    return notifications.notify(db, STAFF, user_id, account_id, **news)
