"""Feedback: anybody may say something, a few times an hour; administrators read it by user, and by date."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from math import ceil
from secrets import token_hex

from tablewright import Repository, errors, writes
from tablewright_systems.api_errors import Conflict, Invalid, NotFound, TooManyRequests
from tablewright_systems.authentication import Caller
from tablewright_systems.pagination import ResultPage
from tablewright_systems.student_hub.design import (
    Feedback,
    FeedbackAllowance,
    FeedbackById,
    FeedbackOfMonth,
    FeedbackOfUser,
    Message,
)
from tablewright_systems.student_hub.service import TRIES
from tablewright_systems.student_hub.service.inputs import Input
from tablewright_systems.student_hub.service.rights import require, require_self_or_admin

EACH_HOUR = 20
"""Of one sender; students of one residence may share an address."""
LONGEST_RANGE = timedelta(days=366)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class FeedbackDraft(Input):
    """What somebody has to say. Who it is, and when, is not theirs to say."""

    message: Message


def submit_feedback(db: Repository, caller: Caller | None, draft: FeedbackDraft, origin: str) -> Feedback:
    """Take down what somebody says, signed in or not; `origin` is where a guest comes from, to count how often."""
    now = db.now()
    moment = milliseconds(now)
    said = Feedback(
        timestamp=moment,
        user_id=caller.user_id if caller else f"guest-{moment}-{token_hex(4)}",
        message=draft.message,
        created_at=now,
    )
    _spend(db, f"user:{caller.user_id}" if caller else f"guest:{origin}", said)
    return said


def _spend(db: Repository, origin: str, said: Feedback) -> None:
    """Write feedback and count it, both or neither, while the sender's allowance for the hour lasts."""
    hour = said.created_at.replace(minute=0, second=0, microsecond=0)
    sender = sha256(origin.encode()).hexdigest()[:32]
    allowance = FeedbackAllowance(sender=sender, hour=hour)
    is_left = FeedbackAllowance.used < EACH_HOUR
    for _ in range(TRIES):
        try:
            db.transact(writes.Create(said), writes.Update(allowance, add={"used": 1}, when=is_left))
            return
        except errors.TransactionFailed as refusal:
            match refusal.failures:
                case None, errors.DoesNotExist():
                    with suppress(errors.AlreadyExists):
                        db.create(allowance)
                case None, errors.ConditionNotMet():
                    rest = hour + timedelta(hours=1) - said.created_at
                    raise TooManyRequests(
                        "that was a lot of feedback for an hour", ceil(rest.total_seconds())
                    ) from None
                case _:
                    raise
    raise Conflict("this cannot be counted just now; try again")


def read_feedback(db: Repository, caller: Caller, feedback_id: str, timestamp: int) -> Feedback:
    """One feedback, for administrators; it takes both its id and its moment."""
    require(caller, "admin")
    found = db.run(FeedbackById(feedback_id=feedback_id, timestamp=timestamp))
    if found is None:
        raise NotFound(f"feedback {feedback_id} of {timestamp}")
    return found


def feedback_of_user(
    db: Repository, caller: Caller, user_id: str, limit: int = 20, cursor: str | None = None
) -> ResultPage[Feedback]:
    """What a user said, the newest first, for the user and for administrators."""
    require_self_or_admin(caller, user_id)
    page = db.run(FeedbackOfUser(user_id=user_id), limit=limit, cursor=cursor)
    return ResultPage(page.items, page.cursor)


def feedback_between(
    db: Repository,
    caller: Caller,
    start: datetime,
    end: datetime,
    limit: int = 20,
    cursor: str | None = None,
) -> ResultPage[Feedback]:
    """What was said from one moment to another, both included, the newest first, for administrators."""
    require(caller, "admin")
    if not timedelta(0) <= end - start <= LONGEST_RANGE:
        raise Invalid("end comes after start, by a year at most", "end")
    months, within = _rest(list(_months(start, end)), cursor)
    found: list[Feedback] = []
    for place, month in enumerate(months):
        pattern = FeedbackOfMonth(month=month, start=milliseconds(start), end=milliseconds(end))
        page = db.run(pattern, limit=limit - len(found), cursor=within)
        found += page
        if page.cursor:
            return ResultPage(tuple(found), f"{month}.{page.cursor}")
        if len(found) == limit and months[place + 1 :]:
            return ResultPage(tuple(found), f"{months[place + 1]}.")
        within = None
    return ResultPage(tuple(found))


def _months(start: datetime, end: datetime) -> Iterator[str]:
    """The months that a time touches, the last one first, as the index has them."""
    day, first = end.astimezone(UTC).date(), start.astimezone(UTC).date().replace(day=1)
    while (month := day.replace(day=1)) > first:
        yield f"{month:%Y-%m}"
        day = month - timedelta(days=1)
    yield f"{first:%Y-%m}"


def _rest(months: list[str], cursor: str | None) -> tuple[list[str], str | None]:
    """The months that a cursor leaves, and the cursor within the first of them."""
    if cursor is None:
        return months, None
    month, _, within = cursor.partition(".")
    if month not in months:
        raise errors.BadCursor("the cursor belongs to another time; begin anew")
    return months[months.index(month) :], within or None


def milliseconds(moment: datetime) -> int:
    """Since 1970.

    >>> milliseconds(datetime(2024, 2, 18, 10, tzinfo=UTC))
    1708250400000
    """
    return (moment - _EPOCH) // timedelta(milliseconds=1)
