"""Test data: users, deadlines, a mail service, faulty stores."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from tablewright_systems.service.callers import Caller
from tablewright_systems.student_hub.design import Deadline, UserProfile, design
from tablewright_systems.student_hub.service.deadlines import DeadlineDraft, create_deadline
from tablewright_systems.student_hub.service.profiles import ProfileChanges, update_profile
from tablewright_systems.student_hub.service.reminders import Reminder

from systems.tests.races import race
from tablewright import Clock, Connection, Faults, Repository, connect

T = TypeVar("T")

START = datetime(2024, 2, 18, 10, tzinfo=UTC)
TODAY = date(2024, 2, 18)
TOMORROW = date(2024, 2, 19)

ADA = Caller("ada")
BOB = Caller("bob")
ADMIN = Caller("root", {"roles": ["admin"]})
WORKER = Caller("clockwork", {"roles": ["worker"]})


def save(db: Repository, caller: Caller, **changes: Any) -> UserProfile:
    """Save a profile, fields under their stored names."""
    return update_profile(db, caller, ProfileChanges.model_validate(ProfileChanges.prepared(changes)))


def note_deadline(
    db: Repository, caller: Caller = ADA, due: date = TOMORROW, title: str = "Visa", *, remind: bool = True
) -> Deadline:
    return create_deadline(db, caller, DeadlineDraft(title=title, due_date=due, send_reminder=remind))


def stored(db: Repository, table: str, **key: str) -> dict[str, Any] | None:
    """Return a stored item, or None."""
    request = {"TableName": table, "Key": {name: {"S": value} for name, value in key.items()}}
    item: dict[str, Any] | None = db.connection.call("GetItem", {**request, "ConsistentRead": True}).get(
        "Item"
    )
    return item


def items_of(db: Repository, table: str) -> list[dict[str, Any]]:
    """Return all items of a small table."""
    items: list[dict[str, Any]] = db.connection.call("Scan", {"TableName": table, "ConsistentRead": True})[
        "Items"
    ]
    return items


def run_together(actions: Sequence[Callable[[], T]], *, must_overlap: bool = True) -> list[T]:
    """Run actions at the same time; any error fails the test."""
    return race(*actions, expected=(), must_overlap=must_overlap)


class Mailbox:
    """A mail service that keeps every message with its key."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.letters: list[tuple[str, str]] = []

    @staticmethod
    def address(user_id: str) -> str | None:
        return f"{user_id}@example.org"

    def send(self, address: str, reminder: Reminder) -> None:
        self.keys.append(reminder.key)
        self.letters.append((address, reminder.title))


class Recorder:
    """A connection that records its calls."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.calls: list[str] = []

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(operation)
        return self.connection.call(operation, request)

    def close(self) -> None:
        self.connection.close()


@contextmanager
def faulty_store(clock: Clock | None = None, **faults: Any) -> Iterator[Repository]:
    """Open Student Hub on a faulty engine."""
    chosen = Faults(**faults)
    with connect(design, environment="main", clock=clock or Clock(START), faults=chosen) as db:
        yield db
