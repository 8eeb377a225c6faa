"""Feedback from users and guests, limited per hour; administrators read it by user and by date."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from math import ceil
from secrets import token_hex

from tablewright import Repository, reads, writes
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Invalid, NotFound, TooManyRequests
from tablewright_systems.service.paging import FIRST_PAGE, Paging
from tablewright_systems.student_hub.design import (
    Feedback,
    FeedbackAllowance,
    FeedbackById,
    FeedbackOfMonth,
    FeedbackOfUser,
    Message,
)
from tablewright_systems.student_hub.service.authorization import require, require_self_or_admin
from tablewright_systems.student_hub.service.inputs import CleanBody

MAX_PER_HOUR = 20
"""Limit for one sender; students in one residence can share an IP address."""
MAX_RANGE = timedelta(days=366)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class FeedbackDraft(CleanBody):
    """New feedback; its author and time are set by the server."""

    message: Message


def submit_feedback(db: Repository, caller: Caller | None, draft: FeedbackDraft, origin: str) -> Feedback:
    """Store feedback of a user or guest; `origin` is the network address that guests are limited by."""
    now = db.now()
    timestamp = milliseconds(now)
    feedback = Feedback(
        timestamp=timestamp,
        user_id=caller.user_id if caller else f"guest-{timestamp}-{token_hex(4)}",
        message=draft.message,
        created_at=now,
    )
    _store_within_limit(db, f"user:{caller.user_id}" if caller else f"guest:{origin}", feedback)
    return feedback


def _store_within_limit(db: Repository, origin: str, feedback: Feedback) -> None:
    """Write feedback and count it in one transaction, unless the sender reached the limit of the hour."""
    hour = feedback.created_at.replace(minute=0, second=0, microsecond=0)
    sender = sha256(origin.encode()).hexdigest()[:32]
    rest = hour + timedelta(hours=1) - feedback.created_at
    count = writes.Upsert(
        FeedbackAllowance(sender=sender, hour=hour, used=1),
        add={"used": 1},
        when=FeedbackAllowance.used < MAX_PER_HOUR,
        otherwise=TooManyRequests(
            f"at most {MAX_PER_HOUR} messages per hour are accepted", ceil(rest.total_seconds())
        ),
    )
    db.transact(writes.Create(feedback), count)


def read_feedback(db: Repository, caller: Caller, feedback_id: str, timestamp: int) -> Feedback:
    """Return one feedback entry by its ID and timestamp, to administrators."""
    require(caller, "admin")
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
    require(caller, "admin")
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
