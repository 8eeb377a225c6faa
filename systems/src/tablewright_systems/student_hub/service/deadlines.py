"""Deadlines: idempotent creation, lists ordered by due date."""

from collections.abc import Iterable
from datetime import date
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from tablewright import Repository, errors, reads, writes
from tablewright_systems.service import Caller, Invalid, NotFound, busy, sorted_page
from tablewright_systems.student_hub.design import Deadline, DeadlineOf, DeadlinesOf, Notes, Title
from tablewright_systems.student_hub.service.administration import Id
from tablewright_systems.student_hub.service.inputs import CleanBody
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, problems

router = Router("Deadlines", "Your deadlines.")

_REMINDED = ("reminder_claim", "reminder_claimed_until", "reminder_sent_at")


class DeadlineDraft(CleanBody):
    """A new deadline; with its own ID, a client can repeat the request."""

    deadline_id: UUID | None = None
    title: Title
    due_date: date
    send_reminder: bool
    note: Notes | None = None


class DeadlineChanges(CleanBody):
    """Changes to a deadline; omitted fields are unchanged, a null or empty note is removed."""

    title: Title | None = None
    due_date: date | None = None
    send_reminder: bool | None = None
    note: Notes | None = None


@router.post("/deadlines", status_code=201, response_model_exclude_none=True, responses=problems(404))
def create_deadline(db: Db, caller: CurrentCaller, draft: DeadlineDraft) -> Deadline:
    """Create a deadline.

    With your own `deadlineId`, repeated requests create one deadline.
    """
    # The same draft with the same ID returns the existing deadline.
    values: dict[str, Any] = {name: value for name, value in draft.sent().items() if value is not None}
    if draft.deadline_id is not None:
        values["deadline_id"] = str(draft.deadline_id)
    deadline = Deadline(user_id=caller.user_id, **values)
    try:
        return db.create(deadline)
    except errors.AlreadyExists:
        stored = read_deadline(db, caller, deadline.deadline_id)
        if any(getattr(stored, name) != value for name, value in values.items()):
            raise
        return stored


def read_deadlines(db: Repository, caller: Caller) -> list[Deadline]:
    """Return the deadlines of the caller, earliest first, without those whose stored due date is no date."""
    return in_order(db.all(DeadlinesOf(user_id=caller.user_id), unknown="skip"))


def in_order(deadlines: Iterable[Deadline]) -> list[Deadline]:
    """Sort deadlines by due date, then by creation time."""
    return sorted(deadlines, key=deadline_order)


def deadline_order(deadline: Deadline) -> tuple[str, str, str]:
    """Return the sort key of a deadline."""
    return deadline.due_date.isoformat(), deadline.created_at.isoformat(), deadline.deadline_id


@router.get("/deadlines/{deadline_id}", response_model_exclude_none=True)
def read_deadline(db: Db, caller: CurrentCaller, deadline_id: Id) -> Deadline:
    """Get one of your deadlines."""
    pattern = DeadlineOf(user_id=caller.user_id, deadline_id=deadline_id)
    return db.get_or_raise(pattern, otherwise=NotFound(f"deadline {deadline_id}"))


@router.patch("/deadlines/{deadline_id}", response_model_exclude_none=True, responses=problems(404, 409))
@writes.retrying(on=errors.ConditionNotMet, otherwise=busy)
def change_deadline(db: Db, caller: CurrentCaller, deadline_id: Id, changes: DeadlineChanges) -> Deadline:
    """Update a deadline; a new date resets its reminder."""
    values = changes.sent()
    for name, value in values.items():
        if value is None and name != "note":
            raise Invalid("this field is required", DeadlineChanges.model_fields[name].alias)
    try:
        deadline = read_deadline(db, caller, deadline_id)
    except errors.UnknownItem as unreadable:
        return db.put(_repaired(unreadable.item, values))
    if not values:
        return deadline
    is_moved = values.get("due_date", deadline.due_date) != deadline.due_date
    return db.update(
        deadline,
        set=values,
        remove=_REMINDED if is_moved else (),
        when=Deadline.due_date == deadline.due_date,
    )


def _repaired(item: dict[str, Any], changes: dict[str, Any]) -> Deadline:
    """Return a deadline that another program stored with an invalid date, with the changes of the caller."""
    values = {name: next(iter(value.values())) for name, value in item.items()}
    try:
        stored = Deadline.model_validate(values | {"dueDate": changes.get("due_date")})
    except ValidationError:
        raise Invalid("the stored date of this deadline is invalid; give a new one", "dueDate") from None
    return stored.changed(**changes, **dict.fromkeys(_REMINDED))


@router.delete("/deadlines/{deadline_id}", status_code=204, responses=problems(404, 409))
def delete_deadline(db: Db, caller: CurrentCaller, deadline_id: Id) -> None:
    """Delete a deadline."""
    pattern = DeadlineOf(user_id=caller.user_id, deadline_id=deadline_id)
    db.delete(pattern, otherwise=NotFound(f"deadline {deadline_id}"))


@router.get("/deadlines", name="read_deadlines")
def list_deadlines(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[Deadline]:
    """List your deadlines, earliest first."""
    return sorted_page(read_deadlines(db, caller), paging, "deadlines", deadline_order)
