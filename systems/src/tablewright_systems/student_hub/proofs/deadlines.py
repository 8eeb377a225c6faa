"""Proofs about deadlines and reminders."""

from datetime import date, timedelta
from uuid import uuid4

from tablewright import errors
from tablewright_systems.service import Caller, Forbidden, Invalid, NotFound
from tablewright_systems.student_hub.design import DeadlineOf, DeadlinesOf, RemindersDueOn
from tablewright_systems.student_hub.proofs import document_rows
from tablewright_systems.student_hub.proofs.fixtures import deadline, worker
from tablewright_systems.student_hub.service.adoption import adopt_deadlines
from tablewright_systems.student_hub.service.deadlines import (
    DeadlineChanges,
    DeadlineDraft,
    change_deadline,
    create_deadline,
    delete_deadline,
    read_deadline,
    read_deadlines,
)
from tablewright_systems.student_hub.service.reminders import (
    Claim,
    Reminder,
    claim_reminders,
    confirm_reminder,
    days_to_remind,
    deadlines_due_on,
    release_reminder,
    send_reminders,
)
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("student_hub")
FAR_AWAY = date(2031, 3, 15)


@PROOFS("A5")
def get_user_deadlines(context: ProofContext) -> None:
    """Get a user's deadlines, earliest first."""
    ada = context.caller()
    later = deadline(context, ada, FAR_AWAY + timedelta(days=1), "Rent")
    sooner = deadline(context, ada, FAR_AWAY, "Visa")
    with context.measured():
        listed = read_deadlines(context.db, ada)
    assert listed == [sooner, later]
    assert context.db.all(DeadlinesOf(user_id=context.unique_id("unknown"))) == []


@PROOFS("A6")
def create_a_deadline(context: ProofContext) -> None:
    """Create a deadline; the same request again is the same deadline."""
    ada = context.caller()
    draft = DeadlineDraft(
        deadline_id=uuid4(), title="Visa Appointment", due_date=FAR_AWAY, send_reminder=True
    )
    with context.measured():
        made = create_deadline(context.db, ada, draft)
    assert (made.user_id, made.created_at, made.updated_at) == (
        ada.user_id,
        context.db.now(),
        context.db.now(),
    )
    context.clock.advance(1)
    assert create_deadline(context.db, ada, draft) == made
    other = draft.model_copy(update={"title": "Another"})
    expect_error(errors.AlreadyExists, lambda: create_deadline(context.db, ada, other))
    assert read_deadlines(context.db, ada) == [made]
    assert read_deadlines(context.db, context.caller()) == []


@PROOFS("A12")
def deadlines_due_on_a_date(context: ProofContext) -> None:
    """Find the deadlines of all users due on a date."""
    day = FAR_AWAY + timedelta(days=int(context.unique_id()[-4:], 16))
    mine = {deadline(context, context.caller(), day).deadline_id for _ in range(3)}
    deadline(context, context.caller(), day + timedelta(days=1))

    def are_listed() -> bool:
        due = context.db.all(deadlines_due_on(context.db, worker(context), day))
        return mine <= {deadline.deadline_id for deadline in due} and all(
            deadline.due_date == day for deadline in due
        )

    with context.measured():
        context.eventually(are_listed)
    expect_error(Forbidden, lambda: deadlines_due_on(context.db, context.caller(), day))


@PROOFS("A19")
def update_a_deadline(context: ProofContext) -> None:
    """Update a deadline; a missing one is not created."""
    ada = context.caller()
    made = deadline(context, ada, FAR_AWAY)
    context.clock.advance(1)
    with context.measured():
        changed = change_deadline(
            context.db, ada, made.deadline_id, DeadlineChanges(title="Moved", note=None)
        )
    assert changed == made.changed(title="Moved", note=None, updated_at=context.db.now())
    untitled = DeadlineChanges.model_validate({"title": None})
    expect_error(Invalid, lambda: change_deadline(context.db, ada, made.deadline_id, untitled), "title")
    changes = DeadlineChanges(title="Missing")
    expect_error(NotFound, lambda: change_deadline(context.db, ada, context.unique_id("none"), changes))
    assert read_deadlines(context.db, ada) == [changed]


@PROOFS("A20")
def delete_a_deadline(context: ProofContext) -> None:
    """Delete a deadline."""
    ada = context.caller()
    made = deadline(context, ada, FAR_AWAY)
    expect_error(NotFound, lambda: delete_deadline(context.db, context.caller(), made.deadline_id))
    with context.measured():
        delete_deadline(context.db, ada, made.deadline_id)
    assert context.db.run(DeadlineOf(user_id=ada.user_id, deadline_id=made.deadline_id)) is None


@PROOFS("A24")
def get_one_deadline(context: ProofContext) -> None:
    """Get one deadline of a user."""
    ada = context.caller()
    made = deadline(context, ada, FAR_AWAY)
    with context.measured():
        stored = read_deadline(context.db, ada, made.deadline_id)
    assert stored == made
    expect_error(NotFound, lambda: read_deadline(context.db, context.caller(), made.deadline_id))


class Mailbox:
    """A mail service that keeps the reminders."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def send(self, address: str, reminder: Reminder) -> None:
        """Receive a reminder."""
        self.sent.append((address, reminder.title))

    def of(self, caller: Caller) -> list[str]:
        """Return the titles sent to an address."""
        return [title for address, title in self.sent if address == self.address(caller.user_id)]

    @staticmethod
    def address(user_id: str) -> str:
        """Return the address of a user."""
        return f"{user_id}@example.org"


@PROOFS("F3")
def send_reminders_by_due_date(context: ProofContext) -> None:
    """Send one reminder for each deadline of today and tomorrow that requests it, also for the document's own rows."""
    ada, bob, john = context.caller(), context.caller(), context.caller()
    today, tomorrow = days_to_remind(context.db)
    deadline(context, ada, today, "Rent")
    moved = deadline(context, ada, tomorrow, "Visa")
    deadline(context, ada, tomorrow + timedelta(days=1), "Later")
    deadline(context, bob, tomorrow, "Quiet", remind=False)
    document_rows.put(context.db, document_rows.DEADLINE, userId=john.user_id, dueDate=str(today))
    mailbox = Mailbox()
    claim = Claim(user_id=ada.user_id, deadline_id=moved.deadline_id, claim="none")
    expect_error(Forbidden, lambda: send_reminders(context.db, ada, mailbox.address, mailbox.send))
    expect_error(Forbidden, lambda: claim_reminders(context.db, ada))
    expect_error(Forbidden, lambda: confirm_reminder(context.db, ada, claim))
    expect_error(Forbidden, lambda: release_reminder(context.db, ada, claim))
    assert not confirm_reminder(context.db, worker(context), claim), "another worker's claim"

    def a_round() -> bool:
        adopt_deadlines(context.db)
        send_reminders(context.db, worker(context), mailbox.address, mailbox.send)
        return set(mailbox.of(ada)) == {"Rent", "Visa"} and bool(mailbox.of(john))

    with context.measured():
        context.eventually(a_round)
    a_round()
    assert sorted(mailbox.of(ada)) == ["Rent", "Visa"]
    assert mailbox.of(bob) == []
    assert mailbox.of(john) == ["Visa Appointment"]
    change_deadline(context.db, ada, moved.deadline_id, DeadlineChanges(due_date=today))
    context.eventually(lambda: a_round() and len(mailbox.of(ada)) == 3)


@PROOFS("F8")
def sparse_index(context: ProofContext) -> None:
    """Only deadlines with a reminder to send are in the reminder index; a boolean cannot be a key of it."""
    ada = context.caller()
    day = FAR_AWAY + timedelta(days=int(context.unique_id()[-4:], 16))
    quiet = deadline(context, ada, day, remind=False)
    loud = deadline(context, ada, day)

    def indexed() -> set[str]:
        return {reminder.deadline_id for reminder in context.db.all(RemindersDueOn(due_date=day))} & {
            quiet.deadline_id,
            loud.deadline_id,
        }

    with context.measured():
        context.eventually(lambda: indexed() == {loud.deadline_id})
    change_deadline(context.db, ada, quiet.deadline_id, DeadlineChanges(send_reminder=True))
    change_deadline(context.db, ada, loud.deadline_id, DeadlineChanges(send_reminder=False))
    context.eventually(lambda: indexed() == {quiet.deadline_id})
    expect_error(
        errors.ValidationError,
        lambda: document_rows.put(context.db, document_rows.DEADLINE, reminderDate=True),
    )
