"""Sample data: students who prepare for studies in Italy."""

import random
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import product
from typing import Any
from uuid import UUID

from tablewright import Repository
from tablewright_systems.service.callers import Caller
from tablewright_systems.student_hub.service.deadlines import DeadlineDraft, create_deadline
from tablewright_systems.student_hub.service.feedback import FeedbackDraft, submit_feedback
from tablewright_systems.student_hub.service.profiles import ProfileChanges, update_profile
from tablewright_systems.student_hub.service.progress import complete_step, start_step
from tablewright_systems.student_hub.service.reminders import days_to_remind

DEMO_USER = "abc-123"
"""User ID in the example command of the document."""

PEOPLE = {
    "Student": Caller(DEMO_USER),
    "New student": Caller("newcomer", {"email": "newcomer@example.org", "email_verified": True}),
    "Administrator": Caller("operator", {"roles": ["admin"]}),
    "Reminder worker": Caller("worker", {"roles": ["worker"]}),
}
"""People whose tokens the documentation page can mint."""

STEPS = (
    *("onboarding-1", "onboarding-2", "onboarding-3", "onboarding-3.5"),
    *("onboarding-5", "onboarding-6", "onboarding-8"),
    *(
        "visa",
        "housing",
        "banking",
        "codice-fiscale",
        "insurance",
        "healthcare",
        "daily-life",
        "cost-of-living",
    ),
)
FIRST_NAMES = (
    "Ada Noor Kenji Lucía Amara Mateus Ingrid Wei Fatima Tomasz Chloé Arjun Leila Jonas Mei Omar".split()
)
LAST_NAMES = (
    "Okafor Haddad Tanaka Moreno Silva Berg Zhang Kowalska Dubois Sharma Rahimi Weber Lin Farouk".split()
)
NATIONALITIES = ("Nigerian", "Lebanese", "Japanese", "Spanish", "Brazilian", "Norwegian", "Chinese", "Polish")
UNIVERSITIES = (
    ("Milan", "Bocconi University", ("Economics and Finance", "Data Science", "International Management")),
    ("Milan", "Politecnico di Milano", ("Architecture", "Mechanical Engineering", "Computer Science")),
    ("Bologna", "University of Bologna", ("Law", "Linguistics", "Physics")),
    ("Rome", "Sapienza University", ("Archaeology", "Medicine", "Psychology")),
    ("Turin", "Politecnico di Torino", ("Automotive Engineering", "Cybersecurity")),
)
STATUSES = ("exploring", "applying", "accepted", "enrolled")
LEVELS = ("bachelor", "master", "phd", "exchange")
COSTS = {
    "rentCost": (350, 900),
    "utilitiesCost": (40, 120),
    "internetCost": (15, 35),
    "mobileCost": (6, 20),
    "transportCost": (20, 40),
    "groceriesCost": (150, 300),
    "diningOutCost": (30, 200),
    "entertainmentCost": (20, 120),
    "booksCost": (0, 60),
}
NOTES = (
    "Two adapters for Italian sockets, the good raincoat, copies of every document.",
    "Ask about the residence permit kit at the post office; it has to be sent within eight days of arrival.",
    "Find out which tram goes to the campus, and whether a bicycle is the better idea.",
    "A room near the university, if possible not on the ground floor.",
)
DEADLINES = (
    ("Visa appointment", "Bring passport, photographs and the letter of admission"),
    ("Apply for the codice fiscale", None),
    ("First rent", "Transfer the deposit too"),
    ("Enrol at the faculty office", "Ground floor, opens at nine"),
    ("Book the flight", None),
    ("Health insurance ends", "Ask whether the policy can be extended"),
    ("Scholarship application", None),
    ("Residence permit: fingerprints", "Questura, via Montebello"),
)
HOMES = ("student residence", "shared flat", "studio")
FEEDBACK = (
    "Great app!",
    "The checklist for the residence permit saved me a trip to the post office.",
    "Could deadlines be exported to my calendar?",
    "The page about banking is out of date: my bank wanted a proof of address.",
    "Please add a page about learning Italian.",
)


def fill(db: Repository, size: int = 20, seed: int = 1) -> None:
    """Create `size` students with profile, progress and deadlines, and feedback of some of them."""
    rng = random.Random(seed)
    today, _ = days_to_remind(db)
    for place, name in enumerate(_names(rng, size)):
        is_demo = place == 0
        caller = Caller(DEMO_USER if is_demo else str(_uuid(rng)))
        status = len(STATUSES) - 1 if is_demo else rng.randrange(len(STATUSES))
        update_profile(db, caller, ProfileChanges.model_validate(_profile(rng, name, status, today)))
        _create_progress(db, caller, rng, status)
        _create_deadlines(db, caller, rng, today, count=len(DEADLINES) if is_demo else rng.randint(1, 5))
        if is_demo or rng.random() < 0.3:
            submit_feedback(db, caller, FeedbackDraft(message=rng.choice(FEEDBACK)), "")
    for place in range(size // 5):
        submit_feedback(db, None, FeedbackDraft(message=rng.choice(FEEDBACK)), f"guest {place}")


def _names(rng: random.Random, size: int) -> Iterator[tuple[str, str]]:
    """Yield `size` names; they repeat if there are many students."""
    pairs = list(product(FIRST_NAMES, LAST_NAMES))
    rng.shuffle(pairs)
    return (pairs[place % len(pairs)] for place in range(size))


def _uuid(rng: random.Random) -> UUID:
    return UUID(int=rng.getrandbits(128), version=4)


def _profile(rng: random.Random, name: tuple[str, str], status: int, today: date) -> dict[str, Any]:
    """Return profile fields: more of them for a later admission status."""
    city, university, programs = rng.choice(UNIVERSITIES)
    start = date(today.year + 1, 9, rng.randint(1, 28))
    profile: dict[str, Any] = {
        "firstName": name[0],
        "lastName": name[1],
        "nationality": rng.choice(NATIONALITIES),
        "dateOfBirth": date(today.year - rng.randint(18, 30), rng.randint(1, 12), rng.randint(1, 28)),
        "destinationCountry": "Italy",
        "destinationCity": city,
        "admissionStatus": STATUSES[status],
        "studyLevel": rng.choice(LEVELS),
    }
    if status >= 1:
        profile |= {"universityName": university, "programName": rng.choice(programs), "startDate": start}
        profile |= {"monthlyBudget": str(rng.randrange(700, 1600, 50)), "budgetCurrency": "EUR"}
    if status >= 2:
        profile |= {
            "visaType": "study (D)",
            "passportExpiry": start + timedelta(days=rng.randint(400, 2500)),
        }
        profile |= {"flightsBooked": rng.random() < 0.5, "packingNotes": rng.choice(NOTES)}
        profile |= {cost: rng.randint(*bounds) for cost, bounds in COSTS.items()}
    if status >= 3:
        profile |= {"arrivalDate": start - timedelta(days=10), "accommodationType": rng.choice(HOMES)}
        profile |= {"residencePermitNeeded": True, "bankAccountNeeded": rng.random() < 0.7}
        profile |= {"dailyLifeNotes": rng.choice(NOTES), "localTransport": "tram and bicycle"}
    return profile


def _create_progress(db: Repository, caller: Caller, rng: random.Random, status: int) -> None:
    """Complete the steps that fit the admission status, and start the next one."""
    done = len(STEPS) * (status + 1) // (len(STATUSES) + 1) + rng.randint(-1, 1)
    for step in STEPS[:done]:
        start_step(db, caller, step)
        complete_step(db, caller, step)
    start_step(db, caller, STEPS[done])


def _create_deadlines(db: Repository, caller: Caller, rng: random.Random, today: date, count: int) -> None:
    """Create deadlines, some of them due tomorrow."""
    for title, note in rng.sample(DEADLINES, count):
        draft = DeadlineDraft(
            deadline_id=_uuid(rng),
            title=title,
            due_date=today + timedelta(days=rng.choice((1, 7, 14, 30, 45, 90))),
            send_reminder=rng.random() < 0.7,
            note=note,
        )
        create_deadline(db, caller, draft)
