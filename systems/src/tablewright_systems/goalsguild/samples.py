"""Sample data: users with goals, tasks, milestones, messages and offers."""

import random
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

from tablewright import Repository
from tablewright_systems.goalsguild.design.goals import Goal, GoalStatus
from tablewright_systems.goalsguild.design.offers import OfferStatus
from tablewright_systems.goalsguild.design.tables import Visibility
from tablewright_systems.goalsguild.service import (
    assistance,
    goals,
    logins,
    offers,
    progress_stream,
    reminders,
    rooms,
    users,
)
from tablewright_systems.service import Caller

DEMO_USER = "ada"
DEMO_PASSWORD = "correct horse"

_WORKER = Caller("sample-worker", {"roles": ["worker"]})
_ASSISTANT = Caller("sample-assistant", {"roles": ["assistant"]})
PEOPLE = {
    "Ada, with goals and rooms": Caller(DEMO_USER, {"email": "Ada@example.org", "email_verified": True}),
    "Grace": Caller("grace", {"email": "Grace@example.org", "email_verified": True}),
    "New user": Caller("newcomer", {"email": "newcomer@example.org", "email_verified": True}),
    "Administrator": Caller("operator", {"roles": ["admin"]}),
    "Worker": _WORKER,
}
"""People whose tokens the documentation page can mint."""

FIRST_NAMES = "Ada Grace Alan Mary Edsger Barbara Donald Radia Linus Katherine Tim Hedy".split()
LAST_NAMES = "Lovelace Hopper Turing Shelley Liskov Knuth Perlman Johnson Berners Lamarr".split()
COUNTRIES = {"SE": "sv", "IT": "it", "NG": "en", "JP": "ja", "BR": "pt", "DE": "de"}
PLANS = {
    "Run a marathon": ("sport", ("Buy shoes", "Run 10 km", "Run a half marathon", "Sign up for the race")),
    "Learn Italian": (
        "languages",
        ("Find a teacher", "Learn 500 words", "Read a novel", "Spend a month in Lecce"),
    ),
    "Write a novel": ("writing", ("Outline the plot", "Write chapter one", "Find first readers", "Rewrite")),
    "Grow vegetables": (
        "garden",
        ("Test the soil", "Build a raised bed", "Sow tomatoes", "Share the harvest"),
    ),
    "Play the cello": ("music", ("Rent a cello", "Practise scales", "Play a suite", "Play for friends")),
    "Save for a boat": ("money", ("Make a budget", "Open an account", "Visit a boat fair", "Learn to sail")),
    "Read 30 books": ("reading", ("Make a list", "Join a library", "Write short reviews")),
    "Cook more at home": (
        "cooking",
        ("Plan the week", "Learn five soups", "Bake bread", "Invite neighbours"),
    ),
}
CHATTER = (
    "How is it going?",
    "Did 8 km today, legs like pudding.",
    "Did you try to do this in the morning?",
    "I always begin too fast.",
    "Half way! Thank you all.",
    "One step a day, that is all it takes.",
    "Do you have time on Sunday?",
    "I moved my date by a week, and feel better.",
)
SHARES = (Decimal(25), Decimal(50), Decimal("87.5"))


def fill(db: Repository, size: int = 20, seed: int = 1) -> None:
    """Create `size` users with their data."""
    rng = random.Random(seed)
    people = [_person(db, rng, number) for number in range(max(size, 1))]
    logins.set_password(db, people[0], DEMO_PASSWORD)
    for caller in people:
        for title in rng.sample(list(PLANS), k=4 if caller.user_id == DEMO_USER else rng.randint(1, 3)):
            _goal(db, rng, caller, title)
    for number in range(0, len(people), 5):
        _room(db, rng, people[number : number + 5])
    for number in range(0, len(people), 10):
        _company(db, rng, people[number])
    for caller in people[::4]:
        _thread(db, caller)
    reminders.remind(db, _WORKER, db.now(), db.now() + timedelta(days=2))
    progress_stream.update_progress(db, _WORKER, create=True)


def _person(db: Repository, rng: random.Random, number: int) -> Caller:
    """Register a user; a number makes repeated names unique."""
    first = FIRST_NAMES[number % len(FIRST_NAMES)]
    last = LAST_NAMES[number // len(FIRST_NAMES) % len(LAST_NAMES)]
    name = first if number < len(FIRST_NAMES) else f"{first}.{last}.{number}"
    country = rng.choice(list(COUNTRIES))
    caller = Caller(name.lower(), {"email": f"{name}@example.org", "email_verified": True})
    users.register(
        db,
        caller,
        nickname=name,
        full_name=f"{first} {last}",
        country=country,
        language=COUNTRIES[country],
        bio=f"{rng.choice(['Slowly but surely', 'Always on the way', 'One thing at a time'])}.",
        tags=rng.sample([tag for tag, _ in PLANS.values()], k=2),
    )
    return caller


def _goal(db: Repository, rng: random.Random, caller: Caller, title: str) -> None:
    """Create a goal in the past, with past and future tasks and milestones."""
    tag, steps = PLANS[title]
    goal = goals.create_goal(
        db,
        caller,
        title=title,
        description=f"{title}, this year.",
        tags=[tag, rng.choice(["2026", "together", "habit"])],
        visibility=rng.choice(list(Visibility)),
        created_at=db.now() - timedelta(days=rng.randint(1, 90)),
    )
    done = rng.randint(0, len(steps))
    for number, step in enumerate(steps):
        days = rng.randint(1, 30)
        due_at = db.now() + timedelta(days=-days if number < done else days, hours=rng.randint(0, 23))
        dated = rng.random() < 0.8
        task = goals.create_task(db, caller, goal.id, title=step, due_at=due_at if dated else None)
        if number < done:
            goals.change_task(db, caller, goal.id, task.id, done=True)
    _milestones(db, caller, goal, done, len(steps))
    if done == len(steps):
        goals.change_goal(db, caller, goal.id, status=GoalStatus.COMPLETED)


def _milestones(db: Repository, caller: Caller, goal: Goal, done: int, total: int) -> None:
    for share in SHARES:
        made = goals.create_milestone(db, caller, goal.id, name=f"{share} % there", percentage=share)
        if done * 100 >= share * total:
            goals.achieve(db, caller, goal.id, made.id)


def _room(db: Repository, rng: random.Random, people: Sequence[Caller]) -> None:
    owner, *others = people
    name = f"{owner.user_id.title()}'s circle"
    room = rooms.create_room(db, owner, name=name, visibility=rng.choice(list(Visibility)))
    for other in others:
        rooms.add_member(db, owner, room.id, other.user_id)
    for number in range(12):
        speaker = rng.choice(people)
        rooms.post(db, speaker, room.id, rng.choice(CHATTER), on_timeline=number % 6 == 0)


def _company(db: Repository, rng: random.Random, owner: Caller) -> None:
    company = offers.create_company(db, owner, name=f"{owner.user_id.title()} & Daughters")
    for title, (tag, _) in rng.sample(sorted(PLANS.items()), k=3):
        offer = offers.create_offer(db, owner, company.id, title=f"Coaching: {title.lower()}", tags=[tag])
        offers.change_offer(db, owner, offer.id, status=rng.choice(list(OfferStatus)))


def _thread(db: Repository, caller: Caller) -> None:
    thread = assistance.open_thread(db, caller, title="Where do I begin?")
    assistance.say(db, caller, thread.id, "I have set a goal, and now it looks at me.")
    assistance.answer(db, _ASSISTANT, thread.id, "Which step of it would take a quarter of an hour?")
