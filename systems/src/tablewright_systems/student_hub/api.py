"""HTTP API of Student Hub: endpoints for students, for feedback, for the reminder worker and for administrators."""

from datetime import date
from typing import Annotated

from fastapi import FastAPI, Path, Query
from pydantic import Field

from tablewright import Repository, fields
from tablewright_systems.service import sorted_page
from tablewright_systems.student_hub.design import Deadline, Feedback, Progress, StepKey, UserProfile
from tablewright_systems.student_hub.service import (
    administration,
    dashboard,
    deadlines,
    feedback,
    profiles,
    progress,
    reminders,
)
from tablewright_systems.web import (
    Authenticator,
    ClientNetwork,
    CountReply,
    CurrentCaller,
    Db,
    Limit,
    ListReply,
    OptionalCaller,
    PageReply,
    PageRequest,
    Router,
    View,
    application,
    problems,
)

router = Router()
router.describe(
    Profile="Your profile and all your data.",
    Progress="Your steps.",
    Deadlines="Your deadlines.",
    Feedback="Feedback, also without a token.",
    Reminders="Reminders of deadlines, for the reminder worker.",
    Administration="Users and feedback, for administrators.",
)
Id = Annotated[str, Path(max_length=256)]
EpochMilliseconds = Annotated[int, Path(ge=0, le=9_999_999_999_999)]
JustWritten = Annotated[bool, Query(alias="justWritten", description="Read strongly consistently.")]


class ClaimResult(View):
    """Whether the result was stored."""

    is_noted: bool = Field(description="False if the claim has expired.")


Steps = Annotated[list[StepKey] | None, Query(alias="step", max_length=100)]


@router.get("/dashboard", response_model_exclude_none=True, tags=["Profile"])
def read_dashboard(db: Db, caller: CurrentCaller) -> dashboard.Dashboard:
    """Get your profile, progress and deadlines."""
    return dashboard.read_dashboard(db, caller)


@router.get("/profile", response_model_exclude_none=True, tags=["Profile"], responses=problems(404))
def read_profile(db: Db, caller: CurrentCaller, just_written: JustWritten = False) -> UserProfile:
    """Get your profile; with `justWritten`, read it strongly consistently."""
    return profiles.read_profile(db, caller, just_written=just_written)


@router.patch("/profile", response_model_exclude_none=True, tags=["Profile"], responses=problems(404, 409))
def update_profile(db: Db, caller: CurrentCaller, changes: profiles.ProfileChanges) -> UserProfile:
    """Update your profile.

    Omitted fields are unchanged; null or empty removes a field.
    """
    return profiles.update_profile(db, caller, changes)


@router.get("/progress", tags=["Progress"])
def read_progress(
    db: Db, caller: CurrentCaller, paging: PageRequest, steps: Steps = None
) -> PageReply[Progress]:
    """List your steps by key, optionally only some of them."""
    found = progress.read_steps(db, caller, steps) if steps else progress.read_progress(db, caller)
    return PageReply.of(sorted_page(found, paging, "progress", progress.step_order))


@router.get("/progress/{step_key}", response_model_exclude_none=True, tags=["Progress"])
def read_step(db: Db, caller: CurrentCaller, step_key: StepKey) -> Progress:
    """Get one of your steps."""
    return progress.read_step(db, caller, step_key)


@router.post(
    "/progress/{step_key}/start", response_model_exclude_none=True, tags=["Progress"], responses=problems(404)
)
def start_step(db: Db, caller: CurrentCaller, step_key: StepKey) -> Progress:
    """Start a step."""
    return progress.start_step(db, caller, step_key)


@router.post(
    "/progress/{step_key}/complete",
    response_model_exclude_none=True,
    tags=["Progress"],
    responses=problems(404),
)
def complete_step(db: Db, caller: CurrentCaller, step_key: StepKey) -> Progress:
    """Complete a step."""
    return progress.complete_step(db, caller, step_key)


@router.post(
    "/progress/{step_key}/reopen",
    response_model_exclude_none=True,
    tags=["Progress"],
    responses=problems(404),
)
def reopen_step(db: Db, caller: CurrentCaller, step_key: StepKey) -> Progress:
    """Reopen a completed step."""
    return progress.reopen_step(db, caller, step_key)


@router.get("/deadlines", tags=["Deadlines"])
def read_deadlines(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Deadline]:
    """List your deadlines, earliest first."""
    found = deadlines.read_deadlines(db, caller)
    return PageReply.of(sorted_page(found, paging, "deadlines", deadlines.deadline_order))


@router.post(
    "/deadlines",
    status_code=201,
    response_model_exclude_none=True,
    tags=["Deadlines"],
    responses=problems(404),
)
def create_deadline(db: Db, caller: CurrentCaller, draft: deadlines.DeadlineDraft) -> Deadline:
    """Create a deadline.

    With your own `deadlineId`, repeated requests create one deadline.
    """
    return deadlines.create_deadline(db, caller, draft)


@router.get("/deadlines/{deadline_id}", response_model_exclude_none=True, tags=["Deadlines"])
def read_deadline(db: Db, caller: CurrentCaller, deadline_id: Id) -> Deadline:
    """Get one of your deadlines."""
    return deadlines.read_deadline(db, caller, deadline_id)


@router.patch(
    "/deadlines/{deadline_id}",
    response_model_exclude_none=True,
    tags=["Deadlines"],
    responses=problems(404, 409),
)
def change_deadline(
    db: Db, caller: CurrentCaller, deadline_id: Id, changes: deadlines.DeadlineChanges
) -> Deadline:
    """Update a deadline; a new date resets its reminder."""
    return deadlines.change_deadline(db, caller, deadline_id, changes)


@router.delete("/deadlines/{deadline_id}", status_code=204, tags=["Deadlines"], responses=problems(404, 409))
def delete_deadline(db: Db, caller: CurrentCaller, deadline_id: Id) -> None:
    """Delete a deadline."""
    deadlines.delete_deadline(db, caller, deadline_id)


@router.post("/feedback", status_code=201, tags=["Feedback"], responses=problems(404, 429))
def submit_feedback(
    db: Db, caller: OptionalCaller, origin: ClientNetwork, draft: feedback.FeedbackDraft
) -> Feedback:
    """Send feedback; no token required."""
    return feedback.submit_feedback(db, caller, draft, origin)


@router.get("/feedback", tags=["Feedback"], responses=problems(403))
def read_own_feedback(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Feedback]:
    """List your feedback, newest first."""
    return PageReply[Feedback].of(feedback.feedback_of_user(db, caller, caller.user_id, paging))


@router.delete("/me", tags=["Profile"])
def erase_me(db: Db, caller: CurrentCaller) -> administration.Erasure:
    """Delete all your data."""
    return administration.erase_user(db, caller, caller.user_id)


@router.get("/reminders/deadlines", tags=["Reminders"], responses=problems(403))
def read_deadlines_due_on(
    db: Db, caller: CurrentCaller, day: date, paging: PageRequest
) -> PageReply[Deadline]:
    """List the deadlines of all users on a day (reminder worker)."""
    return PageReply.of(paging.run(db, reminders.deadlines_due_on(db, caller, day)))


@router.post("/reminders/claim", tags=["Reminders"])
def claim_reminders(db: Db, caller: CurrentCaller, limit: Limit = 20) -> ListReply[reminders.Reminder]:
    """Claim reminders of today and tomorrow for sending (reminder worker)."""
    return ListReply(items=reminders.claim_reminders(db, caller, limit))


@router.post("/reminders/confirm", tags=["Reminders"])
def confirm_reminder(db: Db, caller: CurrentCaller, claim: reminders.Claim) -> ClaimResult:
    """Mark a claimed reminder as sent."""
    return ClaimResult(is_noted=reminders.confirm_reminder(db, caller, claim))


@router.post("/reminders/release", tags=["Reminders"])
def release_reminder(db: Db, caller: CurrentCaller, claim: reminders.Claim) -> ClaimResult:
    """Release a claimed reminder for another attempt."""
    return ClaimResult(is_noted=reminders.release_reminder(db, caller, claim))


@router.get("/admin/users", tags=["Administration"], responses=problems(403))
def list_users(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[administration.UserSummary]:
    """List all users (administrators)."""
    return PageReply[administration.UserSummary].of(administration.list_users(db, caller, paging))


@router.get("/admin/users/count", tags=["Administration"], responses=problems(403))
def count_users(db: Db, caller: CurrentCaller) -> CountReply:
    """Count the users; reads all of them (administrators)."""
    return CountReply(count=administration.count_users(db, caller))


@router.delete("/admin/users/{user_id}", tags=["Administration"])
def erase_user(db: Db, caller: CurrentCaller, user_id: Id) -> administration.Erasure:
    """Delete all data of a user (administrators)."""
    return administration.erase_user(db, caller, user_id)


@router.get("/admin/users/{user_id}/feedback", tags=["Administration"], responses=problems(403))
def read_feedback_of_user(
    db: Db, caller: CurrentCaller, user_id: Id, paging: PageRequest
) -> PageReply[Feedback]:
    """List the feedback of a user, newest first (administrators)."""
    return PageReply[Feedback].of(feedback.feedback_of_user(db, caller, user_id, paging))


@router.get("/admin/feedback", tags=["Administration"], responses=problems(403))
def read_feedback_between(
    db: Db, caller: CurrentCaller, start: fields.Timestamp, end: fields.Timestamp, paging: PageRequest
) -> PageReply[Feedback]:
    """List the feedback of a time range, newest first (administrators)."""
    return PageReply[Feedback].of(feedback.feedback_between(db, caller, start, end, paging))


@router.get(
    "/admin/feedback/{feedback_id}/{timestamp}", tags=["Administration"], responses=problems(403, 404)
)
def read_feedback(db: Db, caller: CurrentCaller, feedback_id: Id, timestamp: EpochMilliseconds) -> Feedback:
    """Get one feedback entry (administrators)."""
    return feedback.read_feedback(db, caller, feedback_id, timestamp)


def build(db: Repository, authenticator: Authenticator) -> FastAPI:
    """Build the API on a store."""
    return application(
        "Student Hub",
        router,
        db,
        authenticator,
        "Students who prepare for studies abroad: profile, steps, deadlines, reminders.",
    )
