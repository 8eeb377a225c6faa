"""Feedback from users and guests, limited per hour; administrators read it by user and by date."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from secrets import token_hex

from tablewright import Repository, reads, writes
from tablewright_systems.service import FIRST_PAGE, Caller, Invalid, NotFound, Paging, RateLimit, transact
from tablewright_systems.student_hub.design import (
    Feedback,
    FeedbackAllowance,
    FeedbackById,
    FeedbackOfMonth,
    FeedbackOfUser,
    Message,
)
from tablewright_systems.student_hub.service.authorization import require_self_or_admin
from tablewright_systems.student_hub.service.inputs import CleanBody

# For one sender; students in one residence can share an IP address.
LIMIT = RateLimit(
    20, timedelta(hours=1), "at most 20 messages per hour are accepted", FeedbackAllowance, start="hour"
)
MAX_RANGE = timedelta(days=366)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class FeedbackDraft(CleanBody):
    """New feedback; its author and time are set by the server."""

    message: Message


def submit_feedback(db: Repository, caller: Caller | None, draft: FeedbackDraft, origin: str) -> Feedback:
    """Store feedback of a user or guest; `origin` is the network address that guests are limited by."""
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


def read_feedback(db: Repository, caller: Caller, feedback_id: str, timestamp: int) -> Feedback:
    """Return one feedback entry by its ID and timestamp, to administrators."""
    caller.require_role("admin")
    return db.get_or_raise(
        FeedbackById(feedback_id=feedback_id, timestamp=timestamp),
        otherwise=NotFound(f"feedback {feedback_id} with timestamp {timestamp}"),
    )


def feedback_of_user(
    db: Repository, caller: Caller, user_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[Feedback]:
    """Return the feedback of a user, newest first, to the user and to administrators."""
    require_self_or_admin(caller, user_id)
    return paging.run(db, FeedbackOfUser(user_id=user_id))


def feedback_between(
    db: Repository, caller: Caller, start: datetime, end: datetime, paging: Paging = FIRST_PAGE
) -> reads.Page[Feedback]:
    """Return the feedback of a time range (inclusive), newest first, to administrators."""
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
        yield f"{month:%Y-%m}"
        day = month - timedelta(days=1)
    yield f"{first:%Y-%m}"


def milliseconds(time: datetime) -> int:
    """Milliseconds since 1970.

    >>> milliseconds(datetime(2024, 2, 18, 10, tzinfo=UTC))
    1708250400000
    """
    return (time - _EPOCH) // timedelta(milliseconds=1)
