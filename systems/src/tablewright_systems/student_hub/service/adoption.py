"""Adoption: rows that the document's own program writes get the keys of the indexes that this design adds.

The document prints deadlines and feedback without `reminderDate` and `feedbackMonth` (375, 400). Such rows are valid,
but no reminder is sent for them, and no list by date contains them. The jobs of `jobs.py` adopt them; `tablewright
deploy` does the same for all rows when it adds the indexes, and `tablewright fsck --repair` at any time.
"""

from collections.abc import Iterator
from contextlib import suppress

from tablewright import Repository, errors
from tablewright_systems.service import raw_rows
from tablewright_systems.student_hub.design import (
    Deadline,
    DeadlinesDueOn,
    Feedback,
    FeedbackById,
    RemindersDueOn,
    feedback,
)
from tablewright_systems.student_hub.service.reminders import days_to_remind

_TO_REMIND_OF = Deadline.send_reminder == True  # noqa: E712 - a condition


def adopt_deadlines(db: Repository) -> int:
    """Add the deadlines of today and tomorrow to the reminder index; return how many were missing there."""
    adopted = 0
    for day in days_to_remind(db):
        indexed = {_key(deadline) for deadline in db.iterate(RemindersDueOn(due_date=day), unknown="skip")}
        for deadline in db.iterate(DeadlinesDueOn(due_date=day), unknown="skip"):
            if deadline.send_reminder and deadline.reminder_sent_at is None and _key(deadline) not in indexed:
                adopted += _is_added(db, deadline)
    return adopted


def _key(deadline: Deadline) -> tuple[str, str]:
    return deadline.user_id, deadline.deadline_id


def _is_added(db: Repository, deadline: Deadline) -> bool:
    """Write the field that the key of the index follows from, unless the student has changed it."""
    try:
        db.update(deadline, set={"send_reminder": True}, when=_TO_REMIND_OF)
    except (errors.ConditionNotMet, errors.DoesNotExist):
        return False
    return True


def adopt_feedback(db: Repository) -> int:
    """Add feedback to the index by date; return how many entries were missing there. Reads the whole table."""
    adopted = 0
    for entry in _feedback_without_month(db):
        db.update(entry, set={"created_at": entry.created_at})
        adopted += 1
    return adopted


def _feedback_without_month(db: Repository) -> Iterator[Feedback]:
    request = {
        "TableName": db.context.table_name(feedback),
        "FilterExpression": "attribute_not_exists(feedbackMonth)",
    }
    for item in raw_rows(db, "Scan", request):
        key = FeedbackById(feedback_id=item["feedbackId"]["S"], timestamp=int(item["timestamp"]["N"]))
        with suppress(errors.UnknownItem):
            if (entry := db.run(key)) is not None:
                yield entry
