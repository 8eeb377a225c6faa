"""Sample data: founders with startups, talents who apply, investors who request access, and their messages.

All data is created by the service; the same seed creates the same data.
"""

import random
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from tablewright import Repository
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import ApplicationStatus, Role
from tablewright_systems.collabhub.service import (
    access,
    applications,
    conversations,
    messages,
    roles,
    startups,
    subscriptions,
    users,
)
from tablewright_systems.collabhub.service.subscriptions import BillingEvent
from tablewright_systems.service import Caller

DEMO_USER = "founder-001"
"""The founder of the first startups, who takes part in every channel."""

_STAFF = Caller("samples", {"roles": ["admin"]})
PEOPLE = {
    "Founder": Caller(DEMO_USER),
    "Talent": Caller("talent-001"),
    "Investor": Caller("investor-001"),
    "New user": Caller("newcomer", {"email": "newcomer@example.org", "email_verified": True}),
    "Administrator": _STAFF,
}
"""People whose tokens the documentation page can mint."""

_FIRST = "Ada Grace Alan Edsger Barbara Donald Radia Leslie Frances Tony Hedy Niklaus Jean Ken Margaret Dennis".split()
_LAST = "Byron Hopper Turing Dijkstra Liskov Knuth Perlman Lamport Allen Hoare Lamarr Wirth Bartik Hamilton".split()
_CITIES = "London Berlin Stockholm Lisbon Tallinn Turin Zagreb Dublin Porto Vienna".split()
_THINGS = "Looms Kettles Lanterns Bridges Orchards Harbours Compasses Ledgers Canvases Meadows".split()
_INDUSTRIES = {
    "Energy": ("heat from cellars", "power that waits for the wind"),
    "Health": ("quiet nights on every ward", "prescriptions that explain themselves"),
    "Logistics": ("parcels that find their own way", "no empty lorry on the road"),
    "Education": ("a tutor for every evening", "lessons that remember you"),
    "Food": ("bread by bicycle", "kitchens without waste"),
}
_JOBS = {
    "Backend engineer": ("python", "aws"),
    "Frontend engineer": ("typescript", "react"),
    "Product designer": ("figma", "research"),
    "Data scientist": ("python", "statistics"),
    "Head of sales": ("negotiation", "french"),
}
_LETTERS = (
    "I have done this for six years, and would like to do it for you.",
    "Your product helped my family last winter. I want to help back.",
    "I bring two side projects, a stubborn streak, and references.",
)
_LINES = (
    "Could we talk on Thursday?",
    "The figures for this month are in.",
    "I have put the plan into the folder.",
    "Thank you, that helps a lot!",
    "Who writes to the landlord?",
    "Let us keep it simple.",
)


@dataclass(frozen=True, slots=True)
class _Users:
    """All users."""

    founders: list[Caller]
    talents: list[Caller]
    investors: list[Caller]

    @property
    def all(self) -> list[Caller]:
        return [*self.founders, *self.talents, *self.investors]


def fill(db: Repository, size: int = 20, seed: int = 1) -> None:
    """Create about `size` startups in empty tables."""
    rng = random.Random(seed)
    people = _Users(
        [_person(db, rng, Role.FOUNDER, number) for number in range(1, max(2, size // 3) + 1)],
        [_person(db, rng, Role.TALENT, number) for number in range(1, max(3, size) + 1)],
        [_person(db, rng, Role.INVESTOR, number) for number in range(1, max(2, size // 4) + 1)],
    )
    for number in range(size):
        founder = people.founders[number % len(people.founders)]
        startup = _startup(db, rng, founder, number)
        if startup is not None:
            _hire(db, rng, people, founder, startup)
            _raise_money(db, rng, people, founder, startup)
    _talk(db, rng, people)
    _subscribe(db, rng, people)


def _person(db: Repository, rng: random.Random, role: Role, number: int) -> Caller:
    first, last = rng.choice(_FIRST), rng.choice(_LAST)
    user_id = f"{role.lower()}-{number:03}"
    email = f"{first}.{last}.{user_id}@example.org"
    caller = Caller(
        user_id,
        {
            "email": email,
            "email_verified": True,
            "ip_address": f"192.0.2.{rng.randrange(1, 255)}",
            "user_agent": "Mozilla/5.0 (sample)",
        },
    )
    skills = sorted({skill for job in rng.sample(sorted(_JOBS), 2) for skill in _JOBS[job]})
    draft = users.Registration(
        role=role,
        first_name=first,
        last_name=last,
        bio=f"{rng.choice(_CITIES)}, {rng.randrange(2, 20)} years in {rng.choice(sorted(_INDUSTRIES))}.",
        skills=skills if role == Role.TALENT else None,
    )
    users.register(db, caller, draft)
    users.activate(db, caller, user_id)
    return caller


def _startup(db: Repository, rng: random.Random, founder: Caller, number: int) -> design.Startup | None:
    """Create an active startup; None for the few that stay drafts or wait for review."""
    industry = rng.choice(sorted(_INDUSTRIES))
    city, thing = rng.choice(_CITIES), rng.choice(_THINGS)
    promise = rng.choice(_INDUSTRIES[industry])
    goal = rng.randrange(1, 40) * 50_000
    draft = startups.StartupDraft(
        name=f"{city} {thing}",
        tagline=promise.capitalize(),
        description=f"We make {promise}, beginning in {city}. {rng.randrange(3, 90)} customers pay us already.",
        industry=industry,
        stage=rng.choice(list(design.Stage)),
        location=city,
        visibility=rng.choices(list(design.Visibility), (7, 1, 2))[0],
        tags=sorted({industry.lower(), thing.lower(), rng.choice(("b2b", "b2c"))}),
        funding_goal=Decimal(goal),
        funding_raised=Decimal(goal * rng.randrange(0, 10) // 10),
        website_url=f"https://{city.lower()}-{thing.lower()}-{number}.example.org",
        pitch_deck_url=f"https://files.example.org/decks/{number}.pdf",
    )
    startup_id = startups.create_startup(db, founder, draft).startup_id
    if number % 7 == 5:
        return None
    startups.submit(db, founder, startup_id)
    return None if number % 7 == 6 else startups.approve(db, _STAFF, startup_id)


def _hire(
    db: Repository, rng: random.Random, people: _Users, founder: Caller, startup: design.Startup
) -> None:
    """Create roles, applications for the listed ones, and decisions about them."""
    for job in rng.sample(sorted(_JOBS), 2):
        draft = roles.RoleDraft(
            title=job,
            description=f"{job} at {startup.name}, in {startup.location} or from home.",
            type=rng.choice(list(design.RoleType)),
            compensation=f"{rng.randrange(35, 95)},000 EUR a year",
            equity_range="0.1-0.5%",
            skills=list(_JOBS[job]),
        )
        role = roles.open_role(db, founder, startup.startup_id, draft)
        if startup.is_listed:
            _apply(db, rng, people, founder, role)


def _apply(
    db: Repository, rng: random.Random, people: _Users, founder: Caller, role: design.StartupRole
) -> None:
    review, short = ApplicationStatus.REVIEWING, ApplicationStatus.SHORTLISTED
    ways = ((), (review,), (review, short), (ApplicationStatus.REJECTED,))
    for talent in rng.sample(people.talents, 3):
        letter, resume = rng.choice(_LETTERS), f"https://files.example.org/{talent.user_id}.pdf"
        made = applications.apply(db, talent, role.startup_id, role.role_id, letter, resume)
        for step in rng.choice(ways):
            made = applications.change_status(db, founder, made.application_id, step)
        if made.status == ApplicationStatus.PENDING and rng.random() < 0.1:
            applications.withdraw(db, talent, made.application_id)


def _raise_money(
    db: Repository, rng: random.Random, people: _Users, founder: Caller, startup: design.Startup
) -> None:
    for investor in rng.sample(people.investors, 2):
        level, message = rng.choice(list(design.AccessLevel)), "May I see more of your figures?"
        access_id = access.request_access(db, investor, startup.startup_id, level, message).access_id
        decision = rng.random()
        if decision < 0.5:
            ends = db.now() + timedelta(days=rng.randrange(7, 90))
            access.approve(db, founder, access_id, expires_at=ends)
        elif decision < 0.7:
            access.reject(db, founder, access_id)


def _talk(db: Repository, rng: random.Random, people: _Users) -> None:
    """Start direct and group conversations for every founder; the demo user also has a channel."""
    demo = people.founders[0]
    for founder in people.founders:
        others = [person for person in rng.sample(people.all, min(4, len(people.all))) if person != founder]
        for other in others[:2]:
            conversation = conversations.start_direct(db, founder, other.user_id)
            _say(db, rng, [founder, other], conversation.conversation_id, 3)
        members = list(dict.fromkeys([founder.user_id, demo.user_id, *(person.user_id for person in others)]))
        if len(members) > 2:
            group = conversations.start_group(db, founder, members)
            _say(db, rng, [founder, *others], group.conversation_id, 4)


def _say(
    db: Repository, rng: random.Random, speakers: list[Caller], conversation_id: str, lines: int
) -> None:
    for _ in range(lines):
        draft = messages.MessageDraft(content=rng.choice(_LINES))
        messages.send_message(db, rng.choice(speakers), conversation_id, draft)


def _subscribe(db: Repository, rng: random.Random, people: _Users) -> None:
    """Create subscriptions: active, cancelled and past due."""
    now = db.now()
    for user in rng.sample(people.all, len(people.all) // 3):
        started = now - timedelta(days=rng.randrange(1, 29))
        event = BillingEvent(
            event_id=f"evt-{user.user_id}",
            created=started,
            customer_id=f"cus-{user.user_id}",
            subscription_id=f"sub-{user.user_id}",
            price_id="price-pro",
            tier=rng.choice((design.Tier.PRO, design.Tier.ENTERPRISE)),
            status=rng.choices(("active", "trialing", "past_due", "canceled"), (6, 2, 1, 1))[0],
            current_period_start=started,
            current_period_end=started + timedelta(days=30),
            user_id=user.user_id,
        )
        subscriptions.receive_event(db, event)
