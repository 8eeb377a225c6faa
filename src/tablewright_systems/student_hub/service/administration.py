"""Administration of all users. Only this module scans a table (845-859)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tablewright import Query, Repository, Scan, fields, reads, writes
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.paging import FIRST_PAGE, Paging
from tablewright_systems.service.schemas import View
from tablewright_systems.student_hub.design import (
    AllUsers,
    AnyStepOf,
    DeadlineKeysOf,
    DeadlineOf,
    FeedbackById,
    FeedbackKeysOf,
    ProfileKeyOf,
    ProfileOf,
    StepKeysOf,
)
from tablewright_systems.student_hub.service.authorization import require, require_self_or_admin

MAX_TRANSACTION_ITEMS = 100


class UserSummary(View):
    """A user in a list, with only the fields that identify the user."""

    user_id: str
    updated_at: fields.Timestamp
    first_name: str | None = None
    last_name: str | None = None
    destination_city: str | None = None
    university_name: str | None = None


@dataclass(frozen=True, slots=True)
class Erasure:
    """Number of items deleted."""

    profiles: int
    steps: int
    deadlines: int
    feedback: int


def list_users(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[UserSummary]:
    """Return all users, page by page, unordered."""
    require(caller, "admin")
    page = db.rows(AllUsers(), limit=paging.limit, cursor=paging.cursor)
    return page.map(lambda row: UserSummary(**row))


def count_users(db: Repository, caller: Caller) -> int:
    """Count the users. This reads all profiles: do not use it for a dashboard (1056)."""
    require(caller, "admin")
    return sum(1 for _ in _rows(db, AllUsers()))


def erase_user(db: Repository, caller: Caller, user_id: str) -> Erasure:
    """Delete all data of a user in all tables, also what cannot be read; up to 100 items in one transaction.

    With more items, the profile is deleted last: a missing profile means that all data is deleted. Feedback is found
    through an index, which can lag, and a user who is still signed in can continue to write. So disable the login
    first, and erase again later; erasing twice is harmless.
    """
    require_self_or_admin(caller, user_id)
    feedback = [FeedbackById(**row) for row in _rows(db, FeedbackKeysOf(user_id=user_id))]
    steps = [AnyStepOf(**row) for row in _rows(db, StepKeysOf(user_id=user_id))]
    deadlines = [DeadlineOf(**row) for row in _rows(db, DeadlineKeysOf(user_id=user_id))]
    profiles = [ProfileOf(**row) for row in _rows(db, ProfileKeyOf(user_id=user_id))]
    everything = [*feedback, *steps, *deadlines, *profiles]
    for start in range(0, len(everything), MAX_TRANSACTION_ITEMS):
        db.transact(*map(writes.Delete, everything[start : start + MAX_TRANSACTION_ITEMS]))
    return Erasure(len(profiles), len(steps), len(deadlines), len(feedback))


def _rows(db: Repository, pattern: Query[Any] | Scan[Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of all pages."""
    cursor = None
    while True:
        page = db.rows(pattern, cursor=cursor)
        yield from page
        cursor = page.cursor
        if cursor is None:
            return
