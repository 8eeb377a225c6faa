"""Dashboard of a student: profile, progress and deadlines."""

import asyncio
from dataclasses import dataclass

from tablewright import Repository
from tablewright_systems.service import Caller
from tablewright_systems.student_hub.design import (
    Deadline,
    DeadlinesOf,
    ProfileOf,
    Progress,
    ProgressOf,
    UserProfile,
)
from tablewright_systems.student_hub.service.deadlines import in_order
from tablewright_systems.student_hub.service.progress import in_natural_order
from tablewright_systems.web import CurrentCaller, Db, Router

router = Router("Profile")


@dataclass(frozen=True, slots=True)
class Dashboard:
    """Profile, progress and deadlines of a student."""

    profile: UserProfile | None
    """None until the student saves a profile."""
    progress: list[Progress]
    deadlines: list[Deadline]


@router.get("/dashboard", response_model_exclude_none=True)
def read_dashboard(db: Db, caller: CurrentCaller) -> Dashboard:
    """Get your profile, progress and deadlines."""
    # Sequential reads: in-process, this is faster than three threads.
    user = caller.user_id
    return Dashboard(
        db.run(ProfileOf(user_id=user)),
        in_natural_order(db.all(ProgressOf(user_id=user), unknown="skip")),
        in_order(db.all(DeadlinesOf(user_id=user), unknown="skip")),
    )


async def gather_dashboard(db: Repository, caller: Caller) -> Dashboard:
    """Return the dashboard with three parallel reads, as in the document: for a remote store."""
    user, far = caller.user_id, db.aio
    profile, progress, deadlines = await asyncio.gather(
        far.run(ProfileOf(user_id=user)),
        far.all(ProgressOf(user_id=user), unknown="skip"),
        far.all(DeadlinesOf(user_id=user), unknown="skip"),
    )
    return Dashboard(profile, in_natural_order(progress), in_order(deadlines))
