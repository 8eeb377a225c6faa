"""Profiles: read, and updated with cleaned changes.

The document reads a profile, merges the changes and puts it back: of two concurrent updates, one is lost. Here one
update writes only the fields that were sent, without reading.
"""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query

from tablewright import Repository, errors, writes
from tablewright_systems.service import Caller, NotFound
from tablewright_systems.student_hub.design import (
    Deadline,
    DeadlinesOf,
    ProfileDetails,
    ProfileJustWritten,
    ProfileOf,
    Progress,
    ProgressOf,
    UserProfile,
)
from tablewright_systems.student_hub.service.deadlines import in_order
from tablewright_systems.student_hub.service.inputs import CleanBody
from tablewright_systems.student_hub.service.progress import in_natural_order
from tablewright_systems.web import CurrentCaller, Db, Router, problems

router = Router("Profile", "Your profile and all your data.")

JustWritten = Annotated[bool, Query(alias="justWritten", description="Read strongly consistently.")]

_OURS = frozenset({"userId", "updatedAt"})


class ProfileChanges(CleanBody, ProfileDetails):
    """Changes to a profile; omitted fields are unchanged, null or empty removes a field."""

    @classmethod
    def prepared(cls, sent: Any) -> Any:
        """Return the JSON without the user ID and update time: clients may send back what they have read."""
        cleaned = super().prepared(sent)
        if not isinstance(cleaned, dict):
            return cleaned
        return {name: value for name, value in cleaned.items() if name not in _OURS}


@router.get("/profile", response_model_exclude_none=True, responses=problems(404))
def read_profile(db: Db, caller: CurrentCaller, *, just_written: JustWritten = False) -> UserProfile:
    """Get your profile; with `justWritten`, read it strongly consistently."""
    # `just_written` reads strongly consistently, at twice the capacity.
    pattern = ProfileJustWritten if just_written else ProfileOf
    return db.get_or_raise(
        pattern(user_id=caller.user_id), otherwise=NotFound(f"profile of user {caller.user_id}")
    )


@router.patch("/profile", response_model_exclude_none=True, responses=problems(404, 409))
@writes.retrying(on=errors.AlreadyExists)
def update_profile(db: Db, caller: CurrentCaller, changes: ProfileChanges) -> UserProfile:
    """Update your profile.

    Omitted fields are unchanged; null or empty removes a field.
    """
    # The first change creates it.
    values = changes.sent()
    try:
        return db.update(ProfileOf(user_id=caller.user_id), set={**values, "updated_at": db.now()})
    except errors.DoesNotExist:
        return db.create(UserProfile.model_validate({"user_id": caller.user_id, **values}))


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
