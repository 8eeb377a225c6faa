"""Administration of all users. Only this module scans a table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Path

from tablewright import Query, Repository, Scan, fields, reads, writes
from tablewright_systems.service import FIRST_PAGE
from tablewright_systems.service.schemas import View
from tablewright_systems.student_hub import design
from tablewright_systems.student_hub.service.inputs import require_self_or_admin
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, problems

router = Router("Administration", "Users and feedback, for administrators.")

Id = Annotated[str, Path(max_length=256)]

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


@router.get("/admin/users", responses=problems(403))
def list_users(db: Db, caller: CurrentCaller, paging: PageRequest = FIRST_PAGE) -> reads.Page[UserSummary]:
    """List all users (administrators)."""
    caller.require_role("admin")
    page = db.rows(design.AllUsers(), limit=paging.limit, cursor=paging.cursor)
    return page.map(lambda row: UserSummary(**row))


@router.get("/admin/users/count", responses=problems(403))
def count_users(db: Db, caller: CurrentCaller) -> int:
    """Count the users; reads all of them (administrators)."""
    # Do not use it for a dashboard (A17).
    caller.require_role("admin")
    return sum(1 for _ in _rows(db, design.AllUsers()))


@router.delete("/admin/users/{user_id}")
def erase_user(db: Db, caller: CurrentCaller, user_id: Id) -> Erasure:
    """Delete all data of a user (administrators)."""
    # Up to 100 items in one transaction.
    # With more items, the profile is deleted last: a missing profile means that all data is deleted. Feedback is found
    # through an index, which can lag, and a user who is still signed in can continue to write. So disable the login
    # first, and erase again later; erasing twice is harmless.
    require_self_or_admin(caller, user_id)
    feedback = [design.FeedbackById(**row) for row in _rows(db, design.FeedbackKeysOf(user_id=user_id))]
    steps = [design.AnyStepOf(**row) for row in _rows(db, design.StepKeysOf(user_id=user_id))]
    deadlines = [design.DeadlineOf(**row) for row in _rows(db, design.DeadlineKeysOf(user_id=user_id))]
    profiles = [design.ProfileOf(**row) for row in _rows(db, design.ProfileKeyOf(user_id=user_id))]
    everything = [*feedback, *steps, *deadlines, *profiles]
    for start in range(0, len(everything), MAX_TRANSACTION_ITEMS):
        db.transact(*map(writes.Delete, everything[start : start + MAX_TRANSACTION_ITEMS]))
    return Erasure(len(profiles), len(steps), len(deadlines), len(feedback))


def _rows(db: Repository, pattern: Query[Any] | Scan[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of all pages."""
    cursor = None
    while True:
        page = db.rows(pattern, cursor=cursor)
        yield from page
        cursor = page.cursor
        if cursor is None:
            return


@router.delete("/me", tags=["Profile"])
def erase_me(db: Db, caller: CurrentCaller) -> Erasure:
    """Delete all your data."""
    return erase_user(db, caller, caller.user_id)
