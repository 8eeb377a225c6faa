"""Reminders: one message for each deadline and day, however many workers look for them, and however often.

A worker claims a reminder, sends it, and confirms. The claim is a conditional write, so that one worker has it; it
ends by itself after a while, so that a worker that died does not keep the reminder for ever. Should a worker die
between sending and confirming, the next one sends again under the same `key`: mail services take a key and send once.

Days are Rome's: that is where the students are going (183: `codice-fiscale`), and the document names no zone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, computed_field
from pydantic.alias_generators import to_camel

from tablewright import Repository, errors
from tablewright_systems.authentication import Caller
from tablewright_systems.student_hub.design import (
    Deadline,
    DeadlineOf,
    DeadlinesDueOn,
    RemindersDueOn,
    new_uuid,
)
from tablewright_systems.student_hub.service.deadlines import in_order
from tablewright_systems.student_hub.service.rights import require

ZONE = ZoneInfo("Europe/Rome")
LEASE = timedelta(minutes=5)
MOST_CLAIMS = 100

_WANTED = (Deadline.send_reminder == True) & (Deadline.reminder_sent_at == None)  # noqa: E711, E712 - conditions
_UNCLAIMED = Deadline.reminder_claim == None  # noqa: E711


class Claim(BaseModel):
    """Whose reminder it is, and who claimed it."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    user_id: str
    deadline_id: str
    claim: str


class Reminder(Claim):
    """A reminder to be sent, by whoever claimed it."""

    title: str
    due_date: date
    note: str | None

    @computed_field  # type: ignore[prop-decorator]  # as pydantic has it
    @property
    def key(self) -> str:
        """The same each time that this reminder is sent; another when the deadline moves to another day."""
        return f"{self.deadline_id}:{self.due_date}"


@dataclass(slots=True)
class Tally:
    """What came of a round of reminders."""

    sent: int = 0
    failed: int = 0
    """The mail service refused; the next round tries again."""
    without_address: int = 0


FindAddress = Callable[[str], str | None]
"""The e-mail address of a user: the identity provider has it, the profile does not (636)."""
Send = Callable[[str, Reminder], None]
"""Sends a reminder to an address, under its key; whatever it raises is a failure."""


def days_to_remind(db: Repository) -> tuple[date, date]:
    """Today and tomorrow (617), so that what an index was too late to show one day is found on the next."""
    today = db.now().astimezone(ZONE).date()
    return today, today + timedelta(days=1)


def deadlines_due_on(db: Repository, caller: Caller, day: date) -> list[Deadline]:
    """Everybody's deadlines of a day, for the job that reminds of them."""
    require(caller, "worker")
    return in_order(db.iterate(DeadlinesDueOn(due_date=day), unknown="skip"))


def claim_reminders(db: Repository, caller: Caller, most: int = MOST_CLAIMS) -> list[Reminder]:
    """Claim reminders of today and tomorrow; nobody else gets them until the claims end."""
    require(caller, "worker")
    return list(islice(_claims(db), most))


def confirm_reminder(db: Repository, caller: Caller, claim: Claim) -> bool:
    """Say that a reminder was sent; False when the claim had ended, or the deadline is another now."""
    require(caller, "worker")
    return _settle(db, claim, is_sent=True)


def release_reminder(db: Repository, caller: Caller, claim: Claim) -> bool:
    """Give a claim back, for another try; False when it had ended."""
    require(caller, "worker")
    return _settle(db, claim, is_sent=False)


def send_reminders(db: Repository, caller: Caller, find_address: FindAddress, send: Send) -> Tally:
    """One round: claim, send and confirm, one after the other, until nothing is left to claim."""
    require(caller, "worker")
    tally = Tally()
    for reminder in _claims(db):
        address = find_address(reminder.user_id)
        if address is None:
            tally.without_address += 1
        elif _is_sent(partial(send, address, reminder)):
            _settle(db, reminder, is_sent=True)
            tally.sent += 1
            continue
        else:
            tally.failed += 1
        _settle(db, reminder, is_sent=False)
    return tally


def _is_sent(send: Callable[[], None]) -> bool:
    try:
        send()
    except Exception:  # whatever a mail service raises
        return False
    return True


def _claims(db: Repository) -> Iterator[Reminder]:
    """Claim one reminder after the other, as they are asked for."""
    for day in days_to_remind(db):
        for deadline in db.iterate(RemindersDueOn(due_date=day), unknown="skip"):
            until = deadline.reminder_claimed_until
            if until is not None and until >= db.now():
                continue
            if (reminder := _claim(db, deadline)) is not None:
                yield reminder


def _claim(db: Repository, deadline: Deadline) -> Reminder | None:
    """Claim the reminder of a deadline that an index showed; the table has the last word on it."""
    now = db.now()
    claimed_until: Any = Deadline.reminder_claimed_until  # to a type checker perhaps None, which has no order
    is_free = _UNCLAIMED | (claimed_until < now)
    claim = new_uuid()
    try:
        claimed = db.update(
            deadline,
            set={"reminder_claim": claim, "reminder_claimed_until": now + LEASE},
            when=_WANTED & (Deadline.due_date == deadline.due_date) & is_free,
        )
    except (errors.ConditionNotMet, errors.DoesNotExist):
        return None
    return Reminder(
        user_id=claimed.user_id,
        deadline_id=claimed.deadline_id,
        claim=claim,
        title=claimed.title,
        due_date=claimed.due_date,
        note=claimed.note,
    )


def _settle(db: Repository, claim: Claim, *, is_sent: bool) -> bool:
    """End a claim; once it is sent, the deadline leaves the index of reminders."""
    deadline = DeadlineOf(user_id=claim.user_id, deadline_id=claim.deadline_id)
    try:
        db.update(
            deadline,
            set={"reminder_sent_at": db.now()} if is_sent else {},
            remove=["reminder_claim", "reminder_claimed_until"],
            when=Deadline.reminder_claim == claim.claim,
        )
    except (errors.ConditionNotMet, errors.DoesNotExist):
        return False
    return True
