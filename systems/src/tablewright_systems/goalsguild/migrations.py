"""Migrations of rows that other programs wrote exactly as the document prints them, in order (F14, R25).

Such rows lack what this design adds: locks of names, keys of GSI4 to GSI6, copies by tag and by due date. The first
migration deletes rows that stand in the way; the others write each entity as this design does. Rows that already are as
the design writes them are unchanged. `service.adoption` runs them, and adds rooms, threads and progress.
"""

from typing import Any

from tablewright import migrations
from tablewright_systems.goalsguild.design.goals import Goal, Milestone, Task
from tablewright_systems.goalsguild.design.offers import Company, Offer
from tablewright_systems.goalsguild.design.rooms import AssistMsg, Message
from tablewright_systems.goalsguild.design.tables import core
from tablewright_systems.goalsguild.design.users import User, stored_email

_OWNER = "_of"


def _without_old_dependents(item: dict[str, Any]) -> Any:
    """Delete locks with a mistyped key (R1), and copies of tasks without their owner; both are written anew."""
    is_mistyped_lock = item["SK"] == "UNIQUE#USER>"
    is_old_copy = item.get("type") == "Task" and item["PK"].startswith("USER#") and _OWNER not in item
    return migrations.DELETE if is_mistyped_lock or is_old_copy else None


def _with_domain(item: dict[str, Any]) -> dict[str, Any]:
    """Store the domain of an e-mail address as DNS has it, so that lookups find every form of the address."""
    try:
        email = stored_email(item["email"])
    except ValueError as error:
        raise ValueError(f"email: {item['email']!r} is {error}") from None
    return item | {"email": email}


DEPENDENTS = migrations.Migration("2026-11-old-locks-and-copies", core, up=_without_old_dependents)
USERS = migrations.Migration("2026-11-names-of-users", User, up=_with_domain)
GOALS = migrations.Migration("2026-11-tags-of-goals", Goal)
TASKS = migrations.Migration("2026-11-due-dates-of-tasks", Task)
MILESTONES = migrations.Migration("2026-11-timeline-of-milestones", Milestone)
MESSAGES = migrations.Migration("2026-11-messages", Message)
THREADS = migrations.Migration("2026-11-assistant-messages", AssistMsg)
COMPANIES = migrations.Migration("2026-11-owners-of-companies", Company)
OFFERS = migrations.Migration("2026-11-offers-of-companies", Offer)
