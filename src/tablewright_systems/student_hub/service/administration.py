"""Administration: what is seen and done about all users. Here, and only here, the application scans (845-859)."""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from tablewright import Entity, Repository, fields, writes
from tablewright_systems.authentication import Caller
from tablewright_systems.pagination import ResultPage
from tablewright_systems.student_hub.design import (
    AllUsers,
    EveryDeadlineOf,
    EveryStepOf,
    FeedbackOfUser,
    ProfileJustWritten,
)
from tablewright_systems.student_hub.service.rights import require, require_self_or_admin

LARGEST_TRANSACTION = 100


class UserSummary(BaseModel):
    """A user in a list: enough to tell one from the other, and no more."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    user_id: str
    updated_at: fields.Timestamp
    first_name: str | None = None
    last_name: str | None = None
    destination_city: str | None = None
    university_name: str | None = None


@dataclass(frozen=True, slots=True)
class Erasure:
    """How much of a user was erased."""

    profiles: int
    steps: int
    deadlines: int
    feedback: int


def list_users(
    db: Repository, caller: Caller, limit: int = 20, cursor: str | None = None
) -> ResultPage[UserSummary]:
    """All users, page by page, in no order."""
    require(caller, "admin")
    page = db.rows(AllUsers(), limit=limit, cursor=cursor)
    return ResultPage(tuple(UserSummary(**row) for row in page), page.cursor)


def count_users(db: Repository, caller: Caller) -> int:
    """How many users there are: reads everything there is of them, so not for a dashboard (1056)."""
    require(caller, "admin")
    count, cursor = 0, None
    while True:
        page = db.rows(AllUsers(), cursor=cursor)
        count, cursor = count + len(page), page.cursor
        if cursor is None:
            return count


def erase_user(db: Repository, caller: Caller, user_id: str) -> Erasure:
    """Erase all that is stored of a user, in all tables at once: up to 100 items are one transaction.

    Of a user with more, the profile goes last, so that whoever sees it gone knows that all is. Feedback is found
    through an index, which may be a moment behind; and a user still signed in may go on writing. So take the identity
    away first, and erase again later: what is erased already does no harm.
    """
    require_self_or_admin(caller, user_id)
    feedback = db.all(FeedbackOfUser(user_id=user_id))
    steps = db.all(EveryStepOf(user_id=user_id))
    deadlines = db.all(EveryDeadlineOf(user_id=user_id))
    profile = db.run(ProfileJustWritten(user_id=user_id))
    everything: list[Entity] = [*feedback, *steps, *deadlines, *([profile] if profile else [])]
    for start in range(0, len(everything), LARGEST_TRANSACTION):
        db.transact(*map(writes.Delete, everything[start : start + LARGEST_TRANSACTION]))
    return Erasure(int(profile is not None), len(steps), len(deadlines), len(feedback))
