"""Feedback from users and guests, limited per hour; administrators read it by user and by date."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from secrets import token_hex
from typing import Annotated

from fastapi import Path

from tablewright import fields, reads, writes
from tablewright_systems.service import FIRST_PAGE, Invalid, NotFound, RateLimit, transact
from tablewright_systems.student_hub.design import (
    Feedback,
    FeedbackAllowance,
    FeedbackById,
    FeedbackOfMonth,
    FeedbackOfUser,
    Message,
)
from tablewright_systems.student_hub.service.administration import Id
from tablewright_systems.student_hub.service.inputs import CleanBody, require_self_or_admin
from tablewright_systems.web import (
    ClientNetwork,
    CurrentCaller,
    Db,
    OptionalCaller,
    PageRequest,
    Router,
    problems,
)

router = Router("Feedback", "Feedback, also without a token.")

EpochMilliseconds = Annotated[int, Path(ge=0, le=9_999_999_999_999)]

# For one sender; students in one residence can share an IP address.
LIMIT = RateLimit(
    20, timedelta(hours=1), "at most 20 messages per hour are accepted", FeedbackAllowance, start="hour"
)
MAX_RANGE = timedelta(days=366)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class FeedbackDraft(CleanBody):
    """New feedback; its author and time are set by the server."""

    message: Message


@router.post("/feedback", status_code=201, responses=problems(404, 429))
def submit_feedback(db: Db, caller: OptionalCaller, draft: FeedbackDraft, origin: ClientNetwork) -> Feedback:
    """Send feedback; no token required."""
    # `origin` is the network address that guests are limited by.
    now = db.now()
    timestamp = milliseconds(now)
    sender = f"user:{caller.user_id}" if caller else f"guest:{origin}"
    feedback = Feedback(
        timestamp=timestamp,
        user_id=caller.user_id if caller else f"guest-{timestamp}-{token_hex(4)}",
        message=draft.message,
        created_at=now,
    )
    counted = LIMIT.count(now, sender=sha256(sender.encode()).hexdigest()[:32])
    transact(db, writes.Create(feedback), counted)
    return feedback


@router.get(
    "/admin/feedback/{feedback_id}/{timestamp}", responses=problems(403, 404), tags=["Administration"]
)
def read_feedback(db: Db, caller: CurrentCaller, feedback_id: Id, timestamp: EpochMilliseconds) -> Feedback:
    """Get one feedback entry (administrators)."""
    caller.require_role("admin")
    return db.get_or_raise(
        FeedbackById(feedback_id=feedback_id, timestamp=timestamp),
        otherwise=NotFound(f"feedback {feedback_id} with timestamp {timestamp}"),
    )


@router.get(
    "/admin/users/{user_id}/feedback",
    responses=problems(403),
    tags=["Administration"],
    name="read_feedback_of_user",
)
def feedback_of_user(
    db: Db, caller: CurrentCaller, user_id: Id, paging: PageRequest = FIRST_PAGE
) -> reads.Page[Feedback]:
    """List the feedback of a user, newest first (administrators)."""
    require_self_or_admin(caller, user_id)
    return paging.run(db, FeedbackOfUser(user_id=user_id))


@router.get("/admin/feedback", responses=problems(403), tags=["Administration"], name="read_feedback_between")
def feedback_between(
    db: Db,
    caller: CurrentCaller,
    start: fields.Timestamp,
    end: fields.Timestamp,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[Feedback]:
    """List the feedback of a time range, newest first (administrators)."""
    caller.require_role("admin")
    if not timedelta(0) <= end - start <= MAX_RANGE:
        raise Invalid("end must be after start, by at most a year", "end")
    span = {"start": milliseconds(start), "end": milliseconds(end)}
    months = [FeedbackOfMonth(month=month, **span) for month in _months(start, end)]
    return paging.run(db, reads.Chained(months))


def _months(start: datetime, end: datetime) -> Iterator[str]:
    """Yield the months of a time range, last one first, as keys of the index."""
    day, first = end.astimezone(UTC).date(), start.astimezone(UTC).date().replace(day=1)
    while (month := day.replace(day=1)) > first:
        yield month.isoformat()[:7]  # %Y has no leading zeros
        day = month - timedelta(days=1)
    yield first.isoformat()[:7]


def milliseconds(time: datetime) -> int:
    """Milliseconds since 1970.

    >>> milliseconds(datetime(2024, 2, 18, 10, tzinfo=UTC))
    1708250400000
    """
    return (time - _EPOCH) // timedelta(milliseconds=1)


@router.get("/feedback", responses=problems(403))
def read_own_feedback(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[Feedback]:
    """List your feedback, newest first."""
    return feedback_of_user(db, caller, caller.user_id, paging)
