"""Reminders: one message for each deadline and due date, with any number of workers and retries.

A worker claims a reminder, sends it and confirms it. The claim is a conditional write, so only one worker has it. It
expires, so a dead worker does not block the reminder. If a worker dies between sending and confirming, the next one
sends again with the same idempotency `key`: the mail service sends the message once.

Days are days in Rome, where the students go (R13); the document names no time zone.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from pydantic import ConfigDict, Field, computed_field

from tablewright import Repository, errors, fields
from tablewright_systems.service import Caller, Lease
from tablewright_systems.service.schemas import Body
from tablewright_systems.student_hub.design import (
    Deadline,
    DeadlineOf,
    DeadlinesDueOn,
    RemindersDueOn,
)
from tablewright_systems.web import CurrentCaller, Db, Limit, Router, View, problems

router = Router("Reminders", "Reminders of deadlines, for the reminder worker.")


class ClaimResult(View):
    """Whether the result was stored."""

    is_noted: bool = Field(description="False if the claim has expired.")


log = logging.getLogger(__name__)

ZONE = ZoneInfo("Europe/Rome")
LEASE = Lease(timedelta(minutes=5), id_field="reminder_claim", until_field="reminder_claimed_until")

_WANTED = (fields.of(Deadline.send_reminder) == True) & fields.of(Deadline.reminder_sent_at).is_absent()  # noqa: E712


class Claim(Body):
    """The deadline of a reminder, and the ID of its claim."""

    user_id: str
    deadline_id: str
    claim: str


class Reminder(Claim):
    """A claimed reminder, to be sent."""

    model_config = ConfigDict(extra="ignore")

    title: str
    due_date: date
    note: str | None

    @computed_field  # type: ignore[prop-decorator]  # as pydantic has it
    @property
    def key(self) -> str:
        """Idempotency key of the message; it changes when the due date changes."""
        return f"{self.deadline_id}:{self.due_date}"


@dataclass(slots=True)
class Tally:
    """Result of a round of reminders."""

    sent: int = 0
    failed: int = 0
    """The mail service failed; the next round tries again."""
    without_address: int = 0


FindAddress = Callable[[str], str | None]
"""Returns the e-mail address of a user, from the identity provider: profiles have none."""
Send = Callable[[str, Reminder], None]
"""Sends a reminder to an address with its idempotency key; any exception is a failure."""


def days_to_remind(db: Repository) -> tuple[date, date]:
    """Return today and tomorrow: a deadline that a lagging index missed today is found tomorrow."""
    today = db.now().astimezone(ZONE).date()
    return today, today + timedelta(days=1)


@router.get("/reminders/deadlines", responses=problems(403), name="read_deadlines_due_on")
def deadlines_due_on(db: Db, caller: CurrentCaller, day: date) -> DeadlinesDueOn:
    """List the deadlines of all users on a day (reminder worker)."""
    caller.require_role("worker")
    return DeadlinesDueOn(due_date=day)


@router.post("/reminders/claim")
def claim_reminders(db: Db, caller: CurrentCaller, limit: Limit = 20) -> list[Reminder]:
    """Claim reminders of today and tomorrow for sending (reminder worker)."""
    # No other worker gets them until the claims expire.
    caller.require_role("worker")
    return list(islice(_claims(db), limit))


@router.post("/reminders/confirm", reply=ClaimResult)
def confirm_reminder(db: Db, caller: CurrentCaller, claim: Claim) -> bool:
    """Mark a claimed reminder as sent."""
    # False if the claim expired or the deadline changed.
    caller.require_role("worker")
    return _end_claim(db, claim, is_sent=True)


@router.post("/reminders/release", reply=ClaimResult)
def release_reminder(db: Db, caller: CurrentCaller, claim: Claim) -> bool:
    """Release a claimed reminder for another attempt."""
    caller.require_role("worker")
    return _end_claim(db, claim, is_sent=False)


def send_reminders(db: Repository, caller: Caller, find_address: FindAddress, send: Send) -> Tally:
    """Claim, send and confirm reminders, one at a time, until none is left."""
    caller.require_role("worker")
    tally = Tally()
    for reminder in _claims(db):
        address = find_address(reminder.user_id)
        if address is None:
            tally.without_address += 1
        elif _is_sent(send, address, reminder):
            _end_claim(db, reminder, is_sent=True)
            tally.sent += 1
            continue
        else:
            tally.failed += 1
        _end_claim(db, reminder, is_sent=False)
    return tally


def _is_sent(send: Send, address: str, reminder: Reminder) -> bool:
    try:
        send(address, reminder)
    except Exception:  # a mail service can raise any exception
        log.warning("reminder %s was not sent", reminder.key, exc_info=True)
        return False
    return True


def _claims(db: Repository) -> Iterator[Reminder]:
    """Yield reminders, each claimed when it is requested."""
    for day in days_to_remind(db):
        for deadline in db.iterate(RemindersDueOn(due_date=day), unknown="skip"):
            until = deadline.reminder_claimed_until
            if (until is None or until <= db.now()) and (reminder := _claim(db, deadline)) is not None:
                yield reminder


def _claim(db: Repository, deadline: Deadline) -> Reminder | None:
    """Claim the reminder of a deadline that an index returned; the condition checks the table."""
    claimed = LEASE.take(db, deadline, when=_WANTED & (Deadline.due_date == deadline.due_date))
    if claimed is None or claimed.reminder_claim is None:
        return None
    return Reminder(
        user_id=claimed.user_id,
        deadline_id=claimed.deadline_id,
        claim=claimed.reminder_claim,
        title=claimed.title,
        due_date=claimed.due_date,
        note=claimed.note,
    )


def _end_claim(db: Repository, claim: Claim, *, is_sent: bool) -> bool:
    """End a claim; a sent reminder leaves the index."""
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
