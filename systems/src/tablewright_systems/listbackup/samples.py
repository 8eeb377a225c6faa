"""Sample data: companies with their hierarchies, users, teams and work, created by a seeded generator.

It is created by the service, on a clock that runs through the last weeks, so that timestamps are realistic.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial

from tablewright import Clock, Repository
from tablewright_systems.listbackup.design.accounts import Account, AccountMetadata, AccountType, Plan
from tablewright_systems.listbackup.design.jobs import Job, JobConfig, JobType
from tablewright_systems.listbackup.design.memberships import AccountRole, Permissions
from tablewright_systems.listbackup.design.notifications import Category, Notification
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceConfig, SyncInterval
from tablewright_systems.listbackup.design.tags import TagOf
from tablewright_systems.listbackup.design.teams import TeamPermissions
from tablewright_systems.listbackup.design.vocabulary import ConnectionType, Priority, ResourceType, Right
from tablewright_systems.listbackup.fakes.fake_platform import API_KEY
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.service import (
    accounts,
    delivery,
    hierarchy,
    invitations,
    jobs,
    limits,
    memberships,
    notifications,
    oauth,
    queue,
    sessions,
    sources,
    syncs,
    tags,
    teams,
    users,
)
from tablewright_systems.listbackup.service.access import get_account
from tablewright_systems.service import Caller

DEMO_USER = "user-0001"
"""Who owns a whole hierarchy of accounts with members, teams and sources, and is invited to another."""

SPAN = timedelta(days=60)
PLATFORMS = ("keap", "stripe", "gohighlevel")

_FIRST = "Amara Bjorn Chiara Dmitri Elif Farid Greta Hugo Ingrid Joao Kofi Lena Mei Noor Otto Paula Rafael Suri Tomas"
_LAST = "Adeyemi Bergman Conti Dahl Eriksson Fischer Gomez Hassan Ito Jansen Kowalski Lopez Meyer Novak Olsen Petrov"
_TRADES = "Outfitters Dental Coaching Logistics Bakeries Fitness Records Optics Realty Tutors Florists Cycles"
_TOWNS = "Aurora Bristol Calgary Dayton Espoo Fresno Ghent Haarlem Izmir Juneau Kigali Lyon"
_INDUSTRIES = ("retail", "health", "education", "logistics", "real estate")
_TEAMS = ("Backups", "Customer care", "Finance", "Marketing")
_BILLING = Caller("billing", {"roles": ["billing"]})
PEOPLE = {
    "Owner of accounts": Caller(DEMO_USER),
    "Member of accounts": Caller("user-0002"),
    "New user": Caller("newcomer", {"email": "newcomer@example.org", "email_verified": True}),
    "Administrator": Caller("operator", {"roles": ["admin"]}),
    "Worker": Caller("worker", {"roles": ["worker"]}),
}
"""People whose tokens the documentation page can mint."""
_REDIRECT_URI = "https://api.listbackup.ai/oauth/callback"


@dataclass(slots=True)
class SampleCompany:
    """A hierarchy of accounts and its members, the owner first."""

    people: list[Caller]
    accounts: list[Account] = field(default_factory=list)

    @property
    def owner(self) -> Caller:
        """The user who created it."""
        return self.people[0]

    @property
    def top(self) -> Account:
        """The root account."""
        return self.accounts[0]


def fill(db: Repository, size: int = 20, seed: int = 1) -> None:
    """Fill empty tables: `size` users, in companies of five, and their data."""
    rng = random.Random(seed)
    clock = Clock(start=db.now() - SPAN)
    past = Repository(db.design, db.connection, replace(db.context, now=clock.now))
    companies = _Generator(past, clock, rng, max(size, 2)).run()
    fill_work(past, clock, rng, [(company.owner, company.accounts) for company in companies])


class _Generator:
    """The generator; the clock advances by days between the steps."""

    def __init__(self, db: Repository, clock: Clock, rng: random.Random, size: int) -> None:
        self.db = db
        self.clock = clock
        self.rng = rng
        self.size = size
        self.fakes = FakePlatforms(db.now, size=5)
        self.platforms = self.fakes.platforms()
        self.pause = (SPAN - timedelta(days=1)) / (2 * size)

    def run(self) -> list[SampleCompany]:
        """Create all data."""
        people = [self._caller(number) for number in range(1, self.size + 1)]
        companies = [self._company(people[start : start + 5]) for start in range(0, self.size, 5)]
        for company in companies[1:2]:
            invitations.invite(
                self.db, company.owner, company.top.account_id, _email(companies[0].owner), AccountRole.ADMIN
            )
        for company in companies:
            self._sessions(company)
        return companies

    def _caller(self, number: int) -> Caller:
        first, last = self.rng.choice(_FIRST.split()), self.rng.choice(_LAST.split())
        address = f"{first}.{last}{number}@example.org"
        return Caller(
            f"user-{number:04}", {"email": address, "name": f"{first} {last}", "email_verified": True}
        )

    def _company(self, people: list[Caller]) -> SampleCompany:
        trade, town = self.rng.choice(_TRADES.split()), self.rng.choice(_TOWNS.split())
        for person in people:
            self._sign_up(person, f"{town} {trade}" if person is people[0] else f"{person.claim('name')}'s")
        company = SampleCompany(people, [self._top(people[0])])
        self._hierarchy(company, trade)
        for person in people[1:]:
            self._join(company, person)
        self._teams(company)
        for account in company.accounts:
            self._sources(company, account)
        self._unfinished(company)
        return company

    def _sign_up(self, person: Caller, account_name: str) -> None:
        self.clock.advance(self.pause)
        username = _email(person).partition("@")[0]
        name = str(person.claim("name"))
        users.sign_up(self.db, person, username=username, name=name, account_name=account_name)

    def _top(self, owner: Caller) -> Account:
        account_id = str(users.own_user(self.db, owner).account_id)
        plan = self.rng.choice([Plan.PROFESSIONAL, Plan.ENTERPRISE])
        limits.change_plan(self.db, _BILLING, account_id, plan)
        metadata = AccountMetadata(
            industry=self.rng.choice(_INDUSTRIES),
            size=self.rng.choice(["1-10", "11-50", "51-200"]),
            custom_fields={"crm": self.rng.choice(PLATFORMS)},
        )
        return accounts.change_account(self.db, owner, account_id, metadata=metadata)

    def _hierarchy(self, company: SampleCompany, trade: str) -> None:
        towns = self.rng.sample(_TOWNS.split(), 3)
        for number, kind in enumerate((AccountType.SUBSIDIARY, AccountType.DIVISION, AccountType.LOCATION)):
            above = company.accounts[self.rng.randrange(number + 1)]
            made = hierarchy.create_child(
                self.db,
                company.owner,
                above.account_id,
                account_name=f"{trade} {towns[number]}",
                account_type=kind,
            )
            limits.change_plan(self.db, _BILLING, made.account_id, Plan.STARTER)
            company.accounts.append(get_account(self.db, made.account_id))

    def _join(self, company: SampleCompany, person: Caller) -> None:
        self.clock.advance(self.pause)
        role = self.rng.choice([AccountRole.ADMIN, AccountRole.MEMBER, AccountRole.READONLY])
        rights = Permissions(sources=[Right.CREATE, Right.READ, Right.UPDATE], users=[Right.READ])
        account = self.rng.choice(company.accounts)
        for account_id in dict.fromkeys([company.top.account_id, account.account_id]):
            invitations.invite(self.db, company.owner, account_id, _email(person), role, rights)
            invitations.accept(self.db, person, account_id)

    def _teams(self, company: SampleCompany) -> None:
        for name in self.rng.sample(_TEAMS, 2):
            team = teams.create_team(
                self.db,
                company.owner,
                company.top.account_id,
                team_name=name,
                description=f"The team for {name.lower()}.",
                permissions=TeamPermissions(sources=[Right.READ], reports=[Right.READ, Right.EXPORT]),
            )
            for person in self.rng.sample(company.people[1:], len(company.people[1:]) // 2):
                teams.add_member(self.db, company.owner, company.top.account_id, team.team_id, person.user_id)

    def _sources(self, company: SampleCompany, account: Account) -> None:
        for platform in self.rng.sample(PLATFORMS, 2):
            flow = oauth.start(
                self.db,
                company.owner,
                self.platforms,
                account.account_id,
                platform,
                redirect_uri=_REDIRECT_URI,
            )
            oauth.callback(
                self.db,
                company.owner,
                self.platforms,
                state=flow.state,
                code=self.fakes[platform].authorize(flow.code_challenge, _REDIRECT_URI),
                redirect_uri=_REDIRECT_URI,
            )

    def _unfinished(self, company: SampleCompany) -> None:
        """Create an open invitation and a suspended member."""
        top = company.top.account_id
        guest = f"{self.rng.choice(_FIRST.split()).lower()}@partner.example"
        invitations.invite(self.db, company.owner, top, guest, AccountRole.READONLY)
        if len(company.people) > 3:
            memberships.suspend_member(self.db, company.owner, top, company.people[-1].user_id)

    def _sessions(self, company: SampleCompany) -> None:
        """Create a session for each of the first members, and two for the owner."""
        for person in company.people[:3]:
            sessions.sign_in(self.db, person, company.top.account_id)
        again = sessions.sign_in(self.db, company.owner, company.top.account_id)
        sessions.rotate(self.db, again.token)


def _email(person: Caller) -> str:
    return str(person.claim("email"))


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
    for owner, owned in places:
        made = [_source(db, owner, rng, account) for account in owned[:2]]
        _tag(db, owner, rng, made)
        _notify(db, rng, owner, owned[0])
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
    tags.attach(db, owner, name, made[0].source_id)


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
    for notification in list(db.run(notifications.unread(db, owner), limit=10))[1::2]:
        notifications.mark_read(db, owner, notification.created_at, notification.notification_id)
