"""The dashboard: profile, progress and deadlines of a student, together (503-530)."""

import asyncio
from dataclasses import dataclass

from tablewright import Repository
from tablewright_systems.authentication import Caller
from tablewright_systems.student_hub.design import (
    Deadline,
    DeadlinesOf,
    ProfileOf,
    Progress,
    ProgressOf,
    UserProfile,
)
from tablewright_systems.student_hub.service.deadlines import in_order
from tablewright_systems.student_hub.service.progress import in_counting_order


@dataclass(frozen=True, slots=True)
class Dashboard:
    """What a student sees first."""

    profile: UserProfile | None
    """None until the student has told something."""
    progress: list[Progress]
    deadlines: list[Deadline]


def read_dashboard(db: Repository, caller: Caller) -> Dashboard:
    """The caller's dashboard. One read after the other: in the process that is faster than three threads."""
    user = caller.user_id
    return Dashboard(
        db.run(ProfileOf(user_id=user)),
        in_counting_order(db.all(ProgressOf(user_id=user))),
        in_order(db.all(DeadlinesOf(user_id=user))),
    )


async def gather_dashboard(db: Repository, caller: Caller) -> Dashboard:
    """The same with its three reads at a time, as the document has it: for a store that is far away."""
    user, far = caller.user_id, db.aio
    profile, progress, deadlines = await asyncio.gather(
        far.run(ProfileOf(user_id=user)),
        far.all(ProgressOf(user_id=user)),
        far.all(DeadlinesOf(user_id=user)),
    )
    return Dashboard(profile, in_counting_order(progress), in_order(deadlines))
